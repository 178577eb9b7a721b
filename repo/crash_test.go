package repo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"git-novel/repo"
	"git-novel/repo/gitstore"
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
	loc, err := gitstore.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := gitstore.Open(loc, options(filepath.Dir(dir)).Env)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	head, err1 := store.Head()
	refs, err2 := store.Refs("refs/")
	ix, err3 := store.ReadIndex()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HEAD %s %s\n", head.Ref, head.ID)
	for _, r := range refs {
		fmt.Fprintf(&b, "%s %s\n", r.Name, r.ID)
	}
	for e := range ix.Entries("") {
		fmt.Fprintf(&b, "%o %s %d %v %s\n", e.Mode, e.ID, e.Stage, e.IntentToAdd, e.Path)
	}
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
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(p)
			out = append(out, rel+" -> "+to)
			return err
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
				return nil //nolint:nilerr // not there: nothing left behind
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
func (c *crash) settled(t *testing.T, dir, where string, full bool) string {
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
	if o := (oracle{t: t, dir: dir}); full {
		o.sound(c.status[now])
	} else if got := o.git("status", "--porcelain"); got != c.status[now] {
		t.Errorf("%s: git status:\n%swant:\n%s", where, got, c.status[now])
	}
	if now == c.new {
		return "new"
	}
	return "old"
}

// steps counts the failpoints of a role by running it to its end.
func steps(t *testing.T, role, dir string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s 0 %s", childEnv, role, dir), "NOVEL_REPO_TEST_TRACE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		names = append(names, name)
	}
	return names
}

// stripes runs fn for 1..n, a few at a time.
func stripes(t *testing.T, n int, fn func(t *testing.T, at int)) {
	t.Helper()
	const lanes = 4
	for lane := range lanes {
		t.Run(fmt.Sprintf("lane%d", lane), func(t *testing.T) {
			t.Parallel()
			for at := lane + 1; at <= n; at += lanes {
				fn(t, at)
			}
		})
	}
}

func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	names := steps(t, "transition", c.copy(t))
	if len(names) < 50 {
		t.Errorf("only %d steps: %q", len(names), names)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	t.Cleanup(func() {
		if seen["old"] < 10 || seen["new"] < 10 {
			t.Errorf("outcomes %v: the steps do not cover both sides", seen)
		}
	})
	stripes(t, len(names), func(t *testing.T, at int) {
		dir := c.copy(t)
		where := fmt.Sprintf("killed before step %d, %q", at, names[at-1])
		if killed, out := run(t, "transition", at, dir); !killed {
			t.Fatalf("%s: not killed: %s", where, out)
		}
		end := c.settled(t, dir, where, at%3 == 0)
		mu.Lock()
		seen[end]++
		mu.Unlock()
		if at%5 == 0 {
			// The author's own git and the next transition go on.
			oracle{t: t, dir: dir}.git("commit", "-q", "-m", "own", "notes.txt")
			put(t, open(t, dir), map[string]string{"novels/雨夜灯/第09章.md": "九\n"})
		}
	})
}

// A recovery that is killed itself is recovered from.
func TestCrashInRecovery(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	names := steps(t, "transition", c.copy(t))
	from := slices.Index(names, "journal sync") + 1
	for _, at := range []int{from + 1, slices.Index(names, "branch") + 1, len(names) - 1} {
		t.Run(names[at-1], func(t *testing.T) {
			t.Parallel()
			base := c.copy(t)
			if killed, _ := run(t, "transition", at, base); !killed {
				t.Fatal("not killed")
			}
			for again := 1; ; again++ {
				dir := filepath.Join(t.TempDir(), filepath.Base(base))
				copyTree(t, base, dir)
				relocate(t, base, dir)
				killed, _ := run(t, "recover", again, dir)
				c.settled(t, dir, fmt.Sprintf("killed before %q, recovery killed at step %d", names[at-1], again), !killed)
				if !killed {
					if again < 5 {
						t.Errorf("recovery has %d steps only", again)
					}
					return
				}
			}
		})
	}
}

// relocate makes a copied journal and its lock records name the copy, and the copied locks the same files again.
func relocate(t *testing.T, from, to string) {
	t.Helper()
	own := filepath.Join(to, ".git", "novel")
	err := filepath.WalkDir(own, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".json" {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		data = bytes.ReplaceAll(data, []byte(from), []byte(to))
		if err := os.WriteFile(p, data, 0o644); err != nil {
			return err
		}
		var rec struct{ Path string }
		if json.Unmarshal(data, &rec) == nil && filepath.IsAbs(rec.Path) {
			if _, err := os.Lstat(rec.Path); err == nil {
				held := strings.TrimSuffix(p, ".json") + ".lock"
				if err := os.Remove(held); err != nil {
					return err
				}
				return os.Link(rec.Path, held)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An operation that fails (no space, no permission) leaves nothing changed, or, after the branch moved, everything.
func TestFailureAtEveryStep(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	names := steps(t, "transition", c.copy(t))
	stripes(t, len(names), func(t *testing.T, at int) {
		if strings.HasPrefix(names[at-1], "git ") {
			return // the engine's own steps cannot fail by order
		}
		dir := c.copy(t)
		o := options(filepath.Dir(dir))
		n := 0
		o.Failpoint = func(string) error {
			if n++; n == at {
				return syscall.ENOSPC
			}
			return nil
		}
		l, err := repo.Open(context.Background(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Update(context.Background(), transition)
		l.Close()
		now := world(t, dir)
		switch {
		case err != nil && (now != c.old || !errors.Is(err, syscall.ENOSPC)):
			t.Errorf("step %q failed with %v, but not everything is old:\n%s", names[at-1], err, now)
		case err == nil && now != c.new:
			t.Errorf("step %q failed and Update did not say so:\n%s", names[at-1], now)
		}
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("step %q: left behind %q", names[at-1], left)
		}
		if got := (oracle{t: t, dir: dir}).git("status", "--porcelain"); got != c.status[now] {
			t.Errorf("step %q: git status:\n%swant:\n%s", names[at-1], got, c.status[now])
		}
	})
}
