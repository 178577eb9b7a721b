package repo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

const chapter = "novels/雨夜灯/第01章 雨.md"

func TestFirstCommit(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	res := update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("init(书库): 新书库\n\nNovel-Book: 雨夜灯\n")
		if err := tx.TakeBlocks(); err != nil {
			return err
		}
		return tx.Write(chapter, []byte("雨夜。\n"))
	})
	if got := o.git("rev-parse", "HEAD"); got != res.Commit.String()+"\n" {
		t.Errorf("HEAD is %s, the result says %s", got, res.Commit)
	}
	if got, want := o.git("ls-files"), ".gitattributes\n.gitignore\n"+chapter+"\n"; got != want {
		t.Errorf("files:\n%swant:\n%s", got, want)
	}
	if got, want := o.git("log", "-1", "--format=%an <%ae> %aI|%s|%(trailers:key=Novel-Book,valueonly)"),
		"林晚 <lin@example.com> 2026-03-04T05:06:07+08:00|init(书库): 新书库|雨夜灯\n\n"; got != want {
		t.Errorf("log %q, want %q", got, want)
	}
	if got, want := o.git("reflog", "--format=%H %gs"), res.Commit.String()+" commit (initial): init(书库): 新书库\n"; got != want {
		t.Errorf("reflog %q, want %q", got, want)
	}
	o.sound("")
}

// started is a library with one chapter.
func started(t *testing.T, opts ...func(*repo.Options)) (*repo.Library, oracle) {
	t.Helper()
	l, o := library(t, opts...)
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("init(书库): x\n")
		if err := tx.TakeBlocks(); err != nil {
			return err
		}
		return tx.Write(chapter, []byte("雨夜。\n"))
	})
	return l, o
}

func TestNothingToDo(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	before := o.git("rev-parse", "HEAD")
	for name, fn := range map[string]func(tx *repo.Tx) error{
		"no call":     func(*repo.Tx) error { return nil },
		"same bytes":  func(tx *repo.Tx) error { return tx.Write(chapter, []byte("雨夜。\n")) },
		"remove none": func(tx *repo.Tx) error { return tx.Remove("novels/雨夜灯/第09章.md") },
		"take same":   func(tx *repo.Tx) error { _, err := tx.Take(chapter); return err },
	} {
		res := update(t, l, fn)
		if res.Changed || res.Commit.String()+"\n" != before || o.git("rev-parse", "HEAD") != before {
			t.Errorf("%s: %+v", name, res)
		}
	}
}

func TestErrorChangesNothing(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	before := world(t, l.Root())
	mine := schema.Errorf(schema.CodeRule, "refused")
	_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
		if err := tx.Write(chapter, []byte("不要\n")); err != nil {
			return err
		}
		return mine
	})
	if !errors.Is(err, mine) {
		t.Errorf("error %v, want the function's own", err)
	}
	if now := world(t, l.Root()); now != before {
		t.Errorf("changed:\n%s", now)
	}
	o.sound("")
}

// Every way in which a path may hold something that is nowhere else is refused by Write and Remove, byte for byte kept,
// and taken in by Take and Replace.
func TestUnsavedEdits(t *testing.T) {
	t.Parallel()
	write := func(tx *repo.Tx) error { return tx.Write(chapter, []byte("新文。\n")) }
	remove := func(tx *repo.Tx) error { return tx.Remove(chapter) }
	rename := func(tx *repo.Tx) error { return tx.Rename(chapter, "novels/雨夜灯/第01章 晴.md") }
	onto := func(tx *repo.Tx) error { return tx.Rename(chapter, "novels/雨夜灯/新.md") }
	for _, c := range []struct {
		name  string
		setup func(l *repo.Library, o oracle)
		do    func(tx *repo.Tx) error
		ok    bool
	}{
		{"edit, write", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") }, write, false},
		{"edit, remove", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") }, remove, false},
		{"edit, rename", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") }, rename, false},
		{"edit to the same, write", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "新文。\n") }, write, true},
		{"staged only, write", func(l *repo.Library, o oracle) {
			edit(t, l, chapter, "只在暂存区。\n")
			o.git("add", "-A")
			edit(t, l, chapter, "雨夜。\n")
		}, write, false},
		{"staged only, remove", func(l *repo.Library, o oracle) {
			edit(t, l, chapter, "只在暂存区。\n")
			o.git("add", "-A")
			edit(t, l, chapter, "雨夜。\n")
		}, remove, false},
		{"deleted, write", func(l *repo.Library, _ oracle) { _ = os.Remove(filepath.Join(l.Root(), chapter)) }, write, false},
		{"deleted, remove", func(l *repo.Library, _ oracle) { _ = os.Remove(filepath.Join(l.Root(), chapter)) }, remove, true},
		{"untracked in the way", func(l *repo.Library, _ oracle) { edit(t, l, "novels/雨夜灯/新.md", "别人的\n") }, onto, false},
		{
			"take", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") },
			func(tx *repo.Tx) error { _, err := tx.Take(chapter); return err }, true,
		},
		{"take over a staged version", func(l *repo.Library, o oracle) {
			edit(t, l, chapter, "暂存。\n")
			o.git("add", "-A")
			edit(t, l, chapter, "又改。\n")
		}, func(tx *repo.Tx) error { _, err := tx.Take(chapter); return err }, true},
		{
			"replace what was seen", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") },
			func(tx *repo.Tx) error {
				return tx.Replace(chapter, []byte("合。\n"), schema.HashBlob([]byte("改。\n")))
			}, true,
		},
		{
			"replace what was not seen", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") },
			func(tx *repo.Tx) error {
				return tx.Replace(chapter, []byte("合。\n"), schema.HashBlob([]byte("雨夜。\n")))
			}, false,
		},
		{
			"remove what was seen", func(l *repo.Library, _ oracle) { edit(t, l, chapter, "改。\n") },
			func(tx *repo.Tx) error { return tx.RemoveSeen(chapter, schema.HashBlob([]byte("改。\n"))) }, true,
		},
		{"intent to add", func(l *repo.Library, o oracle) {
			edit(t, l, "novels/雨夜灯/新.md", "打算\n")
			o.git("add", "-N", "novels/雨夜灯/新.md")
		}, func(tx *repo.Tx) error { _, err := tx.Take("novels/雨夜灯/新.md"); return err }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, o := started(t)
			c.setup(l, o)
			before := world(t, l.Root())
			_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
				tx.MessageText("save(雨夜灯): x\n")
				return c.do(tx)
			})
			if c.ok {
				if err != nil {
					t.Fatal(err)
				}
				o.sound("")
				return
			}
			if schema.CodeOf(err) != schema.CodeConflict {
				t.Errorf("error %v, want a conflict", err)
			}
			if now := world(t, l.Root()); now != before {
				t.Errorf("something changed:\n%s\nbefore:\n%s", now, before)
			}
			if left := leftovers(t, l.Root()); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// An edit that comes in while the command is at work is not overwritten either.
func TestEditDuringUpdate(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"write " + chapter, "journal content", "lock index"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			var l *repo.Library
			l, o := started(t)
			op := options(filepath.Dir(l.Root()))
			op.Failpoint = func(name string) error {
				if name == step {
					edit(t, l, chapter, "作者刚写的。\n")
				}
				return nil
			}
			again, err := repo.Open(context.Background(), l.Root(), op)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			_, err = again.Update(context.Background(), func(tx *repo.Tx) error {
				tx.MessageText("save(雨夜灯): x\n")
				if err := tx.Write(".novel-writer/a.json", []byte("{}\n")); err != nil {
					return err
				}
				return tx.Write(chapter, []byte("程序的。\n"))
			})
			if schema.CodeOf(err) != schema.CodeConflict {
				t.Errorf("error %v, want a conflict", err)
			}
			if got := disk(t, l, chapter); got != "作者刚写的。\n" {
				t.Errorf("the author's edit became %q", got)
			}
			o.sound(" M \"" + chapter + "\"\n")
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(l *repo.Library, o oracle){
		"detached": func(_ *repo.Library, o oracle) { o.git("checkout", "-q", "--detach") },
		"merge": func(l *repo.Library, o oracle) {
			o.git("checkout", "-q", "-b", "other")
			edit(t, l, chapter, "甲。\n")
			o.git("commit", "-q", "-am", "a")
			o.git("checkout", "-q", "main")
			edit(t, l, chapter, "乙。\n")
			o.git("commit", "-q", "-am", "b")
			_, _ = o.try("-c", "merge.novel.driver=false", "merge", "other")
		},
		"bisect":          func(_ *repo.Library, o oracle) { o.git("bisect", "start") },
		"index.lock":      func(l *repo.Library, _ oracle) { edit(t, l, ".git/index.lock", "") },
		"HEAD.lock":       func(l *repo.Library, _ oracle) { edit(t, l, ".git/HEAD.lock", "") },
		"refs/heads/main": func(l *repo.Library, _ oracle) { edit(t, l, ".git/refs/heads/main.lock", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, o := started(t, func(o *repo.Options) { o.Wait = -1 })
			setup(l, o)
			before := world(t, l.Root())
			_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
				tx.MessageText("save(雨夜灯): x\n")
				return tx.Write("novels/雨夜灯/第02章.md", []byte("二\n"))
			})
			if schema.CodeOf(err) != schema.CodeConflict {
				t.Errorf("error %v, want a conflict", err)
			}
			if now := world(t, l.Root()); now != before {
				t.Errorf("changed:\n%s", now)
			}
			for _, lock := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
				_, err := os.Stat(filepath.Join(l.Root(), ".git", filepath.FromSlash(lock)))
				if mine := strings.HasPrefix(lock, name); mine != (err == nil) {
					t.Errorf("%s: there %v, want %v", lock, err == nil, mine)
				}
			}
		})
	}
}

// An identity is needed for a commit and for nothing else.
func TestNoIdentity(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	op := options(filepath.Dir(l.Root()))
	op.Env.Getenv = func(k string) string { return map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}[k] }
	again, err := repo.Open(context.Background(), l.Root(), op)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	_, err = again.Update(context.Background(), func(tx *repo.Tx) error {
		tx.MessageText("save(雨夜灯): x\n")
		return tx.Write(chapter, []byte("x\n"))
	})
	if schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("error %v, want usage", err)
	}
	if res, err := again.Update(context.Background(), func(tx *repo.Tx) error { return tx.Write(chapter, []byte("雨夜。\n")) }); err != nil || res.Changed {
		t.Errorf("nothing to commit: %+v, %v", res, err)
	}
	o.sound("")
}

func TestPathsAreConfined(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("秘密\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(l.Root(), "novels", "雨夜灯", "第02章.md")); err != nil {
		t.Skip("no symlinks here:", err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(l.Root(), "novels", "链接")); err != nil {
		t.Fatal(err)
	}
	before := world(t, l.Root())
	for _, p := range []string{
		"", ".", "/etc/passwd", "../x", "novels/../../x", "novels//x", ".git/config", "novels/.GIT/x", "novels/git~1/x",
		"novels/.git. /x", "novels\\x", "novels/a\x00b", "novels/雨夜灯/第02章.md", "novels/链接/secret.md", "novels/链接/new.md",
	} {
		if _, err := l.ReadFile(p); err == nil {
			t.Errorf("%q was read", p)
		}
		for _, do := range []func(tx *repo.Tx) error{
			func(tx *repo.Tx) error { return tx.Write(p, []byte("x")) },
			func(tx *repo.Tx) error { _, err := tx.Take(p); return err },
			func(tx *repo.Tx) error { return tx.Rename(chapter, p) },
			func(tx *repo.Tx) error { return tx.WriteUntracked(p, []byte("x")) },
		} {
			_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
				tx.MessageText("save(雨夜灯): x\n")
				return do(tx)
			})
			if err == nil {
				t.Errorf("%q was written or taken", p)
			}
		}
	}
	if now := world(t, l.Root()); now != before {
		t.Errorf("changed:\n%s", now)
	}
	if b, _ := os.ReadFile(outside); string(b) != "秘密\n" {
		t.Errorf("the file outside became %q", b)
	}
	_ = o
}

func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	l, _ := started(t)
	big := make([]byte, repo.MaxFile+1)
	edit(t, l, "novels/雨夜灯/大.md", string(big))
	if _, err := l.ReadFile("novels/雨夜灯/大.md"); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("read: %v", err)
	}
	_, err := l.Update(context.Background(), func(tx *repo.Tx) error { return tx.Write("novels/雨夜灯/也大.md", big) })
	if schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("write: %v", err)
	}
}

func TestSidesAndRefs(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	head, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	res := update(t, l, func(tx *repo.Tx) error { return tx.Ref("refs/tags/novel/x/0001/r1", schema.OID{}, head.Commit()) })
	if !res.Changed || res.Commit != head.Commit() {
		t.Errorf("a tag alone: %+v", res)
	}
	if got := o.git("rev-parse", "refs/tags/novel/x/0001/r1"); got != head.Commit().String()+"\n" {
		t.Errorf("tag at %s", got)
	}
	_, err = l.Update(context.Background(), func(tx *repo.Tx) error {
		tx.MessageText("trash(雨夜灯): x\n")
		if err := tx.Remove(chapter); err != nil {
			return err
		}
		return tx.Ref("refs/tags/novel/x/0001/r1", schema.OID{}, tx.Snapshot().Commit())
	})
	if schema.CodeOf(err) != schema.CodeConflict || disk(t, l, chapter) != "雨夜。\n" {
		t.Errorf("a tag that exists: %v", err)
	}
	res = update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("trash(雨夜灯): x\n")
		if err := tx.Remove(chapter); err != nil {
			return err
		}
		return tx.Side("refs/heads/trash/x", func(_ *gitstore.Batch, h *repo.Snapshot) (*gitstore.Commit, error) {
			return &gitstore.Commit{Tree: h.Tree(), Parents: []schema.OID{h.Commit()}, Message: "trash(雨夜灯): 全部\n"}, nil
		})
	})
	if got := o.git("show", "trash/x:"+chapter); got != "雨夜。\n" {
		t.Errorf("the trash branch holds %q", got)
	}
	if id := res.Sides["refs/heads/trash/x"]; o.git("rev-parse", "trash/x") != id.String()+"\n" {
		t.Errorf("the result names %s", id)
	}
	o.sound("")
}

func TestUntracked(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	update(t, l, func(tx *repo.Tx) error {
		return tx.WriteUntracked("novels/雨夜灯/素材/图 1.txt", []byte("图\n"))
	})
	o.sound("?? novels/雨夜灯/素材/\n")
	before := o.git("rev-parse", "HEAD")
	update(t, l, func(tx *repo.Tx) error {
		return tx.RemoveSeen("novels/雨夜灯/素材/图 1.txt", schema.HashBlob([]byte("图\n")))
	})
	o.sound("")
	if o.git("rev-parse", "HEAD") != before {
		t.Error("a commit was made for files that git does not track")
	}
	if _, err := os.Stat(filepath.Join(l.Root(), "novels", "雨夜灯", "素材")); err == nil {
		t.Error("the empty folder stays")
	}
}

func TestTxReadsItsOwnWrites(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("save(雨夜灯): x\n")
		if err := tx.Write("a.txt", []byte("1")); err != nil {
			return err
		}
		if err := tx.Write("a.txt", []byte("2")); err != nil {
			return err
		}
		if got, err := tx.Read("a.txt"); err != nil || string(got) != "2" {
			t.Errorf("read %q, %v", got, err)
		}
		if err := tx.Rename("a.txt", "b.txt"); err != nil {
			return err
		}
		if _, err := tx.Read("a.txt"); schema.CodeOf(err) != schema.CodeNotFound {
			t.Errorf("after the rename: %v", err)
		}
		if err := tx.Remove(chapter); err != nil {
			return err
		}
		return tx.Write(chapter, []byte("又来。\n"))
	})
	if got := o.git("ls-files", "b.txt", "a.txt", "novels"); got != "b.txt\n"+chapter+"\n" {
		t.Errorf("files %q", got)
	}
	o.sound("")
}

// A path cannot be a file and a folder at once, whoever made the other one.
func TestFileAgainstFolder(t *testing.T) {
	t.Parallel()
	l, o := started(t)
	edit(t, l, "untracked", "x\n")
	edit(t, l, "folder/x", "x\n")
	before := world(t, l.Root())
	for _, p := range []string{chapter + "/x", "novels/雨夜灯", "novels", "untracked/x", "folder"} {
		_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
			tx.MessageText("save(雨夜灯): x\n")
			return tx.Write(p, []byte("y\n"))
		})
		if err == nil {
			t.Errorf("%s was written", p)
		}
		if now := world(t, l.Root()); now != before {
			t.Fatalf("%s: changed:\n%s", p, now)
		}
	}
	if left := leftovers(t, l.Root()); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	o.sound("?? folder/\n?? untracked\n")
}
