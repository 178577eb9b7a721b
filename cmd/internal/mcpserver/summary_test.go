package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"git-novel/schema"
)

const summaryTool = "novel_summary"

func summaryFile(book string) string { return schema.SummariesPath(schema.BookName(book)) }

// chaptersOf are the keys of an answer's summaries, in their order.
func chaptersOf(a answer) string {
	a.t.Helper()
	var out []string
	for _, e := range entries(a) {
		out = append(out, e["chapter"].(string))
	}
	return strings.Join(out, " ")
}

func entries(a answer) []obj {
	a.t.Helper()
	list, ok := a.data["summaries"].([]any)
	if !ok {
		a.t.Fatalf("summaries is %v", a.data["summaries"])
	}
	out := make([]obj, 0, len(list))
	for _, e := range list {
		out = append(out, e.(obj))
	}
	return out
}

func add(book string, chapter any, text string) obj {
	return obj{"book": book, "action": "add", "chapter": chapter, "summary": text}
}

// TestSummaryArguments are rows Y1–Y20.
func TestSummaryArguments(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	t.Run("Y1 Y2 schema", func(t *testing.T) {
		s := toolSchema(t, l, summaryTool)
		if fmt.Sprint(s["required"]) != "[book]" || s["additionalProperties"] != false ||
			properties(s) != "action book chapter keyEvents keySettings root summary" {
			t.Errorf("schema is %v", s)
		}
		action := s["properties"].(obj)["action"].(obj)
		if fmt.Sprint(action["enum"]) != "[list get add update delete]" {
			t.Errorf("enum is %v", action["enum"])
		}
	})
	for row, action := range map[string]any{
		"Y3 omitted": nil, "Y4 remove": "remove", "Y4 upper case": "ADD", "Y4 empty": "", "Y4 number": 5, "Y4 spaces": " add ",
	} {
		t.Run(row, func(t *testing.T) {
			l := l.in(t)
			args := add("四", "1", "文")
			delete(args, "action")
			if action != nil {
				args["action"] = action
			}
			if a := l.ok(summaryTool, args); a.str("action") != "list" || len(entries(a)) != 0 {
				t.Errorf("%s", a.raw)
			}
			if l.exists(summaryFile("四")) {
				t.Error("something was written")
			}
		})
	}
	t.Run("Y4 null", func(t *testing.T) {
		if a := l.in(t).ok(summaryTool, obj{"book": "四", "action": nil}); a.str("action") != "list" {
			t.Errorf("%s", a.raw)
		}
	})
	for _, tt := range []struct {
		row  string
		args obj
		want string
	}{
		{"Y6 missing", obj{}, `参数 "book" 不能为空字符串`},
		{"Y6 blank", obj{"book": "　"}, `参数 "book" 不能为空字符串`},
		{"Y6 number", obj{"book": 3}, `参数 "book" 不能为空字符串`},
		{"Y7", obj{"book": "***"}, "参数 book 不能为空（清洗后无有效字符）"},
		{"Y11", obj{"book": "甲", "action": "get"}, "novel_summary get 需要 chapter 参数"},
		{"Y12 add", obj{"book": "甲", "action": "add", "summary": "文"}, "novel_summary add 需要 chapter 参数"},
		{"Y12 update", obj{"book": "甲", "action": "update", "summary": "文"}, "novel_summary update 需要 chapter 参数"},
		{"Y12 delete", obj{"book": "甲", "action": "delete"}, "novel_summary delete 需要 chapter 参数"},
		{"Y13", obj{"book": "甲", "action": "get", "chapter": "   "}, "novel_summary get 需要 chapter 参数"},
		{"Y14", obj{"book": "甲", "action": "add", "chapter": "1"}, "novel_summary add 需要 summary 参数"},
		{"Y15 empty", obj{"book": "甲", "action": "update", "chapter": "1", "summary": ""}, "novel_summary update 需要 summary 参数"},
		{"Y15 blank", obj{"book": "甲", "action": "update", "chapter": "1", "summary": " \n　"}, "novel_summary update 需要 summary 参数"},
		{"Y16", obj{"book": "甲", "action": "add"}, "novel_summary add 需要 chapter 参数"},
		{"Y60 hash", obj{"book": "甲", "action": "add", "chapter": "#", "summary": "文"}, "novel_summary add 需要 chapter 参数"},
		{"Y60 extension", obj{"book": "甲", "action": "get", "chapter": ".md"}, "novel_summary get 需要 chapter 参数"},
		{"Y31", obj{"book": "甲", "action": "delete", "chapter": "第3章"}, "尚未保存 第03章 的摘要，无需删除"},
	} {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			l.fails(summaryTool, tt.args, tt.want)
			if l.exists(summaryFile("甲")) {
				t.Error("something was written")
			}
		})
	}
	for _, tt := range []struct{ row, given, book string }{{"Y8", "a/b", "ab"}, {"Y9", "CON", "_CON"}} {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			if a := l.ok(summaryTool, add(tt.given, "1", "文")); a.str("book") != tt.book || !l.exists(summaryFile(tt.book)) {
				t.Errorf("%s", a.raw)
			}
		})
	}
	t.Run("Y18", func(t *testing.T) {
		l := l.in(t)
		l.ok(summaryTool, add("一八", "1", "文"))
		l.ok(summaryTool, add("一八", "2", "文"))
		if got := chaptersOf(l.ok(summaryTool, obj{"book": "一八", "action": "list", "chapter": "2"})); got != "第01章 第02章" {
			t.Errorf("chapters are %s", got)
		}
	})
	t.Run("Y19", func(t *testing.T) {
		l := l.in(t)
		args := add("一九", "1", "文")
		args["tags"] = []string{"x"}
		if a := l.call(summaryTool, args); !a.isErr || !strings.Contains(a.text, "tags") || l.exists(summaryFile("一九")) {
			t.Errorf("text is %s", a.text)
		}
	})
	t.Run("Y20", func(t *testing.T) {
		l := l.in(t)
		for _, args := range []obj{add("无书", "1", "文"), {"book": "无书"}, {"book": "无书", "action": "get", "chapter": "1"}, {"book": "无书", "action": "delete", "chapter": "1"}} {
			l.ok(summaryTool, args)
		}
		if l.exists("novels/无书") {
			t.Error("the book's folder was made")
		}
	})
}

// TestSummarySwitchedOff is row Y10.
func TestSummarySwitchedOff(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.ok(configTool, obj{"tools": obj{summaryTool: false}})
	l.fails(summaryTool, obj{}, "工具 novel_summary（章节摘要）当前已在「写作助手功能」UI 中关闭。可用 novel_sentence_config 或侧边栏面板重新开启。")
}

// TestSummaryResults are rows Y22–Y37.
func TestSummaryResults(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	noMessage := func(t *testing.T, a answer) {
		t.Helper()
		if _, there := a.data["message"]; there {
			t.Errorf("there is a message: %s", a.raw)
		}
	}
	t.Run("Y22 Y75", func(t *testing.T) {
		l := l.in(t)
		a := l.ok(summaryTool, obj{"book": "二二"})
		noMessage(t, a)
		if a.raw != `{"action":"list","book":"二二","summaries":[]}` || l.exists(summaryFile("二二")) {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y26 Y36 K7", func(t *testing.T) {
		l := l.in(t)
		l.ok(summaryTool, add("乙", "10", "十"))
		a := l.ok(summaryTool, add("乙", "第02章.md", "二"))
		if a.str("message") != "已保存第02章的摘要" || chaptersOf(a) != "第02章" || a.str("action") != "add" { // Y35
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y27 Y29", func(t *testing.T) {
		l := l.in(t)
		a := l.ok(summaryTool, obj{"book": "乙", "action": "update", "chapter": "第二章", "summary": "新二"})
		if a.str("message") != "已保存第02章的摘要" || chaptersOf(a) != "第02章" || a.str("action") != "update" || entries(a)[0]["summary"] != "新二" {
			t.Errorf("%s", a.raw)
		}
		if got := l.ok(summaryTool, add("乙", "2", "再新")); chaptersOf(got) != "第02章" {
			t.Errorf("%s", got.raw)
		}
	})
	t.Run("Y23 Y71 Y87", func(t *testing.T) {
		l := l.in(t)
		before, bytes := l.tree(".novel-writer/summaries"), l.read(summaryFile("乙"))
		a := l.ok(summaryTool, obj{"book": "乙", "action": "list"})
		noMessage(t, a)
		if chaptersOf(a) != "第02章 第10章" || l.tree(".novel-writer/summaries") != before || l.read(summaryFile("乙")) != bytes {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y24 K6", func(t *testing.T) {
		a := l.in(t).ok(summaryTool, obj{"book": "乙", "action": "get", "chapter": "2"})
		noMessage(t, a)
		if chaptersOf(a) != "第02章" {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y25", func(t *testing.T) {
		a := l.in(t).ok(summaryTool, obj{"book": "乙", "action": "get", "chapter": "3"})
		noMessage(t, a)
		if len(entries(a)) != 0 {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y30 Y71", func(t *testing.T) {
		l := l.in(t)
		l.ok(summaryTool, add("三十", "10", "十"))
		l.ok(summaryTool, add("三十", "2", "二"))
		l.ok(summaryTool, add("三十", "3", "三"))
		was := entries(l.ok(summaryTool, obj{"book": "三十", "action": "get", "chapter": "10"}))[0]["updatedAt"]
		a := l.ok(summaryTool, obj{"book": "三十", "action": "delete", "chapter": "三章"})
		if a.str("message") != "已删除第03章的摘要" || chaptersOf(a) != "第02章 第10章" || entries(a)[1]["updatedAt"] != was {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y31", func(t *testing.T) {
		l := l.in(t)
		before := l.tree(".novel-writer/summaries")
		l.fails(summaryTool, obj{"book": "三十", "action": "delete", "chapter": "番外"}, "尚未保存 番外 的摘要，无需删除")
		if l.tree(".novel-writer/summaries") != before {
			t.Error("the file changed")
		}
	})
	t.Run("Y34", func(t *testing.T) {
		l := l.in(t)
		args := add("三四", "1", "文")
		args["keyEvents"], args["keySettings"] = []string{"事"}, []string{"定"}
		a := l.ok(summaryTool, args)
		if got := strings.Join(keys(entries(a)[0]), " "); got != "chapter keyEvents keySettings summary updatedAt" {
			t.Errorf("keys are %s", got)
		}
	})
	t.Run("Y37", func(t *testing.T) {
		l := l.in(t)
		args := add("三七", "1", "第一行\n第二行")
		args["keyEvents"], args["keySettings"] = []string{"甲", "乙"}, []string{"丙"}
		if got, want := l.ok(summaryTool, args).text, "<path>novels/三七</path>\n<type>novel-summary</type>\n<content>\n\n已保存第01章的摘要\n【第01章】\n第一行\n第二行\n关键事件：甲；乙\n关键设定：丙\n\n</content>"; got != want {
			t.Errorf("text is\n%s\nwant\n%s", got, want)
		}
		args = add("三七", "2", "文")
		args["keyEvents"] = []string{}
		l.ok(summaryTool, args)
		if got := l.ok(summaryTool, obj{"book": "三七"}).text; !strings.HasSuffix(got, "【第02章】\n文\n\n</content>") {
			t.Errorf("text is\n%s", got)
		}
	})
}

// TestSummarySlots are rows Y38–Y58.
func TestSummarySlots(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	rows := []struct {
		row    string
		add    []string
		list   string
		hits   []string
		misses []string
	}{
		{"Y38", []string{"2"}, "第02章", []string{"第02章", "第02章.md", "第二章", "第2章", "02"}, nil},
		{"Y39", []string{"第０１章"}, "第01章", []string{"1"}, nil},
		{"Y40", []string{"第一千零一章"}, "第1001章", []string{"1001"}, []string{"1"}},
		{"Y41", []string{"第01章", "第一千零一章"}, "第01章 第1001章", []string{"1"}, nil},
		{"Y43", []string{"番外·雨夜"}, "番外·雨夜", []string{"番外·雨夜"}, []string{"番外"}},
		{"Y44 K3", []string{"第一万章"}, "第一万章", nil, []string{"10000", "1"}},
		{"Y45 K2", []string{"第01章", "第10001章"}, "第01章 第10001章", []string{"第10001章"}, nil},
		{"Y46 K2", []string{"第99999章"}, "第99999章", nil, []string{"9999", "第9999章"}},
		{"Y48 K4", []string{"二章"}, "第02章", []string{"2"}, nil},
		{"Y49", []string{"二"}, "二", nil, []string{"2"}},
		{"Y50", []string{"第2回", "第2话", "第2节"}, "第02章", []string{"第2章"}, nil},
		{"Y52", []string{"第02章.txt"}, "第02章", []string{"2"}, nil},
		{"Y53 K24", []string{"3月的雨"}, "3月的雨", nil, []string{"3"}},
		{"Y54 K24", []string{"第3.5章"}, "第3.5章", nil, []string{"5", "3"}},
		{"Y55", []string{"第零章", "第0章"}, "第00章 第零章", []string{"0"}, nil},
		{"Y56", []string{"第1章", "第一零零一章"}, "第01章 第1001章", []string{"1001"}, nil},
		{"Y57", []string{"初遇", "第01章 初遇"}, "第01章 初遇", []string{"初遇"}, nil},
		{"Y58", []string{"番外·雨夜", "番外1"}, "番外1 番外·雨夜", nil, []string{"1"}},
		{"S3 07-陨落", []string{"07-陨落"}, "第07章", []string{"7"}, nil},
		{"Y93", []string{"第10章", "第02章"}, "第02章 第10章", nil, nil},
		{"Y95 K1", []string{"番外·雨夜", "第1001章"}, "第1001章 番外·雨夜", nil, nil},
		{"Y96", []string{"雨", "夜", "A"}, "A 夜 雨", nil, nil},
		{"Y97 K1", []string{"初遇", "第999章"}, "第999章 初遇", nil, nil},
		{"Y98", []string{"第10章", "3月的雨", "第02章", "初遇"}, "第02章 3月的雨 第10章 初遇", nil, nil},
		{"K34 number", []string{"\x007"}, "第07章", []string{"7"}, nil},
	}
	for i, tt := range rows {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			book := fmt.Sprintf("槽%d", i)
			for n, c := range tt.add {
				var chapter any = c
				if rest, number := strings.CutPrefix(c, "\x00"); number {
					chapter = json.Number(rest)
				}
				l.ok(summaryTool, add(book, chapter, fmt.Sprintf("文%d", n)))
			}
			if got := chaptersOf(l.ok(summaryTool, obj{"book": book})); got != tt.list {
				t.Errorf("chapters are %s, want %s", got, tt.list)
			}
			for _, c := range tt.hits {
				if len(entries(l.ok(summaryTool, obj{"book": book, "action": "get", "chapter": c}))) != 1 {
					t.Errorf("%s misses", c)
				}
			}
			for _, c := range tt.misses {
				if len(entries(l.ok(summaryTool, obj{"book": book, "action": "get", "chapter": c}))) != 0 {
					t.Errorf("%s hits", c)
				}
			}
		})
	}
	t.Run("Y57 file of that title", func(t *testing.T) {
		l := l.in(t)
		l.newBook("题")
		l.ok(newChapterTool, obj{"book": "题", "content": "正文", "title": "初遇"})
		if got := chaptersOf(l.ok(summaryTool, add("题", "初遇", "文"))); got != "初遇" {
			t.Errorf("slot is %s", got)
		}
	})
}

// TestSummaryContent are rows Y62–Y70.
func TestSummaryContent(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	get := func(l *library, book string) obj {
		return entries(l.ok(summaryTool, obj{"book": book, "action": "get", "chapter": "1"}))[0]
	}
	t.Run("Y62", func(t *testing.T) {
		l := l.in(t)
		text := "一\n\n**二** `x` 😀 <b>&amp;\u2028\u2029\t"
		l.ok(summaryTool, add("六二", "1", text+"尾"))
		if got := get(l, "六二")["summary"]; got != text+"尾" {
			t.Errorf("summary is %q", got)
		}
	})
	t.Run("Y63 K5", func(t *testing.T) {
		l := l.in(t)
		l.ok(summaryTool, add("六三", "1", "　 文 \n"))
		if got := get(l, "六三")["summary"]; got != "文" {
			t.Errorf("summary is %q", got)
		}
	})
	for row, tt := range map[string]struct{ given, want string }{
		"Y64": {`["a"]`, "[a]"}, "S3 empty": {"[]", "[]"}, "Y66 string": {`"a"`, "<nil>"}, "Y66 number": {"5", "<nil>"}, "Y66 object": {"{}", "<nil>"},
		"Y66 null": {"null", "<nil>"}, "Y67": {`[1, true, null]`, "[1 true null]"}, "Y67 fraction": {`[1.50, 1e3]`, "[1.50 1e3]"},
	} {
		t.Run(row, func(t *testing.T) {
			l := l.in(t)
			book := "列" + strings.ReplaceAll(row, " ", "")
			args := add(book, "1", "文")
			args["keyEvents"], args["keySettings"] = json.RawMessage(tt.given), json.RawMessage(tt.given)
			l.ok(summaryTool, args)
			e := get(l, book)
			if row == "Y67 fraction" {
				tt.want = "[1.5 1000]"
			}
			if got := fmt.Sprint(e["keyEvents"]); got != tt.want || fmt.Sprint(e["keySettings"]) != tt.want {
				t.Errorf("keyEvents is %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("Y68", func(t *testing.T) {
		l := l.in(t)
		args := add("六八", "1", "文")
		args["keyEvents"], args["keySettings"] = []string{"旧"}, []string{"旧"}
		l.ok(summaryTool, args)
		l.ok(summaryTool, obj{"book": "六八", "action": "update", "chapter": "1", "summary": "新"})
		if e := get(l, "六八"); e["keyEvents"] != nil || e["keySettings"] != nil {
			t.Errorf("%v", e)
		}
	})
	t.Run("Y70", func(t *testing.T) {
		l := l.in(t)
		first := entries(l.ok(summaryTool, add("七十", "1", "文")))[0]["updatedAt"].(string)
		second := entries(l.ok(summaryTool, add("七十", "1", "文")))[0]["updatedAt"].(string)
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString(first) || first >= second {
			t.Errorf("%s then %s", first, second)
		}
	})
}

// TestSummaryFile are rows Y72–Y92.
func TestSummaryFile(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	t.Run("Y72 Y73 Y74", func(t *testing.T) {
		l := newLibrary(t)
		if l.exists(schema.SummariesDir) {
			t.Fatal("the folder is there already")
		}
		args := add("雨夜灯", "3", "<沈>&\u2028")
		args["keySettings"], args["keyEvents"] = []string{"定"}, []string{}
		at := entries(l.ok(summaryTool, args))[0]["updatedAt"].(string)
		want := "{\n  \"book\": \"雨夜灯\",\n  \"summaries\": [\n    {\n      \"chapter\": \"第03章\",\n      \"summary\": \"<沈>&\",\n" +
			"      \"keyEvents\": [],\n      \"keySettings\": [\n        \"定\"\n      ],\n      \"updatedAt\": \"" + at + "\"\n    }\n  ]\n}"
		if got := l.read(summaryFile("雨夜灯")); got != want {
			t.Errorf("file is %q\nwant %q", got, want)
		}
		if !strings.HasPrefix(l.message(), "summary(雨夜灯 第03章): ") {
			t.Errorf("message is %q", l.message())
		}
	})
	for i, damaged := range []string{"{\"book\":", "", "null", "[]", `{"summaries":{}}`, "乱", "\xff\xfe"} {
		t.Run(fmt.Sprintf("Y76 Y77 K33 %d", i), func(t *testing.T) {
			l := l.in(t)
			book := fmt.Sprintf("坏%d", i)
			l.write(summaryFile(book), damaged)
			if a := l.ok(summaryTool, obj{"book": book}); len(entries(a)) != 0 || l.read(summaryFile(book)) != damaged {
				t.Errorf("%s", a.raw)
			}
			a := l.ok(summaryTool, add(book, "1", "文"))
			if got := chaptersOf(l.ok(summaryTool, obj{"book": book})); got != "第01章" {
				t.Errorf("chapters are %s", got)
			}
			if damaged == "" {
				return // nothing to keep
			}
			if !strings.Contains(a.text, "⚠️ 原摘要文件已损坏") {
				t.Errorf("text is %s", a.text)
			}
			if !l.holds(damaged) {
				t.Error("the damaged bytes are not in git")
			}
		})
	}
	t.Run("Y78", func(t *testing.T) {
		l := l.in(t)
		l.write(summaryFile("七八"), "\ufeff{\"book\":\"七八\",\"summaries\":[{\"chapter\":\"1\",\"summary\":\"旧\"}]}")
		l.ok(summaryTool, add("七八", "2", "新"))
		if got := chaptersOf(l.ok(summaryTool, obj{"book": "七八"})); got != "第01章 第02章" {
			t.Errorf("chapters are %s", got)
		}
	})
	t.Run("Y79 Y80 Y82 Y83 Y84", func(t *testing.T) {
		l := l.in(t)
		l.write(summaryFile("七九"), `{"book":"七九","x":1,"summaries":[null,"x",5,["a"],{"chapter":"第一千零一章","tags":["t"]},{"chapter":"2","summary":"二","keyEvents":"a"}]}`)
		a := l.ok(summaryTool, obj{"book": "七九"})
		if chaptersOf(a) != "第02章 第1001章" || entries(a)[1]["summary"] != "" || entries(a)[0]["keyEvents"] != nil || strings.Contains(a.raw, "tags") {
			t.Errorf("%s", a.raw)
		}
		l.ok(summaryTool, add("七九", "3", "三"))
		var file map[string]any
		must(t, json.Unmarshal([]byte(l.read(summaryFile("七九"))), &file))
		if strings.Join(keys(file), " ") != "book summaries" || strings.Contains(l.read(summaryFile("七九")), "tags") {
			t.Errorf("file is %s", l.read(summaryFile("七九")))
		}
	})
	dirty := `{"book":"B","summaries":[{"chapter":"2","summary":"旧","updatedAt":"2026-01-01T00:00:00.000Z"},{"chapter":"第02章","summary":"新","updatedAt":"2026-02-01T00:00:00.000Z"}]}`
	t.Run("Y86 K30", func(t *testing.T) {
		l := l.in(t)
		l.write(summaryFile("八六"), dirty)
		if a := l.ok(summaryTool, obj{"book": "八六"}); chaptersOf(a) != "第02章" || entries(a)[0]["summary"] != "新" {
			t.Errorf("%s", a.raw)
		}
		if a := l.ok(summaryTool, obj{"book": "八六", "action": "get", "chapter": "2"}); entries(a)[0]["summary"] != "新" {
			t.Errorf("%s", a.raw)
		}
		l.ok(summaryTool, add("八六", "1", "一"))
		if got := strings.Count(l.read(summaryFile("八六")), "第02章"); got != 1 {
			t.Errorf("the slot is there %d times", got)
		}
		l.write(summaryFile("八六乙"), dirty)
		if a := l.ok(summaryTool, obj{"book": "八六乙", "action": "delete", "chapter": "2"}); len(entries(a)) != 0 {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("Y88", func(t *testing.T) {
		l := l.in(t)
		l.ok(summaryTool, add("八八", "1", "文"))
		list, err := os.ReadDir(l.path(schema.SummariesDir))
		must(t, err)
		for _, d := range list {
			if !strings.HasSuffix(d.Name(), ".json") {
				t.Errorf("%s is left", d.Name())
			}
		}
	})
	t.Run("Y90", func(t *testing.T) {
		l := l.in(t)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { l.ok(summaryTool, add("九十", i+1, "文")) })
		}
		wg.Wait()
		if got := len(entries(l.ok(summaryTool, obj{"book": "九十"}))); got != 20 {
			t.Errorf("%d entries", got)
		}
	})
	t.Run("Y92", func(t *testing.T) {
		l := l.in(t)
		for _, c := range []string{"10", "番外", "2"} {
			l.ok(summaryTool, add("九二", c, "文"))
		}
		file := l.read(summaryFile("九二"))
		a, b, c := strings.Index(file, "第02章"), strings.Index(file, "第10章"), strings.Index(file, "番外")
		if a > b || b > c {
			t.Errorf("file is %s", file)
		}
	})
}
