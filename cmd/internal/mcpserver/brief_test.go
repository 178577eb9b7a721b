package mcpserver_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"git-novel/schema"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const briefTool = "novel_chapter_brief"

// TestBrief are rows D168–D175.
func TestBrief(t *testing.T) {
	t.Parallel()
	shelf := func(t *testing.T) *library {
		l := newLibrary(t)
		l.newBook("雨夜灯")
		l.write("novels/雨夜灯/第03章 x.md", "# 第03章 x\n\n雨停了。\n\n灯灭在门外。\n")
		l.write("novels/雨夜灯/第04章.md", "第四章。\n")
		return l
	}
	t.Run("D168", func(t *testing.T) {
		a := shelf(t).ok(briefTool, obj{"book": "雨夜灯", "chapter": 4})
		if _, on := a.data["chatWriting"]; on || strings.Contains(a.text, "实时聊天写作") {
			t.Errorf("%s\n%s", a.raw, a.text)
		}
		if a.str("anchor") != "# 第03章 x\n\n雨停了。\n\n灯灭在门外。" || a.str("previousHook") != "灯灭在门外。" || a.data["isNext"] != false {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("D169 D172 D174 D175", func(t *testing.T) {
		l := shelf(t)
		l.ok(configTool, obj{"chatWriting": true})
		a := l.ok(briefTool, obj{"book": "雨夜灯", "chapter": "第03章 x.md"})
		chat := a.data["chatWriting"].(obj)
		want := obj{
			"on": true, "mirrorDir": l.path(".novel-writer/drafts/雨夜灯"), "draftFile": l.path(mirror("雨夜灯", "第03章")), "chapterKey": "第03章",
			"threshold": 400., "checklist": "实时聊天写作(硬约束):每写完一段就 novel_draft commit 交出去;nextAction=continue 就继续写、=ask_user 才用提问工具问用户;" +
				"镜像不读不改不清;提问时机由程序的字数阈值判定,不要自己决定",
		}
		for k, v := range want {
			if chat[k] != v {
				t.Errorf("%s is %v, want %v", k, chat[k], v)
			}
		}
		howTo, _ := chat["howTo"].(string)
		if len(chat) != len(want)+1 || howTo == "" {
			t.Errorf("chatWriting is %v", chat)
		}
		if list := a.data["plan"].(obj)["checklist"].([]any); !slices.Contains(list, want["checklist"]) {
			t.Errorf("plan.checklist is %v", list)
		}
		section := "【实时聊天写作·逐段确认】\n- 镜像文件:" + l.path(mirror("雨夜灯", "第03章")) + "\n- 镜像目录:" + l.path(".novel-writer/drafts/雨夜灯") +
			"\n- 程序阈值:400 字(由程序判定何时提问,不要自己决定)\n- " + howTo +
			"\n- 每段写完用 novel_draft 交出去并照 nextAction 执行;用户说不对就只改他指出的那几段;确认前不要写正式章节文件\n"
		if !strings.Contains(a.text, section) {
			t.Errorf("text is %s", a.text)
		}
	})
	t.Run("D170 D171", func(t *testing.T) {
		l := shelf(t)
		l.ok(configTool, obj{"chatWriting": true})
		there := func() string {
			return l.tree("novels") + l.tree(".novel-writer/books") + l.tree(".novel-writer/tmp") + l.head()
		}
		before := there()
		for _, tt := range []struct {
			chapter any
			key     string
			next    bool
		}{{"第03章 x.md", "第03章", false}, {3, "第03章", false}, {"x", "第03章", false}, {nil, "第05章", true}, {"next", "第05章", true}, {5, "第05章", true}} {
			a := l.ok(briefTool, obj{"book": "雨夜灯", "chapter": tt.chapter})
			if chat := a.data["chatWriting"].(obj); chat["chapterKey"] != tt.key || a.data["isNext"] != tt.next {
				t.Errorf("%v: %s", tt.chapter, a.raw)
			}
		}
		if there() != before || l.exists(".novel-writer/drafts") || l.exists(schema.IndexDBPath) {
			t.Error("the brief made something")
		}
	})
	t.Run("D173", func(t *testing.T) {
		l := shelf(t)
		l.ok(configTool, obj{"chatWriting": true})
		must(t, os.MkdirAll(l.path(".novel-writer/drafts"), 0o755))
		if err := os.Symlink(l.path("novels/雨夜灯"), l.path(".novel-writer/drafts/雨夜灯")); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
		a := l.ok(briefTool, obj{"book": "雨夜灯"})
		if _, on := a.data["chatWriting"]; on || !slices.Contains(a.data["degraded"].([]any), any(schema.ChatBriefDegraded)) || a.str("anchor") == "" {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("a missing book is the only error", func(t *testing.T) {
		l := shelf(t)
		if a := l.call(briefTool, obj{"book": "没有"}); !a.isErr || !strings.HasPrefix(a.text, "错误：书库中未找到作品目录："+l.path("novels/没有")) {
			t.Errorf("%s", a.text)
		}
		l.write("novels/散稿/第07章.md", strings.Repeat("雨", 1000))
		for budget, chars := range map[string]int{"compact": 300, "full": 600} {
			if a := l.ok(briefTool, obj{"book": "散稿", "budget": budget}); len([]rune(a.str("anchor"))) != chars {
				t.Errorf("%s: %s", budget, a.raw)
			}
		}
		l.fails(briefTool, obj{"book": "散稿", "budget": "huge"}, `参数 "budget" 只能是：compact / full`)
	})
}

// TestAgentPrompts: the agents' texts are those that are installed for clients, and the tools that they name are there.
func TestAgentPrompts(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var names, tools []string
	for p, err := range l.client.Prompts(t.Context(), nil) {
		must(t, err)
		names = append(names, p.Name)
		if p.Title == "" || p.Description == "" {
			t.Errorf("%s: %+v", p.Name, p)
		}
	}
	for tool, err := range l.client.Tools(t.Context(), nil) {
		must(t, err)
		tools = append(tools, tool.Name)
	}
	for name, heading := range map[string]string{
		"context-agent": "# context-agent", "reviewer": "# reviewer", "data-agent": "# data-agent", "write": "# novel-write",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("there is no prompt %s: %v", name, names)
			continue
		}
		p, err := l.client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"book": "雨夜灯", "chapter": "7"}})
		must(t, err)
		text := p.Messages[0].Content.(*mcp.TextContent).Text
		if !strings.HasPrefix(text, heading+"\n") || !strings.HasSuffix(text, "《雨夜灯》7") || strings.Count(text, "\n## ") != 9 {
			t.Errorf("%s is %s", name, text)
		}
		for _, word := range toolNames(text) {
			if !slices.Contains(tools, word) {
				t.Errorf("%s names the tool %s", name, word)
			}
		}
	}
}
