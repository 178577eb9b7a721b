package workflow

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/guard"
)

// maxGlob bounds how many files one pattern of a command line may stand for.
const maxGlob = 20000

// Guard refuses, with CodeRule and every fault, a client's tool call that would change records, drafts or committed chapters
// past git-novel. It sees what a command line shows; what it cannot see is still judged by the git hooks.
func (s *Session) Guard(_ context.Context, call *guard.Call) error {
	g := &guarding{s: s, seen: map[string]bool{}}
	var err error
	if g.snap, err = s.lib.Snapshot(); err != nil {
		return err
	}
	if g.root, err = filepath.EvalSymlinks(s.lib.Root()); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "the library's folder cannot be opened")
	}
	dir := call.Dir
	if dir == "" {
		dir = s.o.Dir
	}
	for _, t := range call.Targets() {
		for _, p := range braces(t.Path) {
			if err := g.target(dir, t, p); err != nil {
				return err
			}
		}
	}
	if len(g.faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeRule, "this would change the library past git-novel").WithDetails(g.faults...).
		WithHint("use the command named above; nothing was changed")
}

type guarding struct {
	s      *Session
	snap   *repo.Snapshot
	root   string
	seen   map[string]bool
	faults []schema.Fault
	states map[schema.BookName]map[string]schema.State
}

// target resolves one path of a call and judges what it stands for.
func (g *guarding) target(dir string, t guard.Target, p string) error {
	if strings.Contains(p, "$") {
		return nil // a variable of somebody else's: not to be seen from here
	}
	abs := g.absolute(dir, t.Dir, p)
	if !strings.ContainsAny(abs, "*?[") {
		return g.judge(resolved(abs), t)
	}
	rel, ok := g.within(abs)
	if !ok {
		return nil
	}
	names, err := fs.Glob(os.DirFS(g.root), strings.ReplaceAll(rel, "**", "*"))
	if err != nil {
		return nil //nolint:nilerr // no pattern: nothing that a shell would expand
	}
	for _, name := range names[:min(len(names), maxGlob)] {
		if err := g.judge(resolved(filepath.Join(g.root, filepath.FromSlash(name))), t); err != nil {
			return err
		}
	}
	return nil
}

func (g *guarding) absolute(dir, sub, p string) string {
	home := g.s.o.Getenv("HOME")
	for _, part := range []string{sub, p} {
		if part == "~" || strings.HasPrefix(part, "~/") {
			part = filepath.Join(home, part[1:])
		}
		if filepath.IsAbs(part) {
			dir = part
		} else {
			dir = filepath.Join(dir, filepath.FromSlash(part))
		}
	}
	return filepath.Clean(dir)
}

// resolved follows the links of the part of a path that exists.
func resolved(p string) string {
	rest := ""
	for at := p; ; at = filepath.Dir(at) {
		if there, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(there, rest)
		}
		if at == filepath.Dir(at) {
			return p
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// within gives a path from the library's root, slash separated; "" is the root itself.
func (g *guarding) within(abs string) (string, bool) {
	for _, root := range []string{g.root, g.s.lib.Root()} {
		rel, err := filepath.Rel(root, abs)
		if err != nil {
			continue
		}
		if rel == "." {
			return "", true
		}
		if filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

func (g *guarding) judge(abs string, t guard.Target) error {
	rel, ok := g.within(abs)
	if !ok {
		if up, err := filepath.Rel(abs, g.root); err != nil || !filepath.IsLocal(up) || !t.Tree {
			return nil //nolint:nilerr // elsewhere
		}
		rel = "" // a folder that holds the library
	}
	why, kept, err := g.kept(rel, t.Tree)
	if err != nil || !kept || g.seen[rel] {
		return err
	}
	g.seen[rel] = true
	if rel == "" {
		rel = "."
	}
	g.faults = append(g.faults, schema.Fault{File: rel, Field: t.By, Rule: "guard", Msg: why})
	return nil
}

// kept reports a path that only git-novel may change, or a folder with such paths in it.
func (g *guarding) kept(rel string, tree bool) (why schema.Text, kept bool, err error) {
	record := schema.Textf("records are written by git-novel only: git novel review record, git novel chapter-commit, git novel summary add")
	draft := schema.Textf("draft mirrors only grow: git novel draft commit")
	if rel == ".git" || strings.HasPrefix(rel, ".git/") {
		return schema.Textf("git's own files are git's"), true, nil
	}
	p := schema.ParsePath(rel)
	switch p.Kind {
	case schema.PathMirror, schema.PathLedger:
		return draft, true, nil
	case schema.PathSummaries, schema.PathBookState, schema.PathReview, schema.PathRecheck, schema.PathCommit:
		return record, true, nil
	case schema.PathLibrary:
		return record, rel == schema.DataDir+"/state.json", nil
	case schema.PathBookData:
		return record, path.Base(rel) == "batch_state.json", nil
	case schema.PathChapter:
		info, ok := schema.ParseChapterFile(p.Name)
		if !ok {
			return schema.Text{}, false, nil
		}
		states, err := g.bookStates(p.Book)
		if err != nil || states[info.Key.ID()] != schema.StateCommitted {
			return schema.Text{}, false, err
		}
		return schema.Textf("chapter %s is committed: its text changes only by git novel retcon %s --reason R", string(info.Key), arg(info.Key)), true, nil
	case schema.PathOther, schema.PathBookFile, schema.PathOutline, schema.PathIgnored:
	}
	if !tree {
		return schema.Text{}, false, nil
	}
	return g.keptBelow(rel)
}

// keptBelow judges a folder.
func (g *guarding) keptBelow(rel string) (schema.Text, bool, error) {
	parts := strings.Split(rel, "/")
	switch {
	case rel == "":
		return schema.Textf("records, drafts and committed chapters lie below this folder; say which files are meant"), true, nil
	case parts[0] == schema.DataDir:
		below := len(parts) == 1 || parts[1] == "drafts" || parts[1] == "summaries" ||
			parts[1] == "books" && (len(parts) < 4 || parts[3] == "chapters" && len(parts) < 6)
		return schema.Textf("records and drafts lie below this folder"), below, nil
	case parts[0] != schema.NovelsDir || len(parts) > 2:
		return schema.Text{}, false, nil
	}
	books, err := repo.Books(g.snap)
	if err != nil {
		return schema.Text{}, false, err
	}
	for _, b := range books {
		if len(parts) == 2 && string(b) != parts[1] {
			continue
		}
		states, err := g.bookStates(b)
		if err != nil {
			return schema.Text{}, false, err
		}
		for _, st := range states {
			if st == schema.StateCommitted {
				return schema.Textf("committed chapters lie below this folder; they leave by git novel chapter retract or git novel book delete"), true, nil
			}
		}
	}
	return schema.Text{}, false, nil
}

func (g *guarding) bookStates(b schema.BookName) (map[string]schema.State, error) {
	if st, ok := g.states[b]; ok {
		return st, nil
	}
	name := schema.BookStatePath(b)
	data, _, err := g.snap.Read(name)
	if err != nil {
		if schema.CodeOf(err) == schema.CodeNotFound { // no book of ours
			return map[string]schema.State{}, nil
		}
		return nil, err
	}
	var st schema.BookState
	if err := schema.Unmarshal(name, data, &st); err != nil {
		return nil, err
	}
	if g.states == nil {
		g.states = map[schema.BookName]map[string]schema.State{}
	}
	g.states[b] = st.Progress.ChapterStatus
	return st.Progress.ChapterStatus, nil
}

// braces expands the {a,b} of a shell word, the first pair of them at a time.
func braces(p string) []string {
	open := strings.IndexByte(p, '{')
	if open < 0 {
		return []string{p}
	}
	end := strings.IndexByte(p[open:], '}')
	if end < 0 || !strings.Contains(p[open:open+end], ",") {
		return []string{p}
	}
	var out []string
	for alt := range strings.SplitSeq(p[open+1:open+end], ",") {
		out = append(out, p[:open]+alt+p[open+end+1:])
	}
	return out
}
