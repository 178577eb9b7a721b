package repo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/repo"
	"git-novel/schema"
)

// drafted is a library whose mirror of chapter 3 is in git with one segment, and has two more on disk.
func drafted(t *testing.T, notices *[]string) (*repo.Library, oracle) {
	t.Helper()
	l, o := library(t, ticking, func(op *repo.Options) {
		op.Notice = func(n schema.Text) { *notices = append(*notices, n.String()) }
	})
	put(t, l, map[string]string{"a.txt": "a"})
	draft(t, l, "3", strings.Repeat("甲", 100))
	draft(t, l, "3", "乙")
	draft(t, l, "3", "丙")
	if got := texts(t, l, "3"); got != "1 "+strings.Repeat("甲", 100)+"|2 乙|3 丙" {
		t.Fatal(got)
	}
	return l, o
}

func restore(t *testing.T, l *repo.Library) int {
	t.Helper()
	n, err := l.RestoreDrafts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRestoreDrafts(t *testing.T) {
	t.Parallel()
	first := "1 " + strings.Repeat("甲", 100)
	whole := first + "|2 乙|3 丙"
	rm := func(t *testing.T, l *repo.Library, p string) {
		t.Helper()
		if err := os.Remove(filepath.Join(l.Root(), filepath.FromSlash(p))); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		do   func(t *testing.T, l *repo.Library, o oracle)
		back int
		want string
	}{
		{"nothing happened", func(*testing.T, *repo.Library, oracle) {}, 0, whole},
		{"reset", func(_ *testing.T, _ *repo.Library, o oracle) { o.git("reset", "-q", "--hard") }, 2, whole},
		{"restore of the file", func(_ *testing.T, _ *repo.Library, o oracle) { o.git("checkout", "-q", "--", mirror03) }, 2, whole},
		{"reset to before the mirror", func(_ *testing.T, _ *repo.Library, o oracle) { o.git("reset", "-q", "--hard", "HEAD~1") }, 2, "1 乙|2 丙"},
		{"reset to before the mirror, deleted by hand", func(t *testing.T, l *repo.Library, o oracle) {
			rm(t, l, mirror03)
			o.git("reset", "-q", "--hard", "HEAD~1")
		}, 2, "1 乙|2 丙"},
		{"stash", func(_ *testing.T, _ *repo.Library, o oracle) { o.git("stash", "-q") }, 0, first},
		{"forced checkout and back", func(_ *testing.T, _ *repo.Library, o oracle) {
			o.git("checkout", "-q", "-f", "-b", "other", "HEAD~1")
			o.git("checkout", "-q", "main")
		}, 2, whole},
		{"deleted by hand", func(t *testing.T, l *repo.Library, _ oracle) { rm(t, l, mirror03) }, 0, ""},
		{"shortened by hand", func(t *testing.T, l *repo.Library, _ oracle) {
			s := disk(t, l, mirror03)
			edit(t, l, mirror03, s[:strings.Index(s, "## 第3段")])
		}, 0, first + "|2 乙"},
		{"committed with git", func(_ *testing.T, _ *repo.Library, o oracle) {
			o.git("commit", "-qam", "by hand")
			o.git("reset", "-q", "--hard", "HEAD~1")
			o.git("branch", "kept", "ORIG_HEAD")
		}, 0, first},
		{"committed with git and thrown away", func(_ *testing.T, _ *repo.Library, o oracle) {
			o.git("commit", "-qam", "by hand")
			o.git("reset", "-q", "--hard", "HEAD~1")
		}, 2, whole},
		{"committed and deleted with git", func(t *testing.T, l *repo.Library, o oracle) {
			o.git("commit", "-qam", "by hand")
			edit(t, l, mirror03, "")
			o.git("commit", "-qam", "away with it")
		}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var notices []string
			l, o := drafted(t, &notices)
			// A command before, and one more, which finds what the first has noted.
			if n := restore(t, l) + restore(t, l); n != 0 {
				t.Fatalf("%d restored before anything happened", n)
			}
			tt.do(t, l, o)
			if n := restore(t, l); n != tt.back {
				t.Errorf("%d restored, want %d", n, tt.back)
			}
			if got := texts(t, l, "3"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if (tt.back > 0) != (len(notices) > 0) {
				t.Errorf("notices %v", notices)
			}
			if n := restore(t, l); n != 0 {
				t.Errorf("restored again: %d", n)
			}
			if got := texts(t, l, "3"); got != tt.want {
				t.Errorf("the second look changed the mirror: %s", got)
			}
			if tt.back == 2 && tt.want == whole {
				if led := ledger(t, l, "第03章"); led.Segments != 3 || led.TotalChars != 102 || led.PendingChars != 2 || strings.Join(led.Pending, "") != "乙丙" {
					t.Errorf("%+v", led)
				}
			}
		})
	}
}

// What a person deleted stays deleted, also when git turns the mirror back afterwards.
func TestRestoreDraftsDeleted(t *testing.T) {
	t.Parallel()
	var notices []string
	l, o := drafted(t, &notices)
	s := disk(t, l, mirror03)
	edit(t, l, mirror03, s[:strings.Index(s, "## 第3段")])
	restore(t, l)
	o.git("reset", "-q", "--hard")
	if n := restore(t, l); n != 1 {
		t.Errorf("%d restored, want only the segment that was not deleted", n)
	}
	if got := texts(t, l, "3"); !strings.HasSuffix(got, "|2 乙") {
		t.Error(got)
	}
}

// The segments of a branch come back on it only.
func TestRestoreDraftsBranch(t *testing.T) {
	t.Parallel()
	var notices []string
	l, o := drafted(t, &notices)
	o.git("checkout", "-q", "-f", "-b", "other", "HEAD~1")
	if n := restore(t, l); n != 0 {
		t.Errorf("%d restored on another branch", n)
	}
	o.git("checkout", "-q", "main")
	if n := restore(t, l); n != 2 {
		t.Errorf("%d restored", n)
	}
}

// The next append restores too, and numbers go on.
func TestRestoreDraftsOnAppend(t *testing.T) {
	t.Parallel()
	var notices []string
	l, o := drafted(t, &notices)
	o.git("reset", "-q", "--hard")
	a := draft(t, l, "3", "丁")
	if a.Restored != 2 || a.Batch.Index != 4 || a.Batch.Pending != 3 {
		t.Errorf("%+v", a)
	}
	if got := texts(t, l, "3"); !strings.HasSuffix(got, "|2 乙|3 丙|4 丁") {
		t.Error(got)
	}
}

// An entry ends when git holds its segment, and the journal then goes.
func TestDraftJournalEnds(t *testing.T) {
	t.Parallel()
	var notices []string
	l, _ := drafted(t, &notices)
	journals := func() int {
		list, err := filepath.Glob(filepath.Join(l.OwnDir(), "drafts", "*.journal"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if journals() != 1 {
		t.Fatalf("%d journals", journals())
	}
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("save(雨夜灯 第03章): 起草\n")
		return repo.TakeDraft(tx, testBook, "第03章")
	})
	restore(t, l)
	if journals() != 0 {
		t.Error("the journal is still there")
	}
	if len(notices) != 0 {
		t.Errorf("notices %v", notices)
	}
}

// A line that a crash cut off costs nothing but itself.
func TestDraftJournalTorn(t *testing.T) {
	t.Parallel()
	var notices []string
	l, o := drafted(t, &notices)
	list, err := filepath.Glob(filepath.Join(l.OwnDir(), "drafts", "*.journal"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	f, err := os.OpenFile(list[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n{\"branch\":\"refs/heads/main\",\"book\":\"雨夜"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	draft(t, l, "3", "丁")
	o.git("reset", "-q", "--hard")
	if n := restore(t, l); n != 3 {
		t.Errorf("%d restored", n)
	}
}

func TestAppendMarker(t *testing.T) {
	t.Parallel()
	var notices []string
	l, _ := drafted(t, &notices)
	before := disk(t, l, ledger03)
	p, err := l.AppendMarker(context.Background(), testBook, "3", func(mirror []byte, at time.Time) []byte {
		return schema.FinalBlock(mirror, "第03章", "第03章.md", 3, "正文", at)
	})
	if err != nil || p != mirror03 {
		t.Fatal(p, err)
	}
	if got := disk(t, l, mirror03); !strings.Contains(got, "## 定稿落盘 · 第3章 · ") || strings.Contains(got, "正文\n") {
		t.Error(got)
	}
	if disk(t, l, ledger03) != before {
		t.Error("the ledger changed")
	}
	if a := draft(t, l, "3", "丁"); a.Batch.Index != 4 {
		t.Errorf("%+v", a)
	}
}

// TestDraftJournalQuiet: with nothing to do, a command after the first neither locks nor reads a journal's drafts.
func TestDraftJournalQuiet(t *testing.T) {
	t.Parallel()
	var notices []string
	l, _ := drafted(t, &notices)
	journal := ""
	dir := filepath.Join(l.OwnDir(), "drafts")
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if strings.HasSuffix(d.Name(), ".journal") {
			journal = filepath.Join(dir, d.Name())
		}
	}
	read := func() string {
		data, err := os.ReadFile(journal)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := read()
	restore(t, l) // the appends have noted the commit themselves
	if read() != before {
		t.Fatalf("journal is %q after %q", read(), before)
	}
	put(t, l, map[string]string{"b.txt": "b"})
	restore(t, l)
	noted := read()
	if !strings.HasPrefix(noted, before) || !strings.Contains(strings.TrimPrefix(noted, before), `"seen":`) {
		t.Fatalf("journal is %q after %q", noted, before)
	}
	lock := strings.TrimSuffix(journal, ".journal") + ".lock"
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	restore(t, l)
	if _, err := os.Stat(lock); err == nil || read() != noted {
		t.Error("a quiet journal was locked or written")
	}
	// A half line at the end, as a crash leaves it, is read the long way.
	if err := os.WriteFile(journal, []byte(noted+`{"branch":"refs/he`), 0o644); err != nil {
		t.Fatal(err)
	}
	restore(t, l)
	if got := texts(t, l, "3"); !strings.HasSuffix(got, "|2 乙|3 丙") {
		t.Errorf("got %s", got)
	}
}
