package repo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
)

const testBook = schema.BookName("雨夜灯")

// bookFiles is a book with these states; every chapter has a file, and every committed one a commit record.
func bookFiles(t testing.TB, order map[string]string, states ...string) map[string]string {
	t.Helper()
	s := schema.BookState{Book: string(testBook), Progress: schema.Progress{ChapterStatus: map[string]schema.State{}}}
	files := map[string]string{}
	for _, st := range states {
		id, word, _ := strings.Cut(st, "=")
		k := schema.KeyOfID(id)
		s.Progress.ChapterStatus[id] = schema.State("chapter_" + word)
		text := "正文 " + id + "\n"
		p := schema.ChapterPath(testBook, schema.ChapterFileName(k, "", 2))
		files[p] = text
		if n, ok := k.Number(); ok && word == "committed" {
			s.Progress.CurrentChapter = max(s.Progress.CurrentChapter, n)
		}
		if word == "committed" {
			files[schema.CommitPath(testBook, id)] = marshal(t, &schema.Commit{
				Schema: schema.SchemaCommit, Book: string(testBook), Chapter: id, Revision: 1, Status: "accepted", Origin: schema.OriginAdopted,
				Text: schema.Binding{Path: p, Blob: schema.HashBlob([]byte(text)), Chars: schema.UTF16Len(text)},
			})
		}
	}
	for k, v := range order {
		if s.Order == nil {
			s.Order = map[string]schema.Place{}
		}
		s.Order[k] = schema.Place{After: v}
	}
	files[schema.BookStatePath(testBook)] = marshal(t, &s)
	return files
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	b, err := schema.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func loadBook(t testing.TB, l *repo.Library) *repo.Book {
	t.Helper()
	snap, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := repo.LoadBook(l, snap, testBook)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// board renders what was found, one chapter a line.
func board(list []repo.Chapter) string {
	var out []string
	for _, c := range list {
		s := string(c.Key)
		if c.Title != "" && c.Title != string(c.Key) {
			s += " " + c.Title
		}
		s += ":" + strings.TrimPrefix(string(c.State), "chapter_")
		for flag, on := range map[string]bool{"missing": c.Missing, "edited": c.Edited, "duplicate": c.Duplicate} {
			if on {
				s += " " + flag
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "|")
}

func TestLoadBook(t *testing.T) {
	t.Parallel()
	l, o := library(t)
	put(t, l, bookFiles(t, map[string]string{"番外": "0001", "楔子": "0000"}, "0001=committed", "0002=committed", "番外=committed", "楔子=committed", "0010=drafted"))
	dir := schema.BookDir(testBook)
	edit(t, l, dir+"/第02章.md", "改过的正文\n")
	edit(t, l, dir+"/第0011章-雨夜.txt", "新的\n")
	edit(t, l, dir+"/笔记.txt", "买米\n")
	edit(t, l, dir+"/图/封面.png", "x")
	edit(t, l, dir+"/图/.git/HEAD", "x")
	if err := os.Remove(filepath.Join(l.Root(), dir, "番外.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(l.Root(), dir, "第10章.md"), filepath.Join(l.Root(), dir, "第010章 门.markdown")); err != nil {
		t.Fatal(err)
	}
	b := loadBook(t, l)
	if got, want := board(b.Chapters), "楔子:committed|第01章:committed|番外:committed missing|第02章:committed edited|第10章 门:drafted edited"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := board(b.Foreign), "第11章 雨夜: edited"; got != want {
		t.Errorf("foreign %s, want %s", got, want)
	}
	if got := strings.Join(b.Others, " "); got != "图/ 笔记.txt" {
		t.Errorf("others %s", got)
	}
	if b.Err() != nil {
		t.Error(b.Err())
	}
	c := b.Find("第10章")
	if c.Path != dir+"/第010章 门.markdown" || c.HeadPath != dir+"/第10章.md" || c.HeadBlob.String() != strings.TrimSpace(o.git("rev-parse", "HEAD:"+dir+"/第10章.md")) {
		t.Errorf("%+v", c)
	}
	if want := strings.TrimSpace(o.git("hash-object", dir+"/第02章.md")); b.Find("第02章").WorkBlob.String() != want {
		t.Errorf("blob %s, want %s", b.Find("第02章").WorkBlob, want)
	}
	if b.Find("第03章") != nil || len(b.FindForeign("第11章")) != 1 {
		t.Error("Find")
	}
	for _, key := range []schema.ChapterKey{"第01章", "第02章", "番外", "第10章", "第11章", "第99章"} {
		one, err := repo.LoadChapter(l, b.Snapshot(), testBook, key)
		if err != nil {
			t.Fatal(err)
		}
		want := repo.Chapter{Key: key, Number: -1}
		if c := b.Find(key); c != nil {
			want = *c
		} else if f := b.FindForeign(key); len(f) > 0 {
			want = *f[0]
		} else if n, ok := key.Number(); ok {
			want.Number = n
		}
		if fmt.Sprint(*one) != fmt.Sprint(want) {
			t.Errorf("%s alone: %+v\nin the book: %+v", key, *one, want)
		}
	}
}

func TestNewBook(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	put(t, l, bookFiles(t, nil, "0001=committed"))
	edit(t, l, "novels/新书/第一章 雨.md", "雨\n")
	edit(t, l, "novels/新书/笔记.txt", "买米\n")
	snap, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	b, err := repo.NewBook(l, snap, "新书")
	if err != nil || board(b.Foreign) != "第01章 雨: edited" || strings.Join(b.Others, "") != "笔记.txt" || len(b.Chapters) != 0 {
		t.Errorf("%+v %v", b, err)
	}
	if _, err := repo.NewBook(l, snap, testBook); schema.CodeOf(err) != schema.CodeConflict {
		t.Errorf("%v", err)
	}
	folders, err := l.Folders(snap)
	if err != nil || fmt.Sprint(folders) != "[新书]" {
		t.Errorf("%v %v", folders, err)
	}
	paths, err := l.ChapterPaths(snap, testBook, "第01章")
	if err != nil || fmt.Sprint(paths) != "[novels/雨夜灯/第01章.md]" {
		t.Errorf("%v %v", paths, err)
	}
}

func TestLoadBookDuplicates(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	put(t, l, bookFiles(t, nil, "0001=committed", "番外·A=committed"))
	dir := schema.BookDir(testBook)
	edit(t, l, dir+"/第1章 雨.txt", "另一份\n")
	edit(t, l, dir+"/番外·ａ.md", "另一份\n")
	edit(t, l, dir+"/第5章.md", "甲\n")
	edit(t, l, dir+"/第05章 乙.md", "乙\n")
	b := loadBook(t, l)
	var got []string
	for _, d := range b.Duplicates {
		got = append(got, fmt.Sprintf("%s %d", d.Key, len(d.Paths)))
	}
	if s := strings.Join(got, "|"); s != "第01章 2|第05章 2|番外·A 2" && s != "第01章 2|第05章 2|番外·ａ 2" {
		t.Error(s)
	}
	if c := b.Find("第01章"); !c.Duplicate || c.Path != dir+"/第01章.md" {
		t.Errorf("%+v", c)
	}
	var e *schema.Error
	if !errors.As(b.Err(), &e) || e.Code != schema.CodeInvalid || len(e.Details) != 3 {
		t.Errorf("%v", b.Err())
	}
}

func TestLoadBookLinks(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	put(t, l, bookFiles(t, nil, "0001=committed"))
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(l.Root(), schema.BookDir(testBook))
	for name, target := range map[string]string{"第02章.md": outside, "第03章.md": "第01章.md", "资料.png": outside, "旁白.png": "第01章.md"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here: " + err.Error())
		}
	}
	b := loadBook(t, l)
	var got []string
	for _, f := range b.Faults {
		got = append(got, filepath.Base(f.File))
	}
	if s := strings.Join(got, " "); s != "第02章.md 第03章.md 资料.png" || b.Err() == nil {
		t.Errorf("faults %s", s)
	}
	if len(b.Foreign) != 0 || strings.Join(b.Others, " ") != "旁白.png" {
		t.Errorf("foreign %v, others %v", b.Foreign, b.Others)
	}
	if _, err := repo.LoadChapter(l, b.Snapshot(), testBook, "第02章"); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("a question about a link: %v", err)
	}
}

func TestLoadBookRefuses(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	put(t, l, map[string]string{schema.BookStatePath(testBook): "{\n  \"book\": \"雨夜灯\",\n  \"progress\": {,\n}\n"})
	snap, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	_, err = repo.LoadBook(l, snap, testBook)
	if schema.CodeOf(err) != schema.CodeInvalid || !strings.Contains(err.Error(), "3") {
		t.Errorf("damaged: %v", err)
	}
	if _, err := repo.LoadBook(l, snap, "没有"); schema.CodeOf(err) != schema.CodeNotFound {
		t.Errorf("no book: %v", err)
	}
	books, err := repo.Books(snap)
	if err != nil || fmt.Sprint(books) != "[雨夜灯]" {
		t.Errorf("%v %v", books, err)
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	files := bookFiles(t, nil, "0001=committed", "0002=drafted")
	yes := true
	review := &schema.Review{
		Schema: schema.SchemaReview, Book: string(testBook), Chapter: "0002", Round: 2, Run: "r-1", Producer: "agent:reviewer", Depth: schema.DepthAgent,
		Binding: schema.BindingTask, Text: schema.Binding{Path: "novels/雨夜灯/第02章.md", Blob: schema.HashBlob([]byte("x")), Chars: 9},
		Dimensions: schema.Dimensions{
			schema.CategorySetting: 0, schema.CategoryTimeline: 0, schema.CategoryContinuity: 0, schema.CategoryCharacter: 0, schema.CategoryLogic: 1,
			schema.CategoryPacing: 1,
		},
		Issues: []schema.Issue{
			{ID: "r2-1", Severity: schema.SeverityHigh, Category: schema.CategoryLogic, Location: "第3段", Description: "说不通", Evidence: "原文", FixHint: "改", Blocking: true, Fact: &yes},
			{ID: "r2-2", Severity: schema.SeverityLow, Category: schema.CategoryPacing, Location: "第4段", Description: "慢", Evidence: "原文", FixHint: "删"},
		},
		IssuesCount: 2, Blocking: 1, HasBlocking: true, Summary: "一处阻断",
	}
	files[schema.ReviewPath(testBook, "0002")] = marshal(t, review)
	files[schema.OutlinePath(testBook, "0001")] = "{}\n"
	put(t, l, files)
	b := loadBook(t, l)
	e, err := b.Evidence(b.Find("第02章"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Damaged() || e.Review == nil || e.Review.OpenBlocking() != 1 || len(e.Review.Issues) != 1 || e.Review.Issues[0].Description != "" || e.Commit != nil {
		t.Errorf("%+v %v", e, e.Faults)
	}
	whole, err := b.Review(b.Find("第02章"))
	if err != nil || len(whole.Issues) != 2 || whole.Summary != "一处阻断" {
		t.Errorf("%+v %v", whole, err)
	}
	e, err = b.Evidence(b.Find("第01章"))
	if err != nil || !e.Commit.Adopted() || !e.Outline || e.Review != nil {
		t.Errorf("%+v %v", e, err)
	}
	if r, err := b.Review(b.Find("第01章")); r != nil || err != nil {
		t.Errorf("%v %v", r, err)
	}

	put(t, l, map[string]string{schema.ReviewPath(testBook, "0002"): "{\"round\": \"two\"}"})
	b = loadBook(t, l)
	if e, err = b.Evidence(b.Find("第02章")); err != nil || !e.Damaged() || e.Review != nil {
		t.Errorf("damaged: %+v %v", e, err)
	}
	if _, err := b.Review(b.Find("第02章")); schema.CodeOf(err) != schema.CodeInvalid {
		t.Errorf("damaged: %v", err)
	}
}

// The cache gives what the records say, and nothing when its file is broken.
func TestEvidenceCache(t *testing.T) {
	t.Parallel()
	l, _ := library(t)
	var states []string
	for n := range 100 {
		states = append(states, fmt.Sprintf("%04d=committed", n+1))
	}
	put(t, l, bookFiles(t, nil, states...))
	all := func() string {
		b := loadBook(t, l)
		list, err := b.AllEvidence()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, e := range list {
			fmt.Fprintf(&out, "%+v\n", *e.Commit)
		}
		return out.String()
	}
	first := all()
	file := filepath.Join(l.OwnDir(), "records.cache")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal("no cache was written: ", err)
	}
	if again := all(); again != first {
		t.Error("the cache gives other evidence")
	}
	for i := 0; i < len(data); i += len(data)/12 + 1 {
		broken := append([]byte(nil), data...)
		broken[i] ^= 0x55
		if err := os.WriteFile(file, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := all(); got != first {
			t.Fatalf("byte %d broken: other evidence", i)
		}
	}
	if err := os.WriteFile(file, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := all(); got != first {
		t.Error("half a cache: other evidence")
	}
}

func longBook(b *testing.B, n int) *repo.Library {
	b.Helper()
	l, _ := library(b)
	var states []string
	for i := range n {
		states = append(states, fmt.Sprintf("%04d=committed", i+1))
	}
	put(b, l, bookFiles(b, nil, states...))
	return l
}

func BenchmarkLoadBook(b *testing.B) {
	l := longBook(b, 9999)
	for _, evidence := range []bool{false, true} {
		b.Run(fmt.Sprintf("evidence=%v", evidence), func(b *testing.B) {
			for b.Loop() {
				fresh, err := repo.Open(b.Context(), l.Root(), options(filepath.Dir(l.Root())))
				if err != nil {
					b.Fatal(err)
				}
				book := loadBook(b, fresh)
				if evidence {
					if _, err := book.AllEvidence(); err != nil {
						b.Fatal(err)
					}
				}
				fresh.Close()
			}
		})
	}
	b.Run("one chapter", func(b *testing.B) {
		for b.Loop() {
			fresh, err := repo.Open(b.Context(), l.Root(), options(filepath.Dir(l.Root())))
			if err != nil {
				b.Fatal(err)
			}
			snap, err := fresh.Snapshot()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := repo.LoadChapter(fresh, snap, testBook, "第5000章"); err != nil {
				b.Fatal(err)
			}
			fresh.Close()
		}
	})
}

func BenchmarkAppendDraft(b *testing.B) {
	l, _ := library(b)
	for b.Loop() {
		draft(b, l, "3", strings.Repeat("雨", 60), func(in *repo.AppendInput) { in.Enter = schema.DraftTransition })
	}
}
