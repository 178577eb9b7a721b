package repo_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
)

// The kinds of repository that people have: the same transition, and the same clean end.
func TestKindsOfRepository(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(l *repo.Library, o oracle) string{
		"plain": nil,
		"linked worktree": func(l *repo.Library, o oracle) string {
			dir := filepath.Join(filepath.Dir(l.Root()), "另一 棵树")
			o.git("worktree", "add", "-q", "-b", "side", dir)
			return dir
		},
		"worktreeConfig": func(_ *repo.Library, o oracle) string {
			o.git("config", "core.repositoryformatversion", "1")
			o.git("config", "extensions.worktreeConfig", "true")
			return ""
		},
		"index version 3": func(l *repo.Library, o oracle) string {
			edit(t, l, "intent.txt", "x")
			o.git("add", "-N", "intent.txt")
			return ""
		},
		"index version 4":  func(_ *repo.Library, o oracle) string { o.git("update-index", "--index-version", "4"); return "" },
		"untracked cache":  func(_ *repo.Library, o oracle) string { o.git("update-index", "--force-untracked-cache"); return "" },
		"packed":           func(_ *repo.Library, o oracle) string { o.git("gc", "-q"); return "" },
		"autocrlf":         func(_ *repo.Library, o oracle) string { o.git("config", "core.autocrlf", "true"); return "" },
		"branch in folder": func(_ *repo.Library, o oracle) string { o.git("checkout", "-q", "-b", "作者/草稿/一"); return "" },
		"unborn orphan": func(_ *repo.Library, o oracle) string {
			o.git("checkout", "-q", "--orphan", "new/one")
			return ""
		},
		"no reflogs": func(_ *repo.Library, o oracle) string { o.git("config", "core.logAllRefUpdates", "false"); return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, o := started(t)
			if setup != nil {
				if dir := setup(l, o); dir != "" {
					o.dir = dir
					var err error
					if l, err = repo.Open(context.Background(), dir, options(filepath.Dir(dir))); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(l.Close)
				} else {
					l = open(t, l.Root())
				}
			}
			before := o.git("status", "--porcelain")
			for _, text := range []string{"一\n", "二\n"} {
				update(t, l, func(tx *repo.Tx) error {
					tx.MessageText("save(雨夜灯): x\n")
					if err := tx.Write("novels/雨夜灯/第02章.md", []byte(text)); err != nil {
						return err
					}
					if err := tx.Write(".novel-writer/books/雨夜灯/chapters/0002/review.json", []byte(text)); err != nil {
						return err
					}
					_, err := tx.Take(chapter)
					return err
				})
			}
			if name == "unborn orphan" {
				before = strings.ReplaceAll(before, "A  \""+chapter+"\"\n", "")
			}
			o.sound(before)
			if got := o.git("show", "HEAD:novels/雨夜灯/第02章.md"); got != "二\n" {
				t.Errorf("HEAD has %q", got)
			}
			if left := leftovers(t, l.Root()); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			o.git("gc", "-q")
			o.sound(before)
		})
	}
}

// A repository that git packs under our feet is still read.
func TestOpenAcrossRepack(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	if _, err := l.Snapshot(); err != nil {
		t.Fatal(err)
	}
	o.git("commit", "-q", "--allow-empty", "-m", "x")
	o.git("repack", "-adq")
	o.git("prune-packed")
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if b, _, err := s.Read(chapter); err != nil || string(b) != "雨夜。\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// Two commands at once in two worktrees of one repository, one of them killed: the other one recovers for both.
func TestCrashInAnotherWorktree(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	names := steps(t, "transition", c.copy(t))
	main := c.copy(t)
	for at, name := range names {
		if name != "index" {
			continue
		}
		o := oracle{t: t, dir: main}
		side := filepath.Join(filepath.Dir(main), "side")
		o.git("worktree", "add", "-q", "-b", "side", side)
		if killed, _ := run(t, "transition", at+1, main); !killed {
			t.Fatal("not killed")
		}
		l, err := repo.Open(context.Background(), side, options(filepath.Dir(main)))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if got := strings.ReplaceAll(world(t, main), "refs/heads/side "+strings.TrimSpace(o.git("rev-parse", "side"))+"\n", ""); got != c.new {
			t.Errorf("the main worktree is not new:\n%s", got)
		}
		o.sound(c.status[c.new])
		if _, err := os.Stat(filepath.Join(side, "novels")); err != nil {
			t.Error(err)
		}
	}
}
