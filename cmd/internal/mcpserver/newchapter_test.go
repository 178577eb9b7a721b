package mcpserver_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"git-novel/schema"
)

const newChapterTool = "novel_new_chapter"

// TestNewChapter is reference 1.11.
func TestNewChapter(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.newBook("雨夜灯")
	t.Run("file and answer", func(t *testing.T) {
		l := l.in(t)
		a := l.ok(newChapterTool, obj{"book": "雨夜灯", "content": "  正文内容\n", "title": "有篇"})
		if got := l.read("novels/雨夜灯/第01章 有篇.md"); got != "# 第01章 有篇\n\n正文内容\n" {
			t.Errorf("file is %q", got)
		}
		if a.num("number") != 1 || a.num("chars") != 16 || a.str("file") != "第01章 有篇.md" || a.str("path") != l.path("novels/雨夜灯/第01章 有篇.md") ||
			a.str("state") != "chapter_drafted" || a.str("book") != "雨夜灯" {
			t.Errorf("%s", a.raw)
		}
		if !strings.HasPrefix(l.message(), "save(雨夜灯 第01章): ") {
			t.Errorf("message is %q", l.message())
		}
	})
	t.Run("never overwrites", func(t *testing.T) {
		l := l.in(t)
		a := l.call(newChapterTool, obj{"book": "雨夜灯", "content": "别的", "chapter": 1})
		want := "错误：第 1 章已存在（第01章 有篇.md）——不会覆盖旧稿；如需更新请先确认或使用其他章号"
		if !a.isErr || !strings.HasPrefix(a.text, want) {
			t.Errorf("text is %q", a.text)
		}
		if got := l.read("novels/雨夜灯/第01章 有篇.md"); got != "# 第01章 有篇\n\n正文内容\n" {
			t.Errorf("file is %q", got)
		}
	})
	t.Run("gate names what is owed", func(t *testing.T) {
		a := l.in(t).call(newChapterTool, obj{"book": "雨夜灯", "content": "第二章的正文"})
		if !a.isErr || !strings.Contains(a.text, "第01章") || !strings.Contains(a.text, "git novel ") {
			t.Errorf("text is %q", a.text)
		}
	})
	t.Run("a file that was never saved counts", func(t *testing.T) {
		l := l.in(t)
		l.newBook("外来")
		l.write("novels/外来/第07章.md", "手写的\n")
		a := l.call(newChapterTool, obj{"book": "外来", "content": "正文", "chapter": "7"})
		if !a.isErr || !strings.Contains(a.text, "第 7 章已存在（第07章.md）") {
			t.Errorf("text is %q", a.text)
		}
		if got := l.ok(newChapterTool, obj{"book": "外来", "content": "正文"}).num("number"); got != 8 {
			t.Errorf("number is %d", got)
		}
	})
	t.Run("own heading is kept", func(t *testing.T) {
		l := l.in(t)
		l.newBook("标题")
		l.ok(newChapterTool, obj{"book": "标题", "content": "# 第3章 旧灯\n\n正文", "chapter": 3})
		if got := l.read("novels/标题/第03章 旧灯.md"); got != "# 第3章 旧灯\n\n正文\n" {
			t.Errorf("file is %q", got)
		}
	})
	t.Run("unnumbered", func(t *testing.T) {
		l := l.in(t)
		a := l.ok(newChapterTool, obj{"book": "标题", "content": "正文", "chapter": "番外·雨夜", "after": "0"})
		if _, numbered := a.data["number"]; numbered || a.str("file") != "番外·雨夜.md" {
			t.Errorf("%s", a.raw)
		}
	})
	for row, args := range map[string]obj{
		"no content": {"book": "雨夜灯"}, "blank content": {"book": "雨夜灯", "content": " \n"}, "K26": {"book": "雨夜灯", "content": "x", "chapter": 10000},
		"zero":    {"book": "雨夜灯", "content": "x", "chapter": 0},
		"no book": {"book": "", "content": "x"}, "no book of this name": {"book": "a/b", "content": ""},
	} {
		t.Run(row, func(t *testing.T) {
			l := l.in(t)
			before := l.tree("novels")
			if a := l.call(newChapterTool, args); !a.isErr {
				t.Errorf("text is %s", a.text)
			}
			if l.tree("novels") != before {
				t.Error("something was written")
			}
		})
	}
}

// TestNewChapterNewBook: a whole book can be written over MCP alone, its first chapter starts it (reference 1.11). A chapter
// that is refused starts none.
func TestNewChapterNewBook(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	before := l.head()
	for _, args := range []obj{
		{"book": "新书", "content": " "},
		{"book": "新书", "content": "正文", "title": "第一行\n第二行"},
		{"content": "正文"},
		{"book": "新书", "content": "正文", "chapter": "番外", "after": "7"},
	} {
		if a := l.call(newChapterTool, args); !a.isErr || l.head() != before || l.exists("novels/新书") {
			t.Errorf("%v: %s", args, a.text)
		}
	}
	l.ok(draftTool, seg("新书", "1", "一段"))
	a := l.ok(newChapterTool, obj{"book": "新书", "content": "正文内容", "title": "初遇"})
	if a.num("number") != 1 || a.str("book") != "新书" || !l.exists(".novel-writer/books/新书/state.json") {
		t.Errorf("%s", a.raw)
	}
	if got := l.read("novels/新书/第01章 初遇.md"); got != "# 第01章 初遇\n\n正文内容\n" {
		t.Errorf("file is %q", got)
	}
	if a := l.call(newChapterTool, obj{"book": "新书", "content": "正文内容"}); !a.isErr {
		t.Error("the gate is open")
	}
}

// TestNewChapterNumber: a chapter that is no number and no name is refused, not taken for one that was left out.
func TestNewChapterNumber(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.newBook("雨夜灯")
	for _, chapter := range []any{2.5, -1, true, []any{1}, obj{}} {
		a := l.call(newChapterTool, obj{"book": "雨夜灯", "content": "正文内容", "chapter": chapter})
		if !a.isErr || !strings.Contains(a.text, `参数 "chapter" 必须是 1 到 9999 之间的整数`) {
			t.Errorf("%v: text is %q", chapter, a.text)
		}
	}
	if n := l.ok(newChapterTool, obj{"book": "雨夜灯", "content": "正文内容", "chapter": nil}).num("number"); n != 1 {
		t.Errorf("number is %d", n)
	}
}

// TestFinalMark are rows D157–D167: 定稿落盘.
func TestFinalMark(t *testing.T) {
	t.Parallel()
	stamp := `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`
	l := newLibrary(t)
	on := func(t *testing.T, book string) *library {
		l := l.in(t)
		l.newBook(book)
		return l
	}
	t.Run("D160 off", func(t *testing.T) {
		l := on(t, "关")
		l.ok(draftTool, seg("关", "2", "一段"))
		before := l.read(mirror("关", "第02章"))
		l.ok(newChapterTool, obj{"book": "关", "content": "正文内容", "chapter": 2})
		if l.read(mirror("关", "第02章")) != before {
			t.Error("the mirror changed")
		}
	})
	l.ok(configTool, obj{"chatWriting": true})
	t.Run("D157 D159 D161 D165", func(t *testing.T) {
		l := on(t, "有段")
		l.ok(draftTool, seg("有段", "2", "一段"))
		before, led := l.read(mirror("有段", "第02章")), l.read(ledger("有段", "第02章"))
		a := l.ok(newChapterTool, obj{"book": "有段", "content": "正文内容", "chapter": 2, "title": "有篇"})
		added := strings.TrimPrefix(l.read(mirror("有段", "第02章")), before)
		want := regexp.MustCompile(`^## 定稿落盘 · 第2章 · ` + stamp + `\n\n> 本章已写入正式章节:第02章 有篇\.md\(16 字\)。本文件是草稿镜像,只追加、只给人看。\n\n$`)
		if !want.MatchString(added) || a.num("chars") != 16 {
			t.Errorf("added %q, chars %d", added, a.num("chars"))
		}
		if l.read(ledger("有段", "第02章")) != led {
			t.Error("the ledger changed")
		}
		if next := l.ok(draftTool, seg("有段", "2", "又一段")); next.num("segmentIndex") != 2 {
			t.Errorf("%s", next.raw)
		}
	})
	t.Run("D158", func(t *testing.T) {
		l := on(t, "无段")
		l.ok(newChapterTool, obj{"book": "无段", "content": "正文内容", "chapter": 2, "title": "有篇"})
		want := regexp.MustCompile(`^## 定稿落盘 · 第2章 · ` + stamp + `\n\n> 本章已写入正式章节:第02章 有篇\.md\(16 字\)。本文件是草稿镜像,只追加、只给人看。\n\n# 第02章 有篇\n\n正文内容\n\n$`)
		if m := l.read(mirror("无段", "第02章")); !want.MatchString(m) {
			t.Errorf("mirror is %q", m)
		}
	})
	t.Run("D162", func(t *testing.T) {
		l := on(t, "认领")
		l.write(mirror("认领", "3"), "## 第1段\n\n旧\n")
		l.ok(newChapterTool, obj{"book": "认领", "content": "正文", "chapter": 3})
		if !strings.Contains(l.read(mirror("认领", "3")), "## 定稿落盘 · 第3章") || l.exists(mirror("认领", "第03章")) {
			t.Error("the mark went elsewhere")
		}
	})
	for row, block := range map[string]func(*library, string){
		"D163 mirror is a folder": func(l *library, book string) { must(t, os.MkdirAll(l.path(mirror(book, "第01章")), 0o755)) },
		"D164 drafts lead into the book": func(l *library, book string) {
			must(t, os.MkdirAll(l.path("novels/"+book), 0o755))
			must(t, os.Symlink(l.path("novels/"+book), l.path(".novel-writer/drafts/"+book)))
		},
	} {
		t.Run(row, func(t *testing.T) {
			book := "失败" + row[:4]
			l := on(t, book)
			block(l, book)
			a := l.ok(newChapterTool, obj{"book": book, "content": "正文", "chapter": 1})
			if a.num("chars") != len([]rune("# 第01章\n\n正文\n")) || !l.exists("novels/"+book+"/第01章.md") {
				t.Errorf("%s", a.raw)
			}
			if log := l.read(schema.TmpDir + "/events.jsonl"); !strings.Contains(log, "silent_skip") || !strings.Contains(log, "定稿镜像写入失败(本章照常保存)") ||
				!strings.Contains(log, book) {
				t.Errorf("event log is %s", log)
			}
			if list, _ := os.ReadDir(l.path("novels/" + book)); len(list) != 1 {
				t.Errorf("the book's folder has %d files", len(list))
			}
		})
	}
	t.Run("D167", func(t *testing.T) {
		l := on(t, "两章")
		l.ok(newChapterTool, obj{"book": "两章", "content": "正文", "chapter": 1})
		l.ok(newChapterTool, obj{"book": "两章", "content": "正文", "chapter": "番外·雨夜"})
		for key, mark := range map[string]string{"第01章": "## 定稿落盘 · 第1章 · ", "番外·雨夜": "## 定稿落盘 · 番外·雨夜 · "} {
			if m := l.read(mirror("两章", key)); strings.Count(m, "定稿落盘") != 1 || !strings.HasPrefix(m, mark) {
				t.Errorf("%s: %q", key, m)
			}
		}
	})
}
