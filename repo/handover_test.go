package repo_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

func hook(t *testing.T, dir, name, body string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs shell hooks")
	}
	file := filepath.Join(dir, ".git", "hooks", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
}

// foreign lists repositories that the native engine does not write, each with what proves that git did the work.
func foreign() map[string]struct {
	setup func(t *testing.T, dir string, o oracle)
	proof func(t *testing.T, dir string, o oracle)
} {
	type row = struct {
		setup func(t *testing.T, dir string, o oracle)
		proof func(t *testing.T, dir string, o oracle)
	}
	return map[string]row{
		"hooks": {
			func(t *testing.T, dir string, _ oracle) {
				hook(t, dir, "pre-commit", "git diff --cached --name-only >\"$(git rev-parse --git-dir)/ran\"\n")
				hook(t, dir, "commit-msg", "echo 'Hook-Trailer: 有' >>\"$1\"\n")
			},
			func(t *testing.T, dir string, o oracle) {
				ran, err := os.ReadFile(filepath.Join(dir, ".git", "ran"))
				if err != nil || strings.Contains(string(ran), "staged.txt") || !strings.Contains(string(ran), "state.json") {
					t.Errorf("pre-commit saw %q, %v", ran, err)
				}
				if got := o.git("log", "-1", "--format=%(trailers:key=Hook-Trailer,valueonly)"); got != "有\n\n" {
					t.Errorf("commit-msg left %q", got)
				}
			},
		},
		"split index": {
			func(_ *testing.T, _ string, o oracle) { o.git("update-index", "--split-index") },
			func(*testing.T, string, oracle) {},
		},
		"filter": {
			func(_ *testing.T, dir string, o oracle) {
				o.git("config", "filter.up.clean", "tr a-z A-Z")
				o.git("config", "filter.up.smudge", "tr A-Z a-z")
				if err := os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o755); err != nil {
					panic(err)
				}
				if err := os.WriteFile(filepath.Join(dir, ".git", "info", "attributes"), []byte("*.json filter=up\n"), 0o644); err != nil {
					panic(err)
				}
			},
			func(t *testing.T, _ string, o oracle) {
				if got := o.git("show", "HEAD:"+newPath); got != "{\"REVIEW\": 1}\n" {
					t.Errorf("the filter made %q", got)
				}
			},
		},
	}
}

func TestHandOver(t *testing.T) {
	t.Parallel()
	for name, row := range foreign() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := crashFixture(t)
			o := oracle{t: t, dir: dir}
			row.setup(t, dir, o)
			run(t, "transition+git", 0, dir)
			row.proof(t, dir, o)
			if got := o.git("log", "-1", "--format=%s|%an|%P"); !strings.HasPrefix(got, "review(雨夜灯 第03章): 第2轮 0 阻断|林晚|") {
				t.Errorf("log %q", got)
			}
			if got := o.git("rev-parse", "trash/雨夜灯-1", "novel/book/0003/r1"); strings.Count(got, "\n") != 2 {
				t.Errorf("refs %q", got)
			}
			if got := o.git("status", "--porcelain"); got != clutter {
				t.Errorf("status\n%s\nwant\n%s", got, clutter)
			}
			if out, err := o.try("fsck", "--strict", "--no-dangling"); err != nil || out != "" {
				t.Errorf("fsck %s %v", out, err)
			}
			if left := leftovers(t, dir); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// clutter is git's status of the author's own things in the crash fixture, before and after.
const clutter = "D  cached.txt\nD  gone.txt\n A intent.txt\n M notes.txt\nMM staged.txt\n?? cached.txt\n?? \"新 文件.txt\"\n"

func TestHandOverNeedsGit(t *testing.T) {
	t.Parallel()
	for name, row := range foreign() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := crashFixture(t)
			row.setup(t, dir, oracle{t: t, dir: dir})
			before := files(t, dir)
			l, err := repo.Open(context.Background(), dir, options(filepath.Dir(dir)))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			_, err = l.Update(context.Background(), transition)
			if schema.CodeOf(err) != schema.CodeGit || !strings.Contains(err.Error(), "needs the git program") {
				t.Errorf("error %v", err)
			}
			if now := files(t, dir); now != before {
				t.Errorf("changed:\n%s", now)
			}
			if left := leftovers(t, dir); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// A hook that says no, or that changes what is committed, changes nothing and is heard.
func TestHandOverRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ hook, body, want string }{
		"refused": {"pre-commit", "echo '不许 提交' >&2; exit 1\n", "不许 提交"},
		"silent":  {"commit-msg", "exit 3\n", "exit code"},
		"adds":    {"pre-commit", "echo x >novels/extra.md; git add novels/extra.md\n", "novels/extra.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, o := started(t, withGit)
			hook(t, l.Root(), c.hook, c.body)
			head := o.git("rev-parse", "HEAD")
			_, err := l.Update(context.Background(), func(tx *repo.Tx) error {
				tx.MessageText("save(雨夜灯): x\n")
				if err := tx.Write("novels/雨夜灯/第02章.md", []byte("二\n")); err != nil {
					return err
				}
				return tx.Write(chapter, []byte("改\n"))
			})
			if schema.CodeOf(err) != schema.CodeGit || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
			if now := o.git("rev-parse", "HEAD"); now != head {
				t.Errorf("HEAD moved")
			}
			if got := disk(t, l, chapter); got != "雨夜。\n" {
				t.Errorf("the chapter became %q", got)
			}
			want := ""
			if name == "adds" {
				want = "?? novels/extra.md\n"
			}
			o.sound(want)
			if left := leftovers(t, l.Root()); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestSigned(t *testing.T) {
	t.Parallel()
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("ssh-keygen is not on PATH, and this test signs with it")
	}
	l, o := started(t, withGit)
	key := filepath.Join(filepath.Dir(l.Root()), "key")
	if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	o.git("config", "gpg.format", "ssh")
	o.git("config", "user.signingKey", key)
	o.git("config", "commit.gpgSign", "true")
	l = open(t, l.Root(), withGit)
	put(t, l, map[string]string{chapter: "改。\n"})
	if got := o.git("cat-file", "commit", "HEAD"); !strings.Contains(got, "gpgsig -----BEGIN SSH SIGNATURE-----") {
		t.Errorf("no signature:\n%s", got)
	}
	o.sound("")

	o.git("config", "user.signingKey", key+"-lost")
	l = open(t, l.Root(), withGit)
	before := world(t, l.Root())
	_, err = l.Update(context.Background(), func(tx *repo.Tx) error {
		tx.MessageText("save(雨夜灯): x\n")
		return tx.Write(chapter, []byte("又改。\n"))
	})
	if schema.CodeOf(err) != schema.CodeGit || !strings.Contains(err.Error(), "could not sign") {
		t.Errorf("error %v", err)
	}
	if now := world(t, l.Root()); now != before {
		t.Errorf("changed:\n%s", now)
	}
}

func TestHandOverCrash(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs SIGKILL")
	}
	needGit(t)
	for name, row := range foreign() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &crash{fixture: crashFixture(t), status: map[string]string{}}
			row.setup(t, c.fixture, oracle{t: t, dir: c.fixture})
			before := files(t, c.fixture)
			ref := c.copy(t)
			names := steps(t, "transition+git", ref)
			after := files(t, ref)
			for at := 1; at <= len(names); at++ {
				if strings.HasPrefix(names[at-1], "git objects") || strings.HasPrefix(names[at-1], "claim") {
					continue
				}
				dir := c.copy(t)
				where := fmt.Sprintf("killed before step %d, %q", at, names[at-1])
				if killed, out := run(t, "transition+git", at, dir); !killed {
					t.Fatalf("%s: not killed: %s", where, out)
				}
				run(t, "recover+git", 0, dir)
				o := oracle{t: t, dir: dir}
				subject := o.git("log", "-1", "--format=%s")
				want := before
				if strings.HasPrefix(subject, "review") {
					want = after
				}
				if got := files(t, dir); got != want {
					t.Errorf("%s: HEAD is %q but the files are\n%s", where, subject, got)
				}
				status := clutter
				if want == before {
					status = "D  cached.txt\nD  gone.txt\n A intent.txt\n M notes.txt\nMM staged.txt\n M \"" + takenPath + "\""
				}
				if got := o.git("status", "--porcelain"); want == after && got != status {
					t.Errorf("%s: status\n%swant\n%s", where, got, status)
				}
				if left := leftovers(t, dir); len(left) > 0 {
					t.Errorf("%s: left behind: %q", where, left)
				}
			}
		})
	}
}

// A file that a filter has changed on its way into git is no unsaved edit.
func TestFilteredFileIsSaved(t *testing.T) {
	t.Parallel()
	dir := crashFixture(t)
	foreign()["filter"].setup(t, dir, oracle{t: t, dir: dir})
	run(t, "transition+git", 0, dir)
	l := open(t, dir, withGit)
	put(t, l, map[string]string{newPath: "{\"review\": 2}\n"})
	o := oracle{t: t, dir: dir}
	if got := o.git("show", "HEAD:"+newPath); got != "{\"REVIEW\": 2}\n" {
		t.Errorf("HEAD has %q", got)
	}
	edit(t, l, newPath, "{\"review\": 3}\n")
	_, err := l.Update(context.Background(), func(tx *repo.Tx) error { return tx.Write(newPath, []byte("{}\n")) })
	if err == nil || disk(t, l, newPath) != "{\"review\": 3}\n" {
		t.Errorf("an edit of it was overwritten: %v", err)
	}
}
