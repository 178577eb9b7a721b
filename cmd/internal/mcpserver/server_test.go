package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"git-novel/cmd/internal/mcpserver"
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestRoot are rows D17, Y21 and K32 as DESIGN 9 settles them: a root outside is an error, and with the fallback it is the
// seed's silent one, with its note.
func TestRoot(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	other := newLibrary(t)
	must(t, os.MkdirAll(l.path("sub"), 0o755))
	links := os.Symlink(other.root, l.path("link")) == nil
	outside := []string{other.root, "..", "../..", "/", filepath.Join(l.root, "..", filepath.Base(l.root)+"x"), l.root + "x"}
	if links {
		outside = append(outside, "link", filepath.Join(l.root, "link", "novels"))
	}
	for _, root := range outside {
		for tool, args := range map[string]obj{draftTool: seg("外", "1", "字"), summaryTool: add("外", "1", "文"), "novel_books": {}} {
			args["root"] = root
			a := l.call(tool, args)
			if !a.isErr || !strings.Contains(a.text, "之外") {
				t.Errorf("%s %s: %s", tool, root, a.text)
			}
		}
	}
	if other.exists(".novel-writer/drafts/外") || l.exists(".novel-writer/drafts/外") {
		t.Error("something was written")
	}
	for _, root := range []string{l.root, ".", "", "  ", "sub", l.path("sub"), l.path("novels/../sub")} {
		args := seg("内", "1", "字")
		args["root"] = root
		if a := l.ok(draftTool, args); a.str("mirrorDir") != l.path(".novel-writer/drafts/内") {
			t.Errorf("root %q: %s", root, a.raw)
		}
	}

	back := l.in(t)
	back.connect(func(o *mcpserver.Options) { o.Fallback = true })
	args := add("退", "1", "文")
	args["root"] = other.root + "\nx"
	back.ok(summaryTool, args)
	if !l.exists(summaryFile("退")) || other.exists(summaryFile("退")) {
		t.Error("the fallback wrote elsewhere")
	}
	if got := back.stderr.String(); got != "拒绝越界 root："+other.root+" x，已回退该书库根\n" {
		t.Errorf("stderr is %q", got)
	}
}

// TestServedFolders serves a folder with two libraries, and a folder inside of one.
func TestServedFolders(t *testing.T) {
	t.Parallel()
	o := optionsFor(t)
	shelf, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, name := range []string{"甲", "乙"} {
		_, err := workflow.Init(t.Context(), o, filepath.Join(shelf, name))
		must(t, err)
	}
	l := &library{t: t, root: shelf, opts: o}
	l.opts.Root = shelf
	l.connect()
	if a := l.call("novel_books", nil); !a.isErr {
		t.Errorf("no library was named: %s", a.text)
	}
	l.ok(draftTool, obj{"action": "commit", "book": "书", "text": "字", "root": "乙"})
	if !l.exists("乙/.novel-writer/drafts/书") || l.exists("甲/.novel-writer/drafts") {
		t.Error("it went to the other library")
	}
	inner := &library{t: t, root: filepath.Join(shelf, "甲"), opts: o}
	inner.opts.Root = filepath.Join(shelf, "甲", "novels")
	inner.connect()
	inner.ok("novel_books", nil)
	inner.ok("novel_books", obj{"root": inner.root})
	if a := inner.call("novel_books", obj{"root": "../../乙"}); !a.isErr {
		t.Errorf("%s", a.text)
	}
	if _, err := mcpserver.New(mcpserver.Options{Workflow: workflow.Options{Root: filepath.Join(shelf, "无")}}); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestTools checks what every tool must have, and that none offers what only a person may do.
func TestTools(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	var names []string
	for tool, err := range l.client.Tools(t.Context(), nil) {
		must(t, err)
		names = append(names, tool.Name)
		s := tool.InputSchema.(obj)
		if s["additionalProperties"] != false || tool.Description == "" {
			t.Errorf("%s: %v", tool.Name, s)
		}
		if !strings.Contains(properties(s), "root") {
			t.Errorf("%s has no root", tool.Name)
		}
		data, err := json.Marshal(tool)
		must(t, err)
		for _, word := range []string{"override", "\"pass\"", "purge"} {
			if strings.Contains(string(data), word) && (tool.Name != deleteTool || word != "purge") { // which asks for the name again
				t.Errorf("%s offers %s", tool.Name, word)
			}
		}
		if a := l.call(tool.Name, obj{"nonsense": 1, "action": "commit"}); !a.isErr || !strings.HasPrefix(a.text, "错误：") {
			t.Errorf("%s takes anything: %s", tool.Name, a.text)
		}
	}
	for _, want := range []string{
		"novel_books", "novel_chapters", "novel_read", newChapterTool, draftTool, summaryTool, "novel_status", "novel_review", "novel_chapter_commit",
		"novel_diff", "novel_history", "novel_backup", configTool, briefTool, outlineTool, contextTool, queryTool, "novel_import", deleteTool, diagnoseTool,
	} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// TestPrompts: the words that the seed's tests demand, in the instructions and in the prompt.
func TestPrompts(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	p, err := l.client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "chat-writing", Arguments: map[string]string{"book": "雨夜灯", "chapter": "3"}})
	must(t, err)
	prompt := p.Messages[0].Content.(*mcp.TextContent).Text
	for name, text := range map[string]string{"prompt": prompt, "instructions": l.client.InitializeResult().Instructions} {
		for _, word := range []string{"nextAction", "ask_user_question", "不要读它", "novel_draft", "combinedText"} {
			if !strings.Contains(text, word) {
				t.Errorf("the %s lacks %s", name, word)
			}
		}
		if n := len(regexp.MustCompile(`(?m)^\d\. `).FindAllString(text, -1)); n != 8 {
			t.Errorf("the %s has %d rules", name, n)
		}
	}
	if !strings.Contains(prompt, schema.ChatModeChecklist) || !strings.Contains(prompt, "《雨夜灯》3") {
		t.Errorf("prompt is %s", prompt)
	}
}

// TestResources lists and reads chapters and summaries.
func TestResources(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.newBook("雨夜灯")
	l.ok(newChapterTool, obj{"book": "雨夜灯", "content": "正文内容", "title": "有篇"})
	l.ok(summaryTool, add("雨夜灯", "1", "第一章的摘要"))
	uris := map[string]string{}
	for r, err := range l.client.Resources(t.Context(), nil) {
		must(t, err)
		uris[r.Name] = r.URI
	}
	read := func(uri string) (string, error) {
		res, err := l.client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return res.Contents[0].Text, nil
	}
	for name, want := range map[string]string{"第01章 有篇": "# 第01章 有篇\n\n正文内容\n", "雨夜灯 摘要": "第一章的摘要"} {
		if got, err := read(uris[name]); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s (%s): %q %v", name, uris[name], got, err)
		}
	}
	for _, uri := range []string{"novel:///雨夜灯/summaries/第一章", "novel:///%E9%9B%A8%E5%A4%9C%E7%81%AF/summaries/1"} {
		if got, err := read(uri); err != nil || got != "第一章的摘要\n" {
			t.Errorf("%s: %q %v", uri, got, err)
		}
	}
	for _, uri := range []string{"novel:///雨夜灯/chapters/9", "novel:///雨夜灯/summaries/9", "novel:///..%2F..%2Fx/chapters/1", "file:///etc/passwd", "novel:///雨夜灯"} {
		if got, err := read(uri); err == nil {
			t.Errorf("%s gives %q", uri, got)
		}
	}
	l.ok(configTool, obj{"tools": obj{"novel_read": false}})
	if got, err := read(uris["第01章 有篇"]); err == nil {
		t.Errorf("what is switched off can be read: %q", got)
	}
}

// TestRead is novel_read: by number, file and title, in pages; what is ambiguous is listed.
func TestRead(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.newBook("雨夜灯")
	l.write("novels/雨夜灯/第01章 雨夜.md", "一\n二\n三\n四\n五\n")
	l.write("novels/雨夜灯/第02章 雨停.md", "甲\n")
	l.write("novels/雨夜灯/第03章 甲.md", "丙\n")
	l.write("novels/雨夜灯/第03章 乙.md", "丁\n")
	l.write("novels/雨夜灯/番外·灯.md", "戊\n")
	for _, chapter := range []any{1, "1", "第一章", "第01章 雨夜.md", "雨夜", "夜"} {
		if a := l.ok("novel_read", obj{"book": "雨夜灯", "chapter": chapter}); a.str("text") != "一\n二\n三\n四\n五" || a.num("lines") != 5 {
			t.Errorf("%v: %s", chapter, a.raw)
		}
	}
	a := l.ok("novel_read", obj{"chapter": 1, "offset": 2, "limit": 2})
	if a.str("text") != "二\n三" || a.num("nextOffset") != 4 {
		t.Errorf("%s", a.raw)
	}
	if a = l.ok("novel_read", obj{"chapter": 1, "offset": 4}); a.str("text") != "四\n五" || a.data["nextOffset"] != nil {
		t.Errorf("%s", a.raw)
	}
	if a = l.ok("novel_read", obj{"chapter": 1, "offset": 99}); a.str("text") != "" {
		t.Errorf("%s", a.raw)
	}
	if a = l.call("novel_read", obj{"chapter": 3}); !a.isErr || !strings.HasPrefix(a.text, "错误：第 3 章有 2 个文件，无法确定要哪一份：") ||
		!strings.Contains(a.text, "第03章 甲.md") || !strings.Contains(a.text, "第03章 乙.md") {
		t.Errorf("%s", a.text)
	}
	for file, want := range map[string]string{"第03章 甲.md": "丙", "第03章 乙.md": "丁"} {
		if a = l.ok("novel_read", obj{"chapter": file}); a.str("text") != want {
			t.Errorf("%s: %s", file, a.raw)
		}
	}
	if a = l.call("novel_read", obj{"chapter": "雨"}); !a.isErr || !strings.Contains(a.text, "雨夜") || !strings.Contains(a.text, "雨停") {
		t.Errorf("%s", a.text)
	}
	for _, chapter := range []any{9, "12", "没有这章", "../../etc/passwd"} {
		if a = l.call("novel_read", obj{"chapter": chapter}); !a.isErr {
			t.Errorf("%v: %s", chapter, a.text)
		}
	}
	l.fails("novel_read", obj{"book": "雨夜灯"}, `参数 "chapter" 不能为空字符串`)
	l.fails("novel_read", obj{"chapter": 1, "limit": 0}, `参数 "limit" 必须是 1 到 5000 之间的整数`)
	if a = l.ok("novel_chapters", nil); !strings.Contains(a.text, "⚠️ 同章号多文件 1 组（第03章：第03章 乙.md、第03章 甲.md）") {
		t.Errorf("%s", a.text)
	}
}

// pipe drives a server's own transport with whole lines.
func pipe(t *testing.T, l *library, lines ...string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	s, err := mcpserver.New(mcpserver.Options{
		Workflow: l.opts, Version: "test", Stdin: strings.NewReader(strings.Join(lines, "\n")), Stdout: &out, Stderr: io.Discard,
	})
	must(t, err)
	must(t, s.Stdio(t.Context()))
	var answers []map[string]any
	for line := range strings.Lines(out.String()) {
		m := map[string]any{}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q is no message: %v", line, err)
		}
		answers = append(answers, m)
	}
	return answers
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func toolCall(id int, name string, args any) string {
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args}})
	return string(data)
}

// TestStdioSurvives: what a client must not send is answered, and the next message is served.
func TestStdioSurvives(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	big := toolCall(20, draftTool, seg("大", "1", strings.Repeat("字", mcpserver.MaxMessage/3)))
	last := `{"params":{"x":"` + strings.Repeat("x", mcpserver.MaxMessage) + `"},"jsonrpc":"2.0","id":22}` // its id cannot be known in time
	fits := toolCall(21, draftTool, seg("大", "1", strings.Repeat("字", (mcpserver.MaxMessage-400)/3)))
	answers := pipe(t, l, hello, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "垃圾", "", `{"jsonrpc":"1.0","id":7,"method":"ping"}`,
		`[{"jsonrpc":"2.0","id":8,"method":"ping"}]`, big, last, fits, `{"jsonrpc":"2.0","id":9,"method":"nope"}`, toolCall(10, "nope", obj{}),
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"novel_books","arguments":[1]}}`, toolCall(12, "novel_books", nil),
		"\ufeff"+`{"jsonrpc":"2.0","id":13,"method":"ping"}`+"\r")
	codes := map[string]float64{}
	results := map[string]map[string]any{}
	for _, m := range answers {
		id := fmt.Sprint(m["id"])
		if e, ok := m["error"].(map[string]any); ok {
			codes[id+" "+fmt.Sprint(e["message"])[:5]] = e["code"].(float64)
			continue
		}
		results[id], _ = m["result"].(map[string]any)
	}
	want := map[string]float64{
		"<nil> parse": -32700, "<nil> batch": -32600, "20 messa": -32600, "<nil> messa": -32600, "7 inval": -32600, "9 metho": -32601, "10 unkno": -32602,
	}
	if fmt.Sprint(codes) != fmt.Sprint(want) {
		t.Errorf("errors are %v, want %v", codes, want)
	}
	if r := results["1"]; r["protocolVersion"] != "2025-06-18" {
		t.Errorf("initialize: %v", r)
	}
	if results["11"]["isError"] != true || results["12"]["isError"] == true || results["13"] == nil || results["21"]["isError"] == true {
		t.Errorf("results are %v", results)
	}
	if l.exists(mirror("大", "第02章")) || strings.Count(l.read(mirror("大", "第01章")), "## 第") != 1 {
		t.Error("the message that is too long was used")
	}
}

// TestStdioOrder: calls that a client sends one behind the other are done in that order, and all are answered before the
// end of the input ends the server.
func TestStdioOrder(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	lines := []string{hello}
	for i := range 60 {
		lines = append(lines, toolCall(100+i, draftTool, seg("序", "1", fmt.Sprintf("第%d句", i))))
	}
	answers := pipe(t, l, lines...)
	if len(answers) != 61 {
		t.Errorf("%d answers", len(answers))
	}
	for i, s := range schema.ParseSegments([]byte(l.read(mirror("序", "第01章")))) {
		if s.Text != fmt.Sprintf("第%d句", i) {
			t.Fatalf("segment %d is %q", i+1, s.Text)
		}
	}
}

// TestCancel: a call that waits is ended by notifications/cancelled, and one that has not begun does not begin.
func TestCancel(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	l.opts.Wait = time.Minute
	in, feed := io.Pipe()
	got, out := io.Pipe()
	s, err := mcpserver.New(mcpserver.Options{Workflow: l.opts, Stdin: in, Stdout: out, Stderr: io.Discard})
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Stdio(context.WithoutCancel(t.Context())) }()
	answers := bufio.NewScanner(got)
	say := func(line string) {
		t.Helper()
		_, err := io.WriteString(feed, line+"\n")
		must(t, err)
	}
	hear := func() map[string]any {
		t.Helper()
		if !answers.Scan() {
			t.Fatal("the server is gone")
		}
		m := map[string]any{}
		must(t, json.Unmarshal(answers.Bytes(), &m))
		return m
	}
	say(hello)
	hear()
	unlock := l.lock()
	say(toolCall(2, summaryTool, add("消", "1", "文")))
	say(toolCall(3, summaryTool, add("消", "2", "文")))
	say(toolCall(4, "novel_books", nil))
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	time.Sleep(50 * time.Millisecond)
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if m := hear(); fmt.Sprint(m["id"]) != "2" || m["result"].(map[string]any)["isError"] != true {
		t.Errorf("%v", m)
	}
	if m := hear(); fmt.Sprint(m["id"]) != "4" {
		t.Errorf("%v", m)
	}
	unlock()
	must(t, feed.Close())
	must(t, <-done)
	if l.exists(summaryFile("消")) {
		t.Error("a cancelled call was done")
	}
}

// TestHTTP: the same tools over a loopback address, for this machine's own programs alone.
func TestHTTP(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	notes := &safeBuffer{}
	s, err := mcpserver.New(mcpserver.Options{Workflow: l.opts, Version: "test", Stderr: notes})
	must(t, err)
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.168.1.1:80", "example.com:80", "8123"} {
		if err := s.HTTP(t.Context(), addr); schema.CodeOf(err) != schema.CodeUsage {
			t.Errorf("%s: %v", addr, err)
		}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, "127.0.0.1:0") }()
	url := ""
	for range 200 {
		if m := regexp.MustCompile(`http://\S+`).FindString(notes.String()); m != "" {
			url = m
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	must(t, err)
	if a := callTool(t, c, draftTool, seg("网", "1", "字")); a.num("segmentIndex") != 1 {
		t.Errorf("%s", a.raw)
	}
	must(t, c.Close())
	for name, change := range map[string]func(*http.Request){
		"foreign host":   func(r *http.Request) { r.Host = "evil.example" },
		"foreign origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"cross site":     func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(hello))
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		change(req)
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(strings.Repeat(" ", mcpserver.MaxMessage+1)))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a message that is too long: %s", res.Status)
	}
	stop()
	must(t, <-done)
}
