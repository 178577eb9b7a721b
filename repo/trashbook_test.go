package repo_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// moveFixture is a library with a book whose files are in every state that a file can be in.
func moveFixture(t *testing.T) string {
	t.Helper()
	l, o := library(t)
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("init(书库): x\n")
		if err := tx.TakeBlocks(); err != nil {
			return err
		}
		for p, s := range map[string]string{
			statePath: "{}\n", "novels/雨夜灯/第01章.md": "第一章。\n", "novels/雨夜灯/第02章.md": "第二章。\n",
			"novels/雨夜灯/第03章.md": "第三章。\n", "notes.txt": "笔记\n", "novels/雨夜灯-外传/第01章.md": "外传。\n",
		} {
			if err := tx.Write(p, []byte(s)); err != nil {
				return err
			}
		}
		return nil
	})
	edit(t, l, "novels/雨夜灯/第02章.md", "第二章，没有保存。\n")
	edit(t, l, "novels/雨夜灯/图/封面.txt", "没有跟踪\n")
	edit(t, l, "novels/雨夜灯/暂存.txt", "暂存了\n")
	edit(t, l, ".novel-writer/tmp/雨夜灯/0001/x.json", "忽略的\n")
	edit(t, l, ".novel-writer/tmp/x", "不是这本书的\n")
	edit(t, l, "notes.txt", "笔记，未暂存\n")
	o.git("add", "novels/雨夜灯/暂存.txt")
	o.git("rm", "-q", "--cached", "novels/雨夜灯/第03章.md")
	return l.Root()
}

func bookDirs() []string {
	return []string{"novels/雨夜灯", ".novel-writer/books/雨夜灯", ".novel-writer/tmp/雨夜灯"}
}

func trashBook(tx *repo.Tx) error {
	items, faults, err := tx.Library().Items(tx.Snapshot(), bookDirs(), nil)
	if err != nil || len(faults) > 0 {
		return fmt.Errorf("%v %w", faults, err)
	}
	_, err = repo.TrashItems(tx, repo.TrashInput{
		Name: "雨夜灯", Kind: schema.TrashBook, At: tx.Library().Now(), Message: "trash(雨夜灯): x\n\nNovel-Book: 雨夜灯\n",
	}, items)
	tx.MessageText("trash(雨夜灯): y\n")
	return err
}

func placeBook(tx *repo.Tx) error {
	tx.MessageText("restore(雪夜灯): x\n")
	for _, p := range []repo.Placed{
		{Path: ".novel-writer/books/雪夜灯/state.json", Mode: gitstore.ModeFile, Data: []byte("{}\n")},
		{Path: "novels/雪夜灯/第01章.md", Mode: gitstore.ModeExec, Data: []byte("一\n")},
		{
			Path: "novels/雪夜灯/第02章.md", Mode: gitstore.ModeFile, Data: []byte("二\n"), Edit: true, Work: []byte("二，没有保存\n"),
			WorkMode: gitstore.ModeExec,
		},
		{Path: "novels/雪夜灯/图/封面.txt", Mode: gitstore.ModeFile, Data: []byte("没有跟踪\n"), Untracked: true},
	} {
		if err := tx.Place(p); err != nil {
			return err
		}
	}
	return nil
}

// moves holds the two worlds of a role, like newCrash.
func moves(t *testing.T, role string) *crash {
	t.Helper()
	c := &crash{fixture: moveFixture(t), status: map[string]string{}}
	c.old = world(t, c.fixture)
	c.status[c.old] = oracle{t: t, dir: c.fixture}.git("status", "--porcelain")
	dir := c.copy(t)
	if killed, out := run(t, role, 0, dir); killed {
		t.Fatalf("the reference run was killed: %s", out)
	}
	c.new = world(t, dir)
	c.status[c.new] = oracle{t: t, dir: dir}.git("status", "--porcelain")
	if c.old == c.new {
		t.Fatal("the transition changes nothing")
	}
	return c
}

// TestCrashInBookMoves kills a deletion and a restore before every step, or before every third with -short.
func TestCrashInBookMoves(t *testing.T) {
	t.Parallel()
	needGit(t)
	for _, role := range []string{"trash", "place"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := moves(t, role)
			names := steps(t, role, c.copy(t))
			stride := 1
			if testing.Short() {
				stride = 3
			}
			seen := map[string]bool{}
			for at := 1; at <= len(names); at += stride {
				dir := c.copy(t)
				where := fmt.Sprintf("killed before step %d, %q", at, names[at-1])
				if killed, out := run(t, role, at, dir); !killed {
					t.Fatalf("%s: not killed: %s", where, out)
				}
				seen[c.settled(t, dir, where, false)] = true
			}
			if !seen["old"] || !seen["new"] {
				t.Errorf("outcomes %v: the steps do not cover both sides", seen)
			}
		})
	}
}

// TestFailureInBookMoves lets every operation fail once.
func TestFailureInBookMoves(t *testing.T) {
	t.Parallel()
	needGit(t)
	for role, fn := range map[string]func(*repo.Tx) error{"trash": trashBook, "place": placeBook} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := moves(t, role)
			names := steps(t, role, c.copy(t))
			for at := 1; at <= len(names); at++ {
				if strings.HasPrefix(names[at-1], "git ") {
					continue // the engine's own steps cannot fail by order
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
				_, err = l.Update(context.Background(), fn)
				l.Close()
				switch now := world(t, dir); {
				case err != nil && (now != c.old || !errors.Is(err, syscall.ENOSPC)):
					t.Errorf("step %q failed with %v, but not everything is old:\n%s", names[at-1], err, now)
				case err == nil && now != c.new:
					t.Errorf("step %q failed and Update did not say so:\n%s", names[at-1], now)
				}
			}
		})
	}
}

// TestPlacedEditsAreEdits: git itself sees the committed version, and the edit as one.
func TestPlacedEditsAreEdits(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	update(t, l, func(tx *repo.Tx) error { tx.MessageText("x\n"); return tx.TakeBlocks() })
	update(t, l, placeBook)
	if got := o.git("status", "--porcelain"); got != " M novels/雪夜灯/第02章.md\n?? novels/雪夜灯/图/\n" {
		t.Errorf("status:\n%s", got)
	}
	if got := o.git("show", "HEAD:novels/雪夜灯/第02章.md"); got != "二\n" {
		t.Errorf("committed: %q", got)
	}
	if got := disk(t, l, "novels/雪夜灯/第02章.md"); got != "二，没有保存\n" {
		t.Errorf("on disk: %q", got)
	}
	o.git("checkout", "--", ".")
	o.sound("?? novels/雪夜灯/图/\n")
}

// TestStagedVersionsAreNotLost: what is staged and nowhere else stops the move.
func TestStagedVersionsAreNotLost(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	put(t, l, map[string]string{statePath: "{}\n", "novels/雨夜灯/第01章.md": "一\n"})
	edit(t, l, "novels/雨夜灯/第01章.md", "只在暂存区\n")
	o.git("add", "novels/雨夜灯/第01章.md")
	edit(t, l, "novels/雨夜灯/第01章.md", "又一版\n")
	before := world(t, l.Root())
	if _, err := l.Update(context.Background(), trashBook); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("%v", err)
	}
	if now := world(t, l.Root()); now != before {
		t.Errorf("changed:\n%s", now)
	}
}
