package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// novel runs git-novel in a folder and gives the time of the whole process and its standard output.
func (b *bench) novel(ctx context.Context, dir string, args ...string) (time.Duration, []byte, error) {
	d, out, err := b.start(ctx, dir, b.tool, args...)
	if err != nil {
		return 0, nil, fmt.Errorf("git-novel %s: %w", strings.Join(args, " "), err)
	}
	return d, out, nil
}

// gitCmd runs git in a folder.
func (b *bench) gitCmd(ctx context.Context, dir string, args ...string) (time.Duration, []byte, error) {
	d, out, err := b.start(ctx, dir, b.git, args...)
	if err != nil {
		return 0, nil, fmt.Errorf("%w %s: %w", errGit, args[0], err)
	}
	return d, out, nil
}

func (b *bench) start(ctx context.Context, dir, program string, args ...string) (time.Duration, []byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, b.env
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	d := time.Since(begin)
	if err != nil {
		text := bytes.TrimSpace(append(bytes.TrimSpace(stderr.Bytes()), firstLines(stdout.Bytes())...))
		return 0, nil, fmt.Errorf("%w\n%s", err, text)
	}
	return d, stdout.Bytes(), nil
}

// firstLines keeps an error message readable when a program prints its refusal as a long JSON value.
func firstLines(out []byte) []byte {
	const most = 2000
	if len(out) > most {
		out = append(out[:most:most], " …"...)
	}
	return append([]byte("\n"), out...)
}

// addCommit times `git add` of the paths (everything when there are none) and `git commit`, with git's defaults.
func (b *bench) addCommit(ctx context.Context, dir, message string, paths []string) (time.Duration, error) {
	args := []string{"add", "-A"}
	if len(paths) > 0 {
		args = append(args, "--")
		args = append(args, paths...)
	}
	d1, _, err := b.gitCmd(ctx, dir, args...)
	if err != nil {
		return 0, err
	}
	d2, _, err := b.gitCmd(ctx, dir, "commit", "-q", "-m", message)
	return d1 + d2, err
}

func (b *bench) head(ctx context.Context, dir string) (string, error) {
	_, out, err := b.gitCmd(ctx, dir, "rev-parse", "HEAD")
	return strings.TrimSpace(string(out)), err
}

// changed lists the paths in which two commits differ.
func (b *bench) changed(ctx context.Context, dir, from, to string) ([]string, error) {
	_, out, err := b.gitCmd(ctx, dir, "diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// carry copies the paths from one working tree to another; a path that is gone is removed.
func carry(from, to string, paths []string) error {
	for _, p := range paths {
		dst := filepath.Join(to, filepath.FromSlash(p))
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(p)))
		switch {
		case errors.Is(err, os.ErrNotExist):
			if err := os.Remove(dst); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			continue
		case err != nil:
			return err
		}
		if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(dst, data, 0o644); err != nil { //nolint:gosec // like the file it is a copy of
			return err
		}
	}
	return nil
}

// copyTree copies a library and lets both programs learn the new files, whose times and inodes no index knows yet.
func (b *bench) copyTree(ctx context.Context, from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return b.settle(ctx, to)
}

// settle makes an index whose stat data is trusted: git rehashes files that are as new as their index (racy entries).
func (b *bench) settle(ctx context.Context, dir string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(1100 * time.Millisecond):
	}
	_, _, err := b.gitCmd(ctx, dir, "update-index", "-q", "--really-refresh")
	return err
}
