package repo_test

import (
	"testing"

	"git-novel/repo"
)

func TestFirstCommit(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	res := update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("init(书库): 新书库\n\nNovel-Book: 雨夜灯\n")
		if err := tx.TakeBlocks(); err != nil {
			return err
		}
		return tx.Write("novels/雨夜灯/第01章 雨.md", []byte("雨夜。\n"))
	})
	if got := o.git("rev-parse", "HEAD"); got != res.Commit.String()+"\n" {
		t.Errorf("HEAD is %s, the result says %s", got, res.Commit)
	}
	if got, want := o.git("ls-files"), ".gitattributes\n.gitignore\nnovels/雨夜灯/第01章 雨.md\n"; got != want {
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
