package repo_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/repo"
	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// The test binary plays another process when childEnv is set: see child_test.go.
func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(role))
	}
	os.Exit(m.Run())
}

// env is a process environment without anything of the machine's own git settings.
func env(home string) gitstore.Env {
	vars := map[string]string{
		"HOME": home, "PATH": os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "林晚", "GIT_AUTHOR_EMAIL": "lin@example.com",
		"GIT_COMMITTER_NAME": "林晚", "GIT_COMMITTER_EMAIL": "lin@example.com",
	}
	return gitstore.Env{
		Home: home, Getenv: func(k string) string { return vars[k] },
		Clock: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 8*3600)) },
	}
}

func options(home string) repo.Options {
	return repo.Options{
		Env: env(home), Command: "git novel test", Wait: 5 * time.Second,
	}
}

// oracle is real git on one worktree.
type oracle struct {
	t   testing.TB
	dir string
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH, and this test checks against it")
	}
}

func (o oracle) try(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = o.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(o.dir), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=other", "GIT_AUTHOR_EMAIL=o@example.com", "GIT_COMMITTER_NAME=other", "GIT_COMMITTER_EMAIL=o@example.com",
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return out.String(), wrap(err, errs.String())
}

func wrap(err error, text string) error {
	if err == nil {
		return nil
	}
	return schema.Wrap(err, schema.CodeGit, "%s", text)
}

func (o oracle) git(args ...string) string {
	o.t.Helper()
	out, err := o.try(args...)
	if err != nil {
		o.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// sound checks what must hold after everything: fsck, and nothing pending.
func (o oracle) sound(status string) {
	o.t.Helper()
	if out, err := o.try("fsck", "--strict", "--no-dangling"); err != nil || strings.TrimSpace(out) != "" {
		o.t.Errorf("git fsck: %s %v", out, err)
	}
	if got := o.git("status", "--porcelain"); got != status {
		o.t.Errorf("git status:\n%swant:\n%s", got, status)
	}
}

// library makes a library with one commit in a folder whose path has spaces and Chinese.
func library(t testing.TB, opts ...func(*repo.Options)) (*repo.Library, oracle) {
	t.Helper()
	needGit(t)
	home := t.TempDir()
	dir := filepath.Join(home, "我的 书库")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o := oracle{t: t, dir: dir}
	o.git("init", "-q", "-b", "main", "--template=")
	return open(t, dir, opts...), o
}

func open(t testing.TB, dir string, opts ...func(*repo.Options)) *repo.Library {
	t.Helper()
	op := options(filepath.Dir(dir))
	for _, f := range opts {
		f(&op)
	}
	l, err := repo.Init(context.Background(), dir, op)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func withGit(o *repo.Options) {
	g, ok := gitcmd.Find(exec.LookPath, o.Env.Getenv)
	if ok {
		o.Git = g
	}
}

func update(t testing.TB, l *repo.Library, fn func(tx *repo.Tx) error) *repo.Result {
	t.Helper()
	res, err := l.Update(context.Background(), fn)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// put writes files in one commit.
func put(t testing.TB, l *repo.Library, files map[string]string) *repo.Result {
	t.Helper()
	return update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("save(雨夜灯): 测试\n")
		for p, s := range files {
			if err := tx.Write(p, []byte(s)); err != nil {
				return err
			}
		}
		return nil
	})
}

func disk(t testing.TB, l *repo.Library, p string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(l.Root(), filepath.FromSlash(p)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func edit(t testing.TB, l *repo.Library, p, s string) {
	t.Helper()
	file := filepath.Join(l.Root(), filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
}
