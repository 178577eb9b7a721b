package repo_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

// crashed gives a library that was killed before the named step, unrecovered.
func crashed(t *testing.T, step string) (*crash, string) {
	t.Helper()
	c := newCrash(t)
	at := slices.Index(steps(t, "transition", c.copy(t)), step) + 1
	if at == 0 {
		t.Fatalf("no step %q", step)
	}
	dir := c.copy(t)
	if killed, out := run(t, "transition", at, dir); !killed {
		t.Fatalf("not killed: %s", out)
	}
	return c, dir
}

func reopen(t *testing.T, dir string) []string {
	t.Helper()
	var notices []string
	o := options(filepath.Dir(dir))
	o.Notice = func(m schema.Text) { notices = append(notices, m.String()) }
	l, err := repo.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return notices
}

// What an author writes between the crash and the next command is kept, and the git side is finished all the same.
func TestRecoveryKeepsEdits(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"write " + statePath, "branch", "index"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			_, dir := crashed(t, step)
			file := filepath.Join(dir, filepath.FromSlash(statePath))
			if err := os.WriteFile(file, []byte("{\"state\": \"mine\"}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			notices := reopen(t, dir)
			if got, _ := os.ReadFile(file); string(got) != "{\"state\": \"mine\"}\n" {
				t.Errorf("the edit became %q", got)
			}
			if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, statePath) }) {
				t.Errorf("notices %q do not name the file", notices)
			}
			o := oracle{t: t, dir: dir}
			if got := o.git("show", "HEAD:"+statePath, ":"+statePath); got != "{\"state\": \"new\"}\n{\"state\": \"new\"}\n" {
				t.Errorf("HEAD and index hold %q", got)
			}
			if got := o.git("status", "--porcelain", "--", ".novel-writer", "novels"); got != " M "+statePath+"\n" {
				t.Errorf("status %q", got)
			}
			if left := leftovers(t, dir); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// When the branch went elsewhere before the next command, what the crash left of the transition is taken back and the
// other history stands.
func TestRecoveryAfterBranchWentElsewhere(t *testing.T) {
	t.Parallel()
	c, dir := crashed(t, "side refs")
	o := oracle{t: t, dir: dir}
	for _, lock := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		if err := os.Remove(filepath.Join(dir, ".git", filepath.FromSlash(lock))); err != nil {
			t.Fatal(err)
		}
	}
	o.git("commit", "-q", "-m", "own", "notes.txt")
	head := o.git("rev-parse", "HEAD")
	notices := reopen(t, dir)
	if !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, "undone") }) {
		t.Errorf("notices %q", notices)
	}
	if o.git("rev-parse", "HEAD") != head {
		t.Error("HEAD moved")
	}
	want := strings.ReplaceAll(c.status[c.old], " M notes.txt\n", "")
	if got := o.git("status", "--porcelain"); got != want {
		t.Errorf("status\n%swant\n%s", got, want)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Somebody else's lock that appears after the crash is not ours to remove, whatever the journal says.
func TestRecoveryLeavesForeignLocks(t *testing.T) {
	t.Parallel()
	c, dir := crashed(t, "branch")
	lock := filepath.Join(dir, ".git", "index.lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock, []byte("git's"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options(filepath.Dir(dir))
	o.Wait = -1
	var notices []string
	o.Notice = func(m schema.Text) { notices = append(notices, m.String()) }
	l, err := repo.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got, _ := os.ReadFile(lock); string(got) != "git's" {
		t.Fatalf("the lock became %q", got)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "index.lock") {
		t.Errorf("notices %q; want the file named", notices)
	}
	if _, err := l.Update(context.Background(), func(*repo.Tx) error { return nil }); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("an update with an unfinished journal: %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if c.settled(t, dir, "after the foreign lock went", true) != "new" {
		t.Error("want new")
	}
}

func TestDamagedJournalIsPutAside(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	file := filepath.Join(l.Root(), ".git", "novel", "tx.json")
	if err := os.WriteFile(file, []byte("{\"version\": 1, \"pa"), 0o644); err != nil {
		t.Fatal(err)
	}
	notices := reopen(t, l.Root())
	if len(notices) != 1 || !strings.Contains(notices[0], "tx.json.bad") {
		t.Errorf("notices %q", notices)
	}
	put(t, l, map[string]string{"novels/雨夜灯/第02章.md": "二\n"})
	o.sound("")
}
