package repo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

// crashFixture is a library with an author's clutter in every place that Update must not touch.
func crashFixture(t *testing.T) string {
	t.Helper()
	l, o := library(t)
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("init(书库): x\n")
		if err := tx.TakeBlocks(); err != nil {
			return err
		}
		for p, s := range map[string]string{
			statePath: "{\"state\": \"old\"}\n", gonePath: "{}\n", fromPath: "第三章正文。\n", takenPath: "第二章。\n", editedPath: "旧设定。\n",
			"notes.txt": "笔记\n", "staged.txt": "a\n", "cached.txt": "a\n", "gone.txt": "a\n", "novels/雨夜灯/第01章.md": "第一章。\n",
		} {
			if err := tx.Write(p, []byte(s)); err != nil {
				return err
			}
		}
		return nil
	})
	edit(t, l, takenPath, "第二章，作者改过。\n")
	edit(t, l, editedPath, "作者的改动。\n")
	edit(t, l, "notes.txt", "笔记，未暂存\n")
	edit(t, l, "staged.txt", "已暂存\n")
	edit(t, l, "新 文件.txt", "未跟踪\n")
	edit(t, l, "intent.txt", "打算加入\n")
	edit(t, l, ".novel-writer/tmp/雨夜灯/work", "忽略的\n")
	o.git("add", "staged.txt")
	o.git("add", "-N", "intent.txt")
	o.git("rm", "-q", "--cached", "cached.txt")
	o.git("rm", "-q", "gone.txt")
	edit(t, l, "staged.txt", "已暂存，又改\n")
	return l.Root()
}

// world is everything that a transaction may change and everything that it must not.
func world(t testing.TB, dir string) string {
	t.Helper()
	o := oracle{t: t, dir: dir}
	var b strings.Builder
	head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "HEAD %s", head)
	b.WriteString(o.git("for-each-ref", "--format=%(refname) %(objectname)"))
	b.WriteString(o.git("ls-files", "--stage"))
	return b.String() + files(t, dir)
}

// files lists the worktree with contents.
func files(t testing.TB, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if rel == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			out = append(out, rel+"/")
			return nil
		}
		data, err := os.ReadFile(p)
		out = append(out, fmt.Sprintf("%s %q", rel, data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return strings.Join(out, "\n") + "\n"
}

// leftovers lists what must not remain after recovery.
func leftovers(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for _, top := range []string{".git", ".novel-writer/tmp"} {
		_ = filepath.WalkDir(filepath.Join(dir, top), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			rel, _ := filepath.Rel(dir, p)
			in := filepath.ToSlash(rel)
			if !d.IsDir() && (strings.HasSuffix(in, ".lock") || strings.HasPrefix(in, ".git/novel/") && in != ".git/novel/lock" || strings.Contains(in, "novel-index")) ||
				strings.HasPrefix(in, ".novel-writer/tmp/tx-") {
				out = append(out, in)
			}
			return nil
		})
	}
	return out
}

func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// run plays a child and reports whether it was killed.
func run(t testing.TB, role string, at int, dir string) (killed bool, output string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", childEnv, role, at, dir))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, out.String()
	case errors.As(err, &exit) && exit.ExitCode() == -1:
		return true, out.String()
	}
	t.Fatalf("child %s %d: %v\n%s", role, at, err, out.String())
	return false, ""
}

// crash holds the two worlds between which every crash must choose.
type crash struct {
	fixture  string
	old, new string
	status   map[string]string // git status of each
}

func newCrash(t *testing.T) *crash {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs SIGKILL")
	}
	c := &crash{fixture: crashFixture(t), status: map[string]string{}}
	c.old = world(t, c.fixture)
	c.status[c.old] = oracle{t: t, dir: c.fixture}.git("status", "--porcelain")
	dir := c.copy(t)
	if killed, out := run(t, "transition", 0, dir); killed {
		t.Fatalf("the reference run was killed: %s", out)
	}
	c.new = world(t, dir)
	c.status[c.new] = oracle{t: t, dir: dir}.git("status", "--porcelain")
	if c.old == c.new {
		t.Fatal("the transition changes nothing")
	}
	return c
}

func (c *crash) copy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(c.fixture))
	copyTree(t, c.fixture, dir)
	return dir
}

// settled opens the library after a crash and checks that it is old or new.
func (c *crash) settled(t *testing.T, dir, where string) string {
	t.Helper()
	var notices []string
	o := options(filepath.Dir(dir))
	o.Notice = func(m schema.Text) { notices = append(notices, m.String()) }
	l, err := repo.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatalf("%s: open: %v", where, err)
	}
	l.Close()
	now := world(t, dir)
	if now != c.old && now != c.new {
		t.Fatalf("%s: neither old nor new (%q):\n%s", where, notices, now)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%s: left behind %q", where, left)
	}
	oracle{t: t, dir: dir}.sound(c.status[now])
	if now == c.new {
		return "new"
	}
	return "old"
}

func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	seen := map[string]int{}
	const chunk = 8
	done := false
	for base := 1; !done; base += chunk {
		if base > 500 {
			t.Fatal("the transition does not end")
		}
		for at := base; at < base+chunk; at++ {
			dir := c.copy(t)
			killed, _ := run(t, "transition", at, dir)
			end := c.settled(t, dir, fmt.Sprintf("killed at step %d", at))
			if !killed {
				done = true
				break
			}
			seen[end]++
			// The author's own git and the next transition go on.
			o := oracle{t: t, dir: dir}
			o.git("commit", "-q", "-m", "own", "notes.txt")
			l := open(t, dir)
			put(t, l, map[string]string{"novels/雨夜灯/第09章.md": "九\n"})
		}
	}
	if seen["old"] < 3 || seen["new"] < 3 {
		t.Errorf("outcomes %v: the steps do not cover both sides", seen)
	}
	t.Logf("outcomes: %v", seen)
}
