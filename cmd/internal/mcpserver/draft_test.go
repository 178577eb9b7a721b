package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"git-novel/schema"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const draftTool = "novel_draft"

// seg is a call of novel_draft.
func seg(book, chapter, text string) obj {
	return obj{"action": "commit", "book": book, "chapter": chapter, "text": text}
}

const actionError = "草稿镜像只支持 action=commit(只追加)。它由程序维护、不交给 AI 读改清——需要清理请人工删除 <书库>/.novel-writer/drafts/ 下的文件"

// TestDraftArguments are rows D1–D18 of the reference: schema, gates and the order of the checks.
func TestDraftArguments(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)

	t.Run("D1 D2 schema", func(t *testing.T) {
		s := toolSchema(t, l, draftTool)
		if got := fmt.Sprint(s["required"]); got != "[action book text]" {
			t.Errorf("required is %s", got)
		}
		if s["additionalProperties"] != false {
			t.Errorf("additionalProperties is %v", s["additionalProperties"])
		}
		if got := properties(s); got != "action book chapter root text" {
			t.Errorf("properties are %s", got)
		}
		action := s["properties"].(obj)["action"].(obj)
		if fmt.Sprint(action["enum"]) != "[commit]" {
			t.Errorf("enum of action is %v", action["enum"])
		}
	})
	errors := []struct {
		row  string
		args obj
		want string
	}{
		{"D3 open", obj{"action": "open", "book": "甲", "text": "字"}, actionError},
		{"D4 read", obj{"action": "read", "book": "甲", "text": "字"}, actionError},
		{"D4 clear", obj{"action": "clear", "book": "甲", "text": "字"}, actionError},
		{"D4 append", obj{"action": "append", "book": "甲", "text": "字"}, actionError},
		{"D4 list", obj{"action": "list", "book": "甲"}, actionError},
		{"D4 upper case", obj{"action": "COMMIT", "book": "甲", "text": "字"}, actionError},
		{"D4 spaces", obj{"action": " commit ", "book": "甲", "text": "字"}, actionError},
		{"D5 missing", obj{"book": "甲", "text": "字"}, actionError},
		{"D5 null", obj{"action": nil, "book": "甲", "text": "字"}, actionError},
		{"D5 number", obj{"action": 1, "book": "甲", "text": "字"}, actionError},
		{"D6 missing", obj{"action": "commit", "book": "甲"}, `参数 "text" 不能为空字符串`},
		{"D6 empty", obj{"action": "commit", "book": "甲", "text": ""}, `参数 "text" 不能为空字符串`},
		{"D6 blank", obj{"action": "commit", "book": "甲", "text": "  \n\t　"}, `参数 "text" 不能为空字符串`},
		{"D7 number", obj{"action": "commit", "book": "甲", "text": 7}, `参数 "text" 不能为空字符串`},
		{"D7 list", obj{"action": "commit", "book": "甲", "text": []string{"字"}}, `参数 "text" 不能为空字符串`},
		{"D8 missing", obj{"action": "commit", "text": "字"}, `参数 "book" 不能为空字符串`},
		{"D8 blank", obj{"action": "commit", "book": " 　", "text": "字"}, `参数 "book" 不能为空字符串`},
		{"D9", obj{"action": "commit", "book": "***", "text": "字"}, "参数 book 不能为空（清洗后无有效字符）"},
		{"D18 action before book", obj{"action": "read", "book": "", "text": ""}, actionError},
		{"D18 book before text", obj{"action": "commit", "book": "***", "text": ""}, "参数 book 不能为空（清洗后无有效字符）"},
		{"D18 missing book before text", obj{"action": "commit"}, `参数 "book" 不能为空字符串`},
	}
	for _, tt := range errors {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			before := l.tree(".novel-writer")
			l.fails(draftTool, tt.args, tt.want)
			if after := l.tree(".novel-writer"); after != before { // D34 too
				t.Errorf("something was written:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
	t.Run("unknown argument", func(t *testing.T) {
		a := l.in(t).call(draftTool, obj{"action": "commit", "book": "甲", "text": "字", "index": 2})
		if !a.isErr || !strings.Contains(a.text, "index") {
			t.Errorf("text is %q", a.text)
		}
	})
	for _, tt := range []struct{ row, given, book string }{
		{"D10", "a/b", "ab"}, {"D11", "../../x", "x"}, {"D12", "CON", "_CON"}, {"D15 no such book", "无此书", "无此书"},
	} {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			a := l.ok(draftTool, seg(tt.given, "1", "字"))
			if a.str("book") != tt.book || !l.exists(mirror(tt.book, "第01章")) {
				t.Errorf("book is %q, mirror there: %v", a.str("book"), l.exists(mirror(tt.book, "第01章")))
			}
			if l.exists("novels/" + tt.book) {
				t.Error("the book's folder was made")
			}
		})
	}
	t.Run("D16 K34 number as chapter", func(t *testing.T) {
		l := l.in(t)
		if a := l.ok(draftTool, obj{"action": "commit", "book": "数", "chapter": 3, "text": "字"}); a.str("chapter") != "第03章" {
			t.Errorf("chapter is %q", a.str("chapter"))
		}
	})
}

// TestDraftSwitchedOff is row D13: the switch comes before every other check, and nothing is written.
func TestDraftSwitchedOff(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.ok(configTool, obj{"tools": obj{draftTool: false}})
	before := l.tree(".novel-writer")
	want := "工具 novel_draft（草稿镜像）当前已在「写作助手功能」UI 中关闭。可用 novel_sentence_config 或侧边栏面板重新开启。"
	l.fails(draftTool, obj{"action": "read"}, want)
	l.fails(draftTool, seg("甲", "1", "字"), want)
	if l.tree(".novel-writer") != before {
		t.Error("something was written")
	}
	l.ok(configTool, obj{"tools": obj{draftTool: true}})
	l.ok(draftTool, seg("甲", "1", "字"))
}

// TestDraftAnswer are rows D19–D32: the answer's fields and its text.
func TestDraftAnswer(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.ok(configTool, obj{"chatThreshold": 150})
	always := []string{
		"action", "book", "chapter", "draftFile", "message", "mirrorDir", "nextAction", "pendingChars", "prompts", "remaining", "segmentChars",
		"segmentIndex", "threshold",
	}
	first := l.ok(draftTool, seg("雨夜灯", "3", strings.Repeat("甲", 60)))
	second := l.ok(draftTool, seg("雨夜灯", "第03章 证词里的空白", strings.Repeat("乙", 102)))

	t.Run("D19 D20 D25", func(t *testing.T) {
		if got := keys(first.data); !slices.Equal(got, always) {
			t.Errorf("keys are %v", got)
		}
		for _, k := range []string{"segmentIndex", "segmentChars", "pendingChars", "threshold", "remaining", "prompts"} {
			first.num(k)
		}
	})
	t.Run("D21", func(t *testing.T) {
		want := append([]string{"combinedText", "question"}, always...)
		slices.Sort(want)
		if got := keys(second.data); !slices.Equal(got, want) {
			t.Errorf("keys are %v", got)
		}
	})
	t.Run("D22 D26", func(t *testing.T) {
		if first.str("action") != "commit" || first.str("nextAction") != "continue" || second.str("nextAction") != "ask_user" {
			t.Errorf("%s\n%s", first.raw, second.raw)
		}
	})
	t.Run("D23", func(t *testing.T) {
		for _, c := range []string{"3", "第03章", "第03章 证词里的空白"} {
			if got := l.in(t).ok(draftTool, seg("二三", c, "字")).str("chapter"); got != "第03章" {
				t.Errorf("%s gives %s", c, got)
			}
		}
	})
	t.Run("D24", func(t *testing.T) {
		dir := first.str("mirrorDir")
		if !filepath.IsAbs(dir) || dir != l.path(".novel-writer/drafts/雨夜灯") || first.str("draftFile") != filepath.Join(dir, "第03章__draft.md") {
			t.Errorf("dir %q, file %q", dir, first.str("draftFile"))
		}
	})
	t.Run("D27", func(t *testing.T) {
		if m := first.str("message"); !strings.Contains(m, "1") || !strings.Contains(m, "60/150") || !strings.Contains(m, "90") {
			t.Errorf("message is %q", m)
		}
	})
	t.Run("D28", func(t *testing.T) {
		if m := second.str("message"); !strings.Contains(m, "已达阈值,现在停下来问用户") {
			t.Errorf("message is %q", m)
		}
	})
	t.Run("D29", func(t *testing.T) {
		want := "<type>novel-draft</type>\n<content>\n" + first.str("message") + "\n\n镜像文件(给人看的,你不要读):" + first.str("draftFile") +
			"\n第 1 段已写入(60 字)|待确认 60/150 字|本章已提问 0 次\n\n程序判定:继续写下一段(还差 90 字到阈值)——不要自己去问用户。\n</content>"
		if first.text != want {
			t.Errorf("text is\n%s\nwant\n%s", first.text, want)
		}
	})
	t.Run("D30 D31 D121", func(t *testing.T) {
		want := "<type>novel-draft</type>\n<content>\n" + second.str("message") + "\n\n镜像文件(给人看的,你不要读):" + second.str("draftFile") +
			"\n第 2 段已写入(102 字)|本批 162 字 / 阈值 150 字|本章已提问 1 次\n\n程序判定:现在停下来问用户(阈值已到)。\n【问题】" +
			second.str("question") + "\n【本批正文】" + second.str("combinedText") + "\n</content>"
		if second.text != want {
			t.Errorf("text is\n%s\nwant\n%s", second.text, want)
		}
	})
	t.Run("D32", func(t *testing.T) {
		third := l.in(t).ok(draftTool, seg("雨夜灯", "3", "丙"))
		if strings.ContainsAny(third.text, "甲乙") {
			t.Errorf("the text shows the mirror: %s", third.text)
		}
	})
	t.Run("output schema", func(t *testing.T) {
		for tool, err := range l.client.Tools(t.Context(), nil) {
			must(t, err)
			if tool.Name == draftTool {
				if got := len(tool.OutputSchema.(obj)["required"].([]any)); got != 13 {
					t.Errorf("%d fields are required", got)
				}
			}
		}
	})
}

// TestDraftPlace are rows D33–D45.
func TestDraftPlace(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	inside := func(book string) string {
		return fmt.Sprintf(schema.DraftInsideBook, book)
	}
	t.Run("D33 D45", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("三三", "1", "甲"))
		l.ok(draftTool, seg("四五", "1", "乙乙"))
		for book, want := range map[string]string{"三三": "甲", "四五": "乙乙"} {
			if m := l.read(mirror(book, "第01章")); !strings.Contains(m, want) || strings.Count(m, "## 第") != 1 {
				t.Errorf("%s: %s", book, m)
			}
			if !l.exists(ledger(book, "第01章")) {
				t.Errorf("%s has no ledger", book)
			}
		}
	})
	t.Run("D35 D36", func(t *testing.T) {
		l := l.in(t)
		l.newBook("三五")
		l.ok(newChapterTool, obj{"book": "三五", "content": "正文。"})
		before, list := l.tree("novels"), l.ok("novel_chapters", obj{"book": "三五"}).raw
		for range 3 {
			l.ok(draftTool, seg("三五", "1", "草稿。"))
		}
		if l.tree("novels") != before {
			t.Error("novels/ changed")
		}
		if after := l.ok("novel_chapters", obj{"book": "三五"}).raw; after != list {
			t.Errorf("the chapter list changed: %s", after)
		}
	})
	t.Run("D37 D43", func(t *testing.T) {
		l := l.in(t)
		must(t, os.MkdirAll(l.path("novels/四三"), 0o755))
		must(t, os.MkdirAll(l.path(".novel-writer/drafts"), 0o755))
		if err := os.Symlink(l.path("novels/四三"), l.path(".novel-writer/drafts/四三")); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
		a := l.call(draftTool, seg("四三", "1", "字"))
		if !a.isErr || !strings.HasPrefix(a.text, "错误："+inside("四三")) {
			t.Errorf("text is %q", a.text)
		}
		if list, _ := os.ReadDir(l.path("novels/四三")); len(list) > 0 {
			t.Error("something was written into the book")
		}
	})
	t.Run("D44", func(t *testing.T) {
		l := l.in(t)
		must(t, os.MkdirAll(l.path(mirror("四四", "第01章")), 0o755))
		must(t, os.MkdirAll(l.path(ledger("四四", "第02章")), 0o755))
		l.write("else.md", "别处")
		l.write(".novel-writer/drafts/四四/x", "")
		if err := os.Symlink(l.path("else.md"), l.path(mirror("四四", "第03章"))); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
		before := l.tree(".novel-writer")
		for _, c := range []string{"1", "2", "3"} {
			if a := l.call(draftTool, seg("四四", c, "字")); !a.isErr {
				t.Errorf("chapter %s: %s", c, a.text)
			}
		}
		if l.tree(".novel-writer") != before || l.read("else.md") != "别处" {
			t.Error("something was written")
		}
	})
}

// TestDraftKeys are rows D46–D72.
func TestDraftKeys(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	long := func(s string, n int) string { return strings.Repeat(s, n) }
	rows := []struct {
		row   string
		given any
		want  string
	}{
		{"D46", nil, "未命名章"},
		{"D47", "", "未命名章"},
		{"D47 blanks", "   ", "未命名章"},
		{"D47 ideographic", "　", "未命名章"},
		{"D48", "3", "第03章"},
		{"D48 02", "03", "第03章"},
		{"D48 003", "003", "第03章"},
		{"D48 full width", "３", "第03章"},
		{"D48 spaces", " 3 ", "第03章"},
		{"D49", "第03章 证词里的空白", "第03章"},
		{"D50", "第2章.md", "第02章"},
		{"D51", "第三章", "第03章"},
		{"D51 23", "第二十三章", "第23章"},
		{"D51 1001", "第一千零一章", "第1001章"},
		{"D52", "第０３章", "第03章"},
		{"D54", "第10001章", "第10001章"},
		{"D55", "第一万章", "第一万章"},
		{"D57", "a/b/c", "abc"},
		{"D58", "***", "章-36c3eaa0"},
		{"D59", "..", "章-9d891e73"},
		{"D59 slashes", "///", "章-c64b8480"},
		{"D60", long("a", 48), long("a", 48)},
		{"D61", long("a", 49), long("a", 48) + "-1e6669"},
		{"S0 a×300", long("a", 300), long("a", 48) + "-003ef1"},
		{"D63", long("字", 60), long("字", 48) + "-9a67f3"},
		{"D64", long("😀", 30), long("😀", 24) + "-7e4bc9"},
		{"D64 K31", "a" + long("😀", 30), "a" + long("😀", 23) + "-01381b"},
		{"D65", "番外·雨夜", "番外·雨夜"},
		{"D66", "番外2", "番外2"},
		{"D67", "a..b", "a.b"},
		{"D67 ends", ".x.", "x"},
		{"D68", "CON", "_CON"},
		{"D69", "未命名章", "未命名章"},
		{"D71", "\ufeff第03章", "第03章"},
		{"D72", "雨\n夜\x01", "雨夜"},
		{"K24", "第3.5章", "第3.5章"},
		{"K24 volume", "第2卷", "第2卷"},
		{"K24 month", "3月的雨", "3月的雨"},
		{"K4", "二章", "第02章"},
	}
	for i, tt := range rows {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			book := fmt.Sprintf("书%d", i)
			args := obj{"action": "commit", "book": book, "text": "字"}
			if tt.given != nil {
				args["chapter"] = tt.given
			}
			a := l.ok(draftTool, args)
			if a.str("chapter") != tt.want || !l.exists(mirror(book, tt.want)) || !l.exists(ledger(book, tt.want)) {
				t.Errorf("chapter is %q, want %q; file %s", a.str("chapter"), tt.want, a.str("draftFile"))
			}
		})
	}
}

// TestDraftClaim are rows D73–D81: an older mirror of the same chapter goes on.
func TestDraftClaim(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	rows := []struct {
		row, chapter, want string
		files              []string
	}{
		{"D73", "第03章", "3", []string{"3__draft.md"}},
		{"D74", "3", "第03章", []string{"3__draft.md", "第03章__draft.md"}},
		{"D76", "3", "第03章 证词里的空白", []string{"第03章 证词里的空白__draft.md"}},
		{"D77", "3", "第03章", []string{"3__state.json"}},
		{"D81 other names", "3", "第03章", []string{"3__draft.txt", "3.md", "x3__draft.md"}},
		{"first by name", "3", "03", []string{"3__draft.md", "03__draft.md"}},
	}
	for i, tt := range rows {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			book := fmt.Sprintf("认%d", i)
			for _, f := range tt.files {
				l.write(".novel-writer/drafts/"+book+"/"+f, "旧的一行\n")
			}
			a := l.ok(draftTool, seg(book, tt.chapter, "新的一段"))
			if a.str("draftFile") != l.path(mirror(book, tt.want)) || !strings.Contains(l.read(mirror(book, tt.want)), "新的一段") {
				t.Errorf("draftFile is %s", a.str("draftFile"))
			}
			if !l.exists(ledger(book, tt.want)) { // D79
				t.Error("the ledger is not beside the mirror")
			}
			if a.str("chapter") != "第03章" { // K8
				t.Errorf("chapter is %s", a.str("chapter"))
			}
			if tt.want != "第03章" && l.exists(mirror(book, "第03章")) {
				t.Error("a second mirror was made")
			}
		})
	}
	t.Run("D81 unreadable", func(t *testing.T) {
		l := l.in(t)
		l.write(".novel-writer/drafts/锁/a", "")
		must(t, os.Chmod(l.path(".novel-writer/drafts/锁"), 0o000))
		t.Cleanup(func() { _ = os.Chmod(l.path(".novel-writer/drafts/锁"), 0o755) })
		if _, err := os.ReadDir(l.path(".novel-writer/drafts/锁")); err == nil {
			t.Skip("permissions do not hold for this user")
		}
		if a := l.call(draftTool, seg("锁", "3", "字")); !a.isErr {
			t.Errorf("text is %s", a.text)
		}
	})
}

// TestDraftCounting are rows D82–D95.
func TestDraftCounting(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	rows := []struct {
		row, text, stored string
		chars             int
	}{
		{"D82", "第一小段。", "第一小段。", 5},
		{"D83", "  甲乙  \n", "甲乙", 2},
		{"D84", "甲\n乙", "甲\n乙", 3},
		{"D85", "甲\r\n乙", "甲\r\n乙", 4},
		{"D86", "甲\n\n乙", "甲\n\n乙", 4},
		{"D88 composed", "\u00e9", "\u00e9", 1},
		{"D88 decomposed", "e\u0301", "e\u0301", 2},
		{"D89", "　　缩进", "缩进", 2},
		{"D90", "\ufeff正文", "正文", 2},
		{"D91", "正文\u0085", "正文\u0085", 3},
		{"D92", "\u200b正文", "\u200b正文", 3},
		{"D94", "# 标题\n> **引** <b>&amp;</b>", "# 标题\n> **引** <b>&amp;</b>", 25},
		{"emoji", "😀", "😀", 2},
	}
	for i, tt := range rows {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			book := fmt.Sprintf("数%d", i)
			a := l.ok(draftTool, seg(book, "1", tt.text))
			if a.num("segmentChars") != tt.chars || len(utf16.Encode([]rune(tt.stored))) != tt.chars {
				t.Errorf("segmentChars is %d, want %d", a.num("segmentChars"), tt.chars)
			}
			if m := l.read(mirror(book, "第01章")); !strings.HasSuffix(m, "\n\n"+tt.stored+"\n\n") {
				t.Errorf("mirror is %q", m)
			}
		})
	}
	t.Run("D93", func(t *testing.T) {
		l := l.in(t)
		set := "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"
		for r := '\u0009'; r <= '\u000d'; r++ {
			set += string(r)
		}
		for r := '\u2000'; r <= '\u200a'; r++ {
			set += string(r)
		}
		if a := l.ok(draftTool, seg("修剪", "1", set+" 字"+set)); a.num("segmentChars") != 1 {
			t.Errorf("segmentChars is %d", a.num("segmentChars"))
		}
		for _, r := range "\u0085\u200b\u180e\u2060" {
			if a := l.ok(draftTool, seg("修剪", "2", string(r)+"字")); a.num("segmentChars") != 2 {
				t.Errorf("%U was trimmed", r)
			}
		}
	})
	t.Run("D95", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("重复", "1", "同一段"))
		a := l.ok(draftTool, seg("重复", "1", "同一段"))
		if a.num("segmentIndex") != 2 || a.num("pendingChars") != 6 || strings.Count(l.read(mirror("重复", "第01章")), "同一段") != 2 {
			t.Errorf("%s", a.raw)
		}
	})
}

// TestDraftAsking are rows D118–D132.
func TestDraftAsking(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	n := func(k int) string { return strings.Repeat("字", k) }
	t.Run("D111 D118", func(t *testing.T) {
		a := l.in(t).ok(draftTool, seg("一一八", "1", n(5)))
		if a.num("threshold") != 400 || a.num("segmentIndex") != 1 || a.num("pendingChars") != 5 || a.num("remaining") != 395 || a.num("prompts") != 0 ||
			a.str("nextAction") != "continue" {
			t.Errorf("%s", a.raw)
		}
	})
	l.ok(configTool, obj{"chatThreshold": 100})
	t.Run("D119 D127 D128", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一一九", "1", n(50)))
		a := l.ok(draftTool, seg("一一九", "1", n(50)))
		if a.str("nextAction") != "ask_user" || a.num("pendingChars") != 100 || a.num("remaining") != 100 || a.num("prompts") != 1 {
			t.Errorf("%s", a.raw)
		}
		a = l.ok(draftTool, seg("一一九", "1", n(30)))
		if a.num("pendingChars") != 30 || a.num("remaining") != 70 || a.num("prompts") != 1 || a.num("segmentIndex") != 3 { // D132 too
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("D120", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一二零", "1", n(50)))
		if a := l.ok(draftTool, seg("一二零", "1", n(49))); a.str("nextAction") != "continue" || a.num("pendingChars") != 99 || a.num("remaining") != 1 {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("D122 K14", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一二二", "1", n(162)))
		var led schema.Ledger
		must(t, json.Unmarshal([]byte(l.read(ledger("一二二", "第01章"))), &led))
		if led.PendingChars != 0 || len(led.Pending) != 0 || led.Prompts != 1 || led.TotalChars != 162 || led.Segments != 1 {
			t.Errorf("%+v", led)
		}
	})
	t.Run("D124 D125 K12 K15", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一二四", "1", strings.Repeat("甲", 60)))
		a := l.ok(draftTool, seg("一二四", "1", strings.Repeat("乙", 60)))
		combined := strings.Repeat("甲", 60) + "\n\n" + strings.Repeat("乙", 60)
		want := "这一段(本批合并 2 段 / 共 120 字,程序阈值 100 字)写得对不对?\n\n" + combined + "\n\n对就继续写下一段;哪里不对请直接说,我按你说的改。"
		if a.str("combinedText") != combined || a.str("question") != want {
			t.Errorf("question is %q", a.str("question"))
		}
	})
	t.Run("D129", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一二九", "1", "五个字一段"))
		if !strings.Contains(l.read(mirror("一二九", "第01章")), "五个字一段") {
			t.Error("not on disk")
		}
	})
}

// TestDraftLedger are rows D133–D148.
func TestDraftLedger(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	three := func(l *library, book string) {
		for _, s := range []string{"甲", "乙", "丙"} {
			l.ok(draftTool, seg(book, "1", s))
		}
	}
	t.Run("D133 D134", func(t *testing.T) {
		l := l.in(t)
		three(l, "一三三")
		file := l.read(ledger("一三三", "第01章"))
		want := regexp.MustCompile(`^\{\n  "segments": 3,\n  "pendingChars": 3,\n  "totalChars": 3,\n  "prompts": 0,\n  "pending": \[\n    "甲",\n    "乙",\n    "丙"\n  \],\n` +
			`  "updatedAt": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\n\}$`)
		if !want.MatchString(file) {
			t.Errorf("ledger is %q", file)
		}
	})
	t.Run("D135", func(t *testing.T) {
		l := l.in(t)
		three(l, "一三五")
		again := l.in(t)
		again.connect()
		if a := again.ok(draftTool, seg("一三五", "1", "丁")); a.num("segmentIndex") != 4 || a.num("pendingChars") != 4 {
			t.Errorf("%s", a.raw)
		}
	})
	for row, damage := range map[string]string{
		"D136 deleted": "-", "D137 empty": "", "D137 truncated": `{"segments": 3,`, "D137 no JSON": "乱",
		"D138 list": "[]", "D138 null": "null", "D138 string": `"3"`, "D138 negative": `{"segments":-1,"pendingChars":0,"totalChars":0,"prompts":0,"pending":[]}`,
		"D138 words": `{"segments":"3","pendingChars":"0","totalChars":0,"prompts":0,"pending":[]}`,
	} {
		t.Run(row, func(t *testing.T) {
			l := l.in(t)
			book := "坏" + strings.ReplaceAll(row, " ", "")
			three(l, book)
			if damage == "-" {
				must(t, os.Remove(l.path(ledger(book, "第01章"))))
			} else {
				l.write(ledger(book, "第01章"), damage)
			}
			a := l.ok(draftTool, seg(book, "1", "丁丁"))
			if a.num("segmentIndex") != 4 || a.num("pendingChars") != 2 || a.num("prompts") != 0 {
				t.Errorf("%s", a.raw)
			}
			if strings.Contains(a.all, "乙") { // D148
				t.Error("the mirror's text came back")
			}
			var led schema.Ledger
			must(t, json.Unmarshal([]byte(l.read(ledger(book, "第01章"))), &led))
			if led.TotalChars != 2 || led.Segments != 4 {
				t.Errorf("%+v", led)
			}
		})
	}
	mirrors := []struct {
		row, text string
		index     int
	}{
		{"D139 count, not maximum", "## 第9段 · x\n\n甲\n\n## 第2段\n\n乙\n", 3},
		{"D141", "## 第 2 段\n\n甲\n", 2},
		{"D142 header-like line", "## 第1段 · x\n\n甲\n## 第8段 说的是\n", 3},
		{"D155 CRLF", "## 第1段 · x\r\n\r\n甲\r\n", 2},
		{"D155 BOM", "\ufeff## 第1段 · x\n\n甲\n", 2},
		{"K22 not at a line start", " ## 第1段\n\n甲\n", 1},
		{"D144", "", 1},
	}
	for i, tt := range mirrors {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			book := fmt.Sprintf("重建%d", i)
			if tt.text != "" {
				l.write(mirror(book, "第01章"), tt.text)
			} else {
				l.write(ledger(book, "第01章"), "坏")
			}
			a := l.ok(draftTool, seg(book, "1", "新"))
			if a.num("segmentIndex") != tt.index {
				t.Errorf("segmentIndex is %d, want %d", a.num("segmentIndex"), tt.index)
			}
			m := l.read(mirror(book, "第01章"))
			if !strings.HasPrefix(m, tt.text) { // D152
				t.Errorf("the mirror was rewritten: %q", m)
			}
			if block := strings.TrimPrefix(m, tt.text); strings.Contains(block, "\r") {
				t.Errorf("the block has CR: %q", block)
			}
		})
	}
	t.Run("D145", func(t *testing.T) {
		l := l.in(t)
		three(l, "一四五")
		must(t, os.Remove(l.path(mirror("一四五", "第01章"))))
		if a := l.ok(draftTool, seg("一四五", "1", "丁")); a.num("segmentIndex") != 4 {
			t.Errorf("%s", a.raw)
		}
		if m := l.read(mirror("一四五", "第01章")); !strings.HasPrefix(m, "## 第4段 · ") {
			t.Errorf("mirror is %q", m)
		}
	})
	t.Run("D147", func(t *testing.T) {
		l := l.in(t)
		three(l, "一四七")
		old := l.read(ledger("一四七", "第01章"))
		l.ok(draftTool, seg("一四七", "1", "丁"))
		l.write(ledger("一四七", "第01章"), old) // as after a crash between the two writes
		if a := l.ok(draftTool, seg("一四七", "1", "戊")); a.num("segmentIndex") != 5 {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("D156", func(t *testing.T) {
		l := l.in(t)
		three(l, "一五六")
		before := l.read(ledger("一五六", "第01章"))
		must(t, os.Chmod(l.path(mirror("一五六", "第01章")), 0o444))
		if f, err := os.OpenFile(l.path(mirror("一五六", "第01章")), os.O_WRONLY, 0); err == nil {
			_ = f.Close()
			t.Skip("permissions do not hold for this user")
		}
		if a := l.call(draftTool, seg("一五六", "1", "丁")); !a.isErr {
			t.Errorf("%s", a.raw)
		}
		if l.read(ledger("一五六", "第01章")) != before {
			t.Error("the ledger changed")
		}
	})
}

// TestDraftMirror are rows D150–D154.
func TestDraftMirror(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	t.Run("D150 K19 K23", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一五零", "1", "第一小段。"))
		l.ok(draftTool, seg("一五零", "1", "第二小段。"))
		want := regexp.MustCompile(`^## 第1段 · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n\n第一小段。\n\n## 第2段 · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n\n第二小段。\n\n$`)
		if m := l.read(mirror("一五零", "第01章")); !want.MatchString(m) {
			t.Errorf("mirror is %q", m)
		}
	})
	t.Run("D152 D154", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("一五四", "1", "甲"))
		noted := l.read(mirror("一五四", "第01章")) + "〔批注：这里要改〕"
		l.write(mirror("一五四", "第01章"), noted)
		l.ok(draftTool, seg("一五四", "1", "乙"))
		m := l.read(mirror("一五四", "第01章"))
		if !strings.HasPrefix(m, noted) || !strings.Contains(m[len(noted):], "\n## 第2段 · ") {
			t.Errorf("mirror is %q", m)
		}
	})
	t.Run("K36", func(t *testing.T) {
		l := l.in(t)
		l.ok(draftTool, seg("三六", "1", "甲\n## 第7段 · x\n乙"))
		if m := l.read(mirror("三六", "第01章")); !strings.Contains(m, "甲\n## 第7段 · x\n乙\n") {
			t.Errorf("mirror is %q", m)
		}
	})
}

// TestDraftTogether is row D149 within one server; processes are in stdio_test.go.
func TestDraftTogether(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { l.ok(draftTool, seg("一四九", "1", fmt.Sprintf("第%d人写的", i))) })
	}
	wg.Wait()
	checkMirror(t, l, "一四九", "第01章", 20)
}

// checkMirror wants segments 1 to n, each once, and a ledger that agrees.
func checkMirror(t testing.TB, l *library, book, key string, n int) {
	t.Helper()
	segments := schema.ParseSegments([]byte(l.read(mirror(book, key))))
	if len(segments) != n {
		t.Fatalf("%d segments, want %d", len(segments), n)
	}
	texts := map[string]bool{}
	for i, s := range segments {
		if s.Index != i+1 {
			t.Errorf("segment %d has number %d", i+1, s.Index)
		}
		if texts[s.Text] {
			t.Errorf("%q is there twice", s.Text)
		}
		texts[s.Text] = true
	}
	led, ok := schema.ParseLedger([]byte(l.read(ledger(book, key))))
	if !ok || led.Segments != n {
		t.Errorf("ledger is %+v", led)
	}
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// toolSchema gives the input schema of a tool as a client sees it.
func toolSchema(t testing.TB, l *library, name string) obj {
	t.Helper()
	for tool, err := range l.client.Tools(t.Context(), &mcp.ListToolsParams{}) {
		must(t, err)
		if tool.Name == name {
			s, ok := tool.InputSchema.(obj)
			if !ok {
				t.Fatalf("the schema is a %T", tool.InputSchema)
			}
			return s
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func properties(s obj) string {
	p, _ := s["properties"].(obj)
	return strings.Join(keys(p), " ")
}
