package gitstore

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
)

// testClock is a fixed moment, so that commit ids do not change from run to run.
func testClock() time.Time {
	return time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 8*3600))
}

// testEnv is an environment of its own: no configuration of the machine reaches the test.
func testEnv(t *testing.T) Env {
	t.Helper()
	return Env{Home: t.TempDir(), Clock: testClock, Getenv: func(k string) string {
		switch k {
		case "GIT_CONFIG_NOSYSTEM":
			return "1"
		case "GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME":
			return "作者"
		case "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL":
			return "author@example.com"
		}
		return ""
	}}
}

// git is the real program, the oracle of these tests.
type git struct {
	t    *testing.T
	dir  string
	env  []string
	prog string
}

// newGit finds git, or skips the test.
func newGit(t *testing.T, dir string) *git {
	t.Helper()
	prog, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git program on PATH to compare with")
	}
	return &git{t: t, dir: dir, prog: prog, env: []string{
		"HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "PATH=" + os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=Git", "GIT_AUTHOR_EMAIL=git@example.com", "GIT_COMMITTER_NAME=Git", "GIT_COMMITTER_EMAIL=git@example.com",
	}}
}

func (g *git) run(args ...string) string {
	g.t.Helper()
	out, err := g.try(nil, args...)
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (g *git) try(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command(g.prog, args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

// newRepo makes a repository with git and opens it.
func newRepo(t *testing.T, args ...string) (*Repo, *git) {
	t.Helper()
	dir := t.TempDir()
	g := newGit(t, dir)
	g.run(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return openRepo(t, dir), g
}

func openRepo(t *testing.T, dir string) *Repo {
	t.Helper()
	loc, err := Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(loc, testEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func oid(t *testing.T, s string) schema.OID {
	t.Helper()
	id, err := schema.ParseOID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// commitFiles writes files into the worktree and commits exactly them with the engine, as repo.Update does.
func commitFiles(t *testing.T, r *Repo, msg string, files map[string]string) schema.OID {
	t.Helper()
	head := must[Head](t)(r.Head())
	var root schema.OID
	var parents []schema.OID
	if !head.Unborn {
		root = must[*Commit](t)(r.Commit(head.ID)).Tree
		parents = []schema.OID{head.ID}
	}
	lock := must[*IndexLock](t)(r.LockIndex(time.Second))
	defer lock.Rollback()
	b := r.NewBatch()
	var edits []Edit
	var ix []IndexEdit
	for path, content := range files {
		if content == "" {
			_ = os.Remove(filepath.Join(r.loc.WorkTree, path))
			edits = append(edits, Edit{Path: path, Delete: true})
			ix = append(ix, IndexEdit{Path: path, Delete: true})
			continue
		}
		file := filepath.Join(r.loc.WorkTree, path)
		writeFile(t, file, content)
		st := must[os.FileInfo](t)(os.Lstat(file))
		id := b.Blob([]byte(content))
		edits = append(edits, Edit{Path: path, Mode: ModeFile, ID: id})
		ix = append(ix, IndexEdit{Path: path, Mode: ModeFile, ID: id, Stat: st})
	}
	tree := must[schema.OID](t)(b.PatchTree(root, edits))
	who, by, err := r.Identity()
	ok(t, err)
	id := must[schema.OID](t)(b.Commit(&Commit{Tree: tree, Parents: parents, Author: who, Committer: by, Message: msg}))
	ok(t, b.Flush(t.Context()))
	ok(t, lock.Apply(ix))
	ok(t, lock.Prepare())
	refs := must[*RefLocks](t)(r.LockRefs([]RefUpdate{{Name: head.Ref, Old: head.ID, New: id, Reflog: "commit: " + msg, By: by}}))
	ok(t, refs.Commit())
	ok(t, lock.Commit())
	return id
}

// clean asserts that git sees a sound repository without changes.
func (g *git) clean() {
	g.t.Helper()
	if out := g.run("fsck", "--strict", "--full", "--no-dangling"); out != "" {
		g.t.Errorf("git fsck: %s", out)
	}
	if out := g.run("status", "--porcelain"); out != "" {
		g.t.Errorf("git status is not clean:\n%s", out)
	}
}

func asError(err error, target **schema.Error) bool { return errors.As(err, target) }
