package repo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

// merging is a library in a merge with one conflict, one file merged by git, one added and one deleted by the other side.
func merging(t *testing.T) (*repo.Library, oracle) {
	t.Helper()
	l, o := started(t)
	put(t, l, map[string]string{"both.txt": "1\n2\n3\n4\n5\n6\n7\n8\n", "gone.txt": "x\n"})
	o.git("checkout", "-q", "-b", "other")
	edit(t, l, chapter, "甲。\n")
	edit(t, l, "both.txt", "1\n2\n3\n4\n5\n6\n7\n8乙\n")
	edit(t, l, "theirs.txt", "新\n")
	o.git("rm", "-q", "gone.txt")
	o.git("add", "-A")
	o.git("commit", "-q", "-m", "theirs")
	o.git("checkout", "-q", "main")
	edit(t, l, chapter, "丙。\n")
	edit(t, l, "both.txt", "甲1\n2\n3\n4\n5\n6\n7\n8\n")
	o.git("add", "-A")
	o.git("commit", "-q", "-m", "ours")
	edit(t, l, ".git/info/attributes", "novels/** merge\n") // git's own merge, whatever is on PATH
	if _, err := o.try("merge", "other"); err == nil {
		t.Fatal("the merge had no conflict")
	}
	edit(t, l, "新 文件.txt", "未跟踪\n")
	return l, o
}

func conclude(tx *repo.Tx) error {
	tx.MessageText("merge(雨夜灯): 合并 other\n")
	work, err := tx.Library().FileBlob(chapter)
	if err != nil {
		return err
	}
	return tx.Replace(chapter, []byte("甲。\n丙。\n"), work)
}

func merged(t *testing.T, o oracle) {
	t.Helper()
	if got := o.git("log", "-1", "--format=%s|%p"); !strings.HasPrefix(got, "merge(雨夜灯): 合并 other|") || strings.Count(strings.TrimSpace(got), " ") != 3 {
		t.Errorf("log %q", got)
	}
	if got := o.git("show", "HEAD:both.txt"); got != "甲1\n2\n3\n4\n5\n6\n7\n8乙\n" {
		t.Errorf("both.txt is %q", got)
	}
	if got := o.git("ls-tree", "-r", "--name-only", "HEAD"); strings.Contains(got, "gone.txt") || !strings.Contains(got, "theirs.txt") {
		t.Errorf("tree %q", got)
	}
	if _, err := os.Stat(filepath.Join(o.dir, ".git", "MERGE_HEAD")); err == nil {
		t.Error("MERGE_HEAD is still there")
	}
	o.sound("?? \"新 文件.txt\"\n")
}

func TestMergeIsConcluded(t *testing.T) {
	t.Parallel()
	l, o := merging(t)
	ctx := context.Background()
	if _, err := l.UpdateMerge(ctx, func(tx *repo.Tx) error { tx.MessageText("x"); return nil }); schema.CodeOf(err) != schema.CodeConflict ||
		!strings.Contains(err.Error(), chapter) {
		t.Errorf("an open conflict: %v", err)
	}
	if _, err := l.UpdateMerge(ctx, conclude); err != nil {
		t.Fatal(err)
	}
	merged(t, o)
	if _, err := l.UpdateMerge(ctx, conclude); schema.CodeOf(err) != schema.CodeConflict || !strings.Contains(err.Error(), "no merge") {
		t.Errorf("without a merge: %v", err)
	}
}

// A conflict may be settled with our own side's text, or by deleting the file.
func TestMergeSettledLikeOurs(t *testing.T) {
	t.Parallel()
	for name, settle := range map[string]func(tx *repo.Tx, work schema.OID) error{
		"ours":   func(tx *repo.Tx, work schema.OID) error { return tx.Replace(chapter, []byte("丙。\n"), work) },
		"delete": func(tx *repo.Tx, work schema.OID) error { return tx.RemoveSeen(chapter, work) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, o := merging(t)
			_, err := l.UpdateMerge(context.Background(), func(tx *repo.Tx) error {
				tx.MessageText("merge(雨夜灯): 合并 other\n")
				work, err := l.FileBlob(chapter)
				if err != nil {
					return err
				}
				return settle(tx, work)
			})
			if err != nil {
				t.Fatal(err)
			}
			merged(t, o)
		})
	}
}

func TestMergeCrash(t *testing.T) {
	t.Parallel()
	l, o := merging(t)
	before, old := files(t, l.Root()), o.git("rev-parse", "HEAD")
	c := &crash{fixture: l.Root()}
	names := steps(t, "merge", c.copy(t))
	stripes(t, len(names), func(t *testing.T, at int) {
		dir := c.copy(t)
		where := fmt.Sprintf("killed before step %d, %q", at, names[at-1])
		if killed, out := run(t, "merge", at, dir); !killed {
			t.Fatalf("%s: not killed: %s", where, out)
		}
		run(t, "recover", 0, dir)
		o := oracle{t: t, dir: dir}
		if o.git("rev-parse", "HEAD") == old {
			if got := files(t, dir); got != before {
				t.Errorf("%s: the files became\n%s", where, got)
			}
			if _, err := o.try("rev-parse", "-q", "--verify", "MERGE_HEAD"); err != nil {
				t.Errorf("%s: the merge is gone", where)
			}
			if got := o.git("ls-files", "--unmerged"); strings.Count(got, "\n") != 3 {
				t.Errorf("%s: conflicts %q", where, got)
			}
		} else {
			merged(t, o)
		}
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("%s: left behind %q", where, left)
		}
	})
}
