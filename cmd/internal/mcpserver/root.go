package mcpserver

import (
	"context"
	"path/filepath"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"
)

// open opens the library that a call is about: the one that is served, or the one that root names inside the served folder
// (reference K32). The book is the one of the call.
func (s *Server) open(ctx context.Context, root, book string) (*workflow.Session, error) {
	o := s.o.Workflow
	if book != "" {
		o.Book = book
	}
	if root != "" {
		dir := s.resolve(root)
		if !s.inside(ctx, dir) {
			if !s.o.Fallback {
				return nil, outside(root)
			}
			s.note("拒绝越界 root：" + root + "，已回退该书库根")
			dir = s.base
		}
		o.Root = dir
	}
	ses, err := workflow.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	// The library is looked for upwards: from a folder that has none it must not lead out of what is served, unless the
	// served folder itself lies in that library.
	if !within(s.base, ses.Root()) && !within(ses.Root(), s.base) {
		ses.Close()
		return nil, outside(root)
	}
	return ses, nil
}

func outside(root string) error {
	return schema.Errorf(schema.CodeUsage, "root %q lies outside of the folder that this server serves", root).
		WithHint("leave root out, or start the server with --root of that library")
}

// resolve makes root absolute and follows the symlinks of the part of it that is there.
func (s *Server) resolve(root string) string {
	if !filepath.IsAbs(root) {
		root = filepath.Join(s.base, root)
	}
	root = filepath.Clean(root)
	rest := ""
	for dir := root; ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(resolved, rest)
		}
		if filepath.Dir(dir) == dir {
			return root
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// inside reports a folder that may be served: one below the served folder, or any of the library that it lies in.
func (s *Server) inside(ctx context.Context, dir string) bool {
	if within(s.base, dir) {
		return true
	}
	ses, err := workflow.Open(ctx, s.o.Workflow)
	if err != nil {
		return false
	}
	defer ses.Close()
	return within(ses.Root(), s.base) && within(ses.Root(), dir)
}

// within reports that path is dir or lies below it, at the border of a folder. Both are absolute and resolved.
func within(dir, path string) bool {
	if dir == path {
		return true
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && !filepath.IsAbs(rel)
}
