package repo_test

import (
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

func summary(chapter, text string) schema.SummaryEntry {
	return schema.SummaryEntry{Chapter: chapter, Summary: text, UpdatedAt: "2026-09-13T02:11:07.412Z"}
}

func putSummary(t testing.TB, l *repo.Library, list ...schema.SummaryEntry) string {
	t.Helper()
	kept := ""
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("summary(雨夜灯): 测试\n")
		for _, e := range list {
			k, err := repo.PutSummary(tx, testBook, e)
			if err != nil {
				return err
			}
			kept += k
		}
		return nil
	})
	return kept
}

func summaries(t testing.TB, l *repo.Library) string {
	t.Helper()
	f, err := l.Summaries(testBook)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range f.Entries {
		out = append(out, e.Chapter+" "+e.Summary)
	}
	return strings.Join(out, "|")
}

const summariesPath = ".novel-writer/summaries/雨夜灯.json"

func TestSummaries(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	if got := summaries(t, l); got != "" {
		t.Error(got)
	}
	putSummary(t, l, summary("10", "十"), summary("番外·雨夜", "外"), summary("第02章.md", "二"))
	if got := summaries(t, l); got != "第02章 二|第10章 十|番外·雨夜 外" {
		t.Error(got)
	}
	putSummary(t, l, summary("第二章", "新二"))
	if got := summaries(t, l); got != "第02章 新二|第10章 十|番外·雨夜 外" {
		t.Error(got)
	}
	want, err := schema.RenderSummaries(testBook, []schema.SummaryEntry{summary("2", "新二"), summary("10", "十"), summary("番外·雨夜", "外")})
	if err != nil {
		t.Fatal(err)
	}
	if got := disk(t, l, summariesPath); got != string(want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	update(t, l, func(tx *repo.Tx) error {
		tx.MessageText("summary(雨夜灯): 删除\n")
		_, err := repo.DeleteSummary(tx, testBook, "10")
		return err
	})
	if got := summaries(t, l); got != "第02章 新二|番外·雨夜 外" {
		t.Error(got)
	}
	before := o.git("rev-parse", "HEAD")
	_, err = l.Update(t.Context(), func(tx *repo.Tx) error {
		_, err := repo.DeleteSummary(tx, testBook, "10")
		return err
	})
	if schema.CodeOf(err) != schema.CodeNotFound || err.Error() != "尚未保存 第10章 的摘要，无需删除" {
		t.Errorf("%v", err)
	}
	if o.git("rev-parse", "HEAD") != before {
		t.Error("a refused delete made a commit")
	}
}

// The author's own edit of the file is taken in; a damaged file reads as empty and its bytes stay in git.
func TestSummariesEdited(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	putSummary(t, l, summary("1", "一"), summary("2", "二"))
	edit(t, l, summariesPath, strings.Replace(disk(t, l, summariesPath), "一", "手改的一", 1))
	if kept := putSummary(t, l, summary("3", "三")); kept != "" {
		t.Errorf("kept %s", kept)
	}
	if got := summaries(t, l); got != "第01章 手改的一|第02章 二|第03章 三" {
		t.Error(got)
	}
	const bad = "{\"book\": \"雨夜灯\", \"summaries\": [半截"
	edit(t, l, summariesPath, bad)
	f, err := l.Summaries(testBook)
	if err != nil || !f.Damaged || len(f.Entries) != 0 {
		t.Errorf("%+v %v", f, err)
	}
	kept := putSummary(t, l, summary("4", "四"))
	if kept == "" {
		t.Fatal("the damaged file was not kept")
	}
	if got := o.git("show", kept+":"+summariesPath); got != bad {
		t.Errorf("kept %q", got)
	}
	if got := summaries(t, l); got != "第04章 四" {
		t.Error(got)
	}

	// A damaged file that is in git already needs no second copy.
	put(t, l, map[string]string{summariesPath: "null"})
	if kept := putSummary(t, l, summary("5", "五")); kept != "" {
		t.Errorf("kept %s", kept)
	}
	o.sound("?? .gitattributes\n?? .gitignore\n")
}
