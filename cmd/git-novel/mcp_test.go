package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"git-novel/schema"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The program as agents meet it: started by a real client, over its standard input and output.

type desk struct {
	t    testing.TB
	root string
	env  []string
}

// newDesk makes a library with the program itself.
func newDesk(t testing.TB) *desk {
	t.Helper()
	home := t.TempDir()
	identity := "[user]\n\tname = 沈砚\n\temail = shen@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n"
	mustDo(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(identity), 0o644))
	d := &desk{t: t, root: filepath.Join(home, "书库"), env: append(
		slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM=1", "NOVEL_LANG=zh",
	)}
	d.run("init", d.root)
	return d
}

func mustDo(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (d *desk) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git-novel", args...)
	cmd.Env, cmd.Dir = d.env, filepath.Dir(d.root)
	return cmd
}

// run is what a person does at the command line.
func (d *desk) run(args ...string) string {
	d.t.Helper()
	cmd := d.command(args...)
	if _, err := os.Stat(d.root); err == nil {
		cmd.Dir = d.root
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git-novel %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// agent starts the server and connects to it. The process is handed back too, to be killed.
func (d *desk) agent() (*mcp.ClientSession, *exec.Cmd) {
	d.t.Helper()
	cmd := d.command("mcp", "--root", d.root)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(d.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		d.t.Fatalf("%v\n%s", err, stderr.String())
	}
	d.t.Cleanup(func() { _ = s.Close() })
	return s, cmd
}

type args = map[string]any

// ask calls a tool that must succeed, and gives its structured content and its text.
func ask(t testing.TB, s *mcp.ClientSession, tool string, a args) (map[string]any, string) {
	t.Helper()
	data, text, err := try(t.Context(), s, tool, a)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return data, text
}

// try calls a tool; a refusal is an error with the tool's text.
func try(ctx context.Context, s *mcp.ClientSession, tool string, a args) (map[string]any, string, error) {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return nil, "", err
	}
	text := ""
	for _, c := range res.Content {
		if b, ok := c.(*mcp.TextContent); ok {
			text += b.Text + "\n"
		}
	}
	if res.IsError {
		return nil, text, fmt.Errorf("refused: %s", text)
	}
	data, _ := res.StructuredContent.(map[string]any)
	return data, text, nil
}

// TestMCPWholeBook drives a book from its first segment to its backup, as an agent does.
func TestMCPWholeBook(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.run("book", "new", "雨夜灯")
	d.run("backup", "add", "家", filepath.Join(filepath.Dir(d.root), "backup.git"))
	s, _ := d.agent()

	ask(t, s, "novel_sentence_config", args{"chatWriting": true, "chatThreshold": 300})
	asked := 0
	var written []string
	for i := range 12 {
		text, err := prose("", "2")
		mustDo(t, err)
		text = fmt.Sprintf("第%s段：", hanNumber(i+1)) + strings.TrimSpace(strings.Repeat(text, 1))
		text = strings.ReplaceAll(text, "回想起", fmt.Sprintf("在第%s夜回想起", hanNumber(i+1)))
		written = append(written, text)
		a, shown := ask(t, s, "novel_draft", args{"action": "commit", "book": "雨夜灯", "chapter": "1", "text": text})
		if a["segmentIndex"] != float64(i+1) || !strings.Contains(shown, "不要读") {
			t.Fatalf("segment %d: %v", i+1, a)
		}
		if a["nextAction"] == schema.NextAskUser {
			asked++
			if !strings.Contains(a["question"].(string), text) {
				t.Errorf("the question lacks the segment: %v", a["question"])
			}
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}

	made, _ := ask(t, s, "novel_new_chapter", args{"book": "雨夜灯", "title": "当铺", "content": strings.Join(written, "\n\n")})
	mirror, err := os.ReadFile(filepath.Join(d.root, filepath.FromSlash(schema.MirrorPath("雨夜灯", "第01章"))))
	mustDo(t, err)
	if !strings.Contains(string(mirror), "## 定稿落盘 · 第1章 · ") || len(schema.ParseSegments(mirror)) != 12 {
		t.Errorf("mirror is %s", mirror)
	}
	if _, text, err := try(t.Context(), s, "novel_new_chapter", args{"content": "第二章的正文"}); err == nil || !strings.Contains(text, "git novel ") {
		t.Errorf("chapter 2 may start: %s", text)
	}
	ask(t, s, "novel_summary", args{"book": "雨夜灯", "action": "add", "chapter": 1, "summary": "沈砚回到西市当铺。", "keyEvents": []string{"回到当铺"}})

	if _, text, err := try(t.Context(), s, "novel_chapter_commit", args{"chapter": 1}); err == nil {
		t.Errorf("a chapter without a review was committed: %s", text)
	}
	task, _ := ask(t, s, "novel_review", args{"action": "task", "chapter": 1})
	if task["blob"] != made["blob"] {
		t.Errorf("the task is for %v, the chapter is %v", task["blob"], made["blob"])
	}
	dims := args{}
	for _, k := range []string{"setting", "timeline", "continuity", "character", "logic", "ai_flavor"} {
		dims[k] = "pass"
	}
	review, _ := ask(t, s, "novel_review", args{"action": "record", "chapter": 1, "results": args{
		"text": args{"blob": task["blob"]}, "dimensions": dims, "issues": []any{}, "issues_count": 0, "blocking_count": 0, "summary": "无阻断",
	}})
	if review["advanced"] != true {
		t.Errorf("review: %v", review)
	}
	done, _ := ask(t, s, "novel_chapter_commit", args{"chapter": 1})
	if done["status"] != "accepted" {
		t.Errorf("commit: %v", done)
	}
	if _, text := ask(t, s, "novel_diff", args{"chapter": 1}); !strings.Contains(text, "草稿") {
		t.Errorf("diff: %s", text)
	}
	backup, text := ask(t, s, "novel_backup", args{"chapter": 1})
	facts, _ := backup["facts"].(map[string]any)
	if facts["pushed"] == "" || facts["pushed"] != facts["committed"] {
		t.Errorf("backup: %v\n%s", facts, text)
	}
	board, _ := ask(t, s, "novel_status", nil)
	book := board["books"].([]any)[0].(map[string]any)
	if book["current_chapter"] != float64(1) || len(book["debt"].([]any)) != 0 {
		t.Errorf("status: %v", book)
	}
	if log, _ := ask(t, s, "novel_history", args{"chapter": 1}); log["total"].(float64) < 5 {
		t.Errorf("history: %v", log)
	}
	ask(t, s, "novel_new_chapter", args{"content": "第二章的正文，雨停了。"})
	mustDo(t, s.Close())

	d.run("verify")
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("no git program: what git itself says is not checked")
		return
	}
	if out, err := exec.Command("git", "-C", d.root, "fsck", "--strict").CombinedOutput(); err != nil {
		t.Errorf("git fsck: %v\n%s", err, out)
	}
}

// stress is how hard the tests of many processes and of kills try: NOVEL_STRESS=1 makes them do the full numbers.
func stress(small, full int) int {
	if os.Getenv("NOVEL_STRESS") != "" {
		return full
	}
	return small
}

// TestMCPProcesses lets many servers append to one mirror and write one summaries file. Nothing is lost, nothing is there
// twice, and the history is one line.
func TestMCPProcesses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	processes, each := stress(4, 20), stress(10, 50)
	var wg sync.WaitGroup
	for p := range processes {
		s, _ := d.agent()
		wg.Go(func() {
			for i := range each {
				text := fmt.Sprintf("甲%d的第%d段", p, i)
				if _, _, err := try(t.Context(), s, "novel_draft", args{"action": "commit", "book": "雨夜灯", "chapter": "1", "text": text}); err != nil {
					t.Error(err)
				}
				if _, _, err := try(t.Context(), s, "novel_summary", args{"book": "雨夜灯", "action": "add", "chapter": p*each + i + 1, "summary": text}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	d.checkMirror(processes * each)
	data, err := os.ReadFile(filepath.Join(d.root, filepath.FromSlash(schema.SummariesPath("雨夜灯"))))
	mustDo(t, err)
	if entries, ok := schema.ParseSummaries(data); !ok || len(entries) != processes*each {
		t.Errorf("%d summaries, want %d", len(entries), processes*each)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("no git program: the history is not checked")
		return
	}
	merges, err := exec.Command("git", "-C", d.root, "rev-list", "--count", "--min-parents=2", "HEAD").Output()
	mustDo(t, err)
	if strings.TrimSpace(string(merges)) != "0" {
		t.Errorf("the history has %s merges", merges)
	}
	if out, err := exec.Command("git", "-C", d.root, "fsck", "--strict").CombinedOutput(); err != nil {
		t.Errorf("git fsck: %v\n%s", err, out)
	}
}

// checkMirror wants n segments with the numbers 1 to n, each text once, and gives the texts.
func (d *desk) checkMirror(n int) []string {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.root, filepath.FromSlash(schema.MirrorPath("雨夜灯", "第01章"))))
	mustDo(d.t, err)
	var texts []string
	for i, s := range schema.ParseSegments(data) {
		if s.Index != i+1 {
			d.t.Errorf("segment %d has number %d", i+1, s.Index)
		}
		if slices.Contains(texts, s.Text) {
			d.t.Errorf("%q is there twice", s.Text)
		}
		texts = append(texts, s.Text)
	}
	if n >= 0 && len(texts) != n {
		d.t.Errorf("%d segments, want %d", len(texts), n)
	}
	return texts
}

// TestMCPKilled kills the server again and again while it appends. Every segment that was acknowledged is there once, and
// numbers have no gap.
func TestMCPKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var acknowledged []string
	total := stress(60, 1000)
	for round := 0; len(acknowledged) < total; round++ {
		s, cmd := d.agent()
		timer := time.AfterFunc(time.Duration(20+round*37%180)*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for i := 0; ; i++ {
			text := fmt.Sprintf("第%d回的第%d段，%s", round, i, strings.Repeat("字", i%40))
			if _, _, err := try(t.Context(), s, "novel_draft", args{"action": "commit", "book": "雨夜灯", "chapter": "1", "text": text}); err != nil {
				break
			}
			acknowledged = append(acknowledged, text)
		}
		timer.Stop()
		_ = cmd.Process.Kill()
		_ = s.Close()
		if round > total {
			t.Fatal("the server never acknowledges anything")
		}
	}
	s, _ := d.agent()
	if _, _, err := try(t.Context(), s, "novel_draft", args{"action": "commit", "book": "雨夜灯", "chapter": "1", "text": "最后一段"}); err != nil {
		t.Fatal(err)
	}
	folder, err := os.ReadDir(filepath.Join(d.root, filepath.FromSlash(schema.DraftDir("雨夜灯"))))
	mustDo(t, err)
	if len(folder) != 2 { // what a crash left beside them is gone
		t.Errorf("the folder holds %v", folder)
	}
	there := d.checkMirror(-1)
	for _, text := range append(acknowledged, "最后一段") {
		if !slices.Contains(there, text) {
			t.Errorf("%q was acknowledged and is gone", text)
		}
	}
}

// TestMCPTypeScript runs the official TypeScript SDK's client against the program. NOVEL_MCP_NODE_MODULES names the folder
// node_modules that has it; tests fetch nothing from the network.
func TestMCPTypeScript(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH")
	}
	modules := os.Getenv("NOVEL_MCP_NODE_MODULES")
	if modules == "" {
		t.Skip("NOVEL_MCP_NODE_MODULES does not name a node_modules folder with @modelcontextprotocol/sdk")
	}
	d := newDesk(t)
	program, err := exec.LookPath("git-novel")
	mustDo(t, err)
	script, err := os.ReadFile(filepath.Join("..", "..", "testdata", "mcp", "client.mjs"))
	mustDo(t, err)
	dir := t.TempDir()
	mustDo(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o644))
	mustDo(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	cmd := exec.Command(node, "client.mjs", program, d.root)
	cmd.Dir, cmd.Env = dir, d.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	var r struct {
		Server  string
		Tools   []string
		Prompts []string
		Draft   map[string]any
		Refused struct {
			IsError bool
			Text    string
		}
		Added, Listed struct{ Summaries []schema.SummaryEntry }
		Threshold     int
	}
	mustDo(t, json.Unmarshal(out, &r))
	if r.Server != "git-novel" || !slices.Contains(r.Tools, "novel_draft") || !slices.Contains(r.Prompts, "chat-writing") || r.Threshold != 400 {
		t.Errorf("%s", out)
	}
	if r.Draft["chapter"] != "第03章" || r.Draft["nextAction"] != "continue" || len(r.Draft) != 13 {
		t.Errorf("draft: %v", r.Draft)
	}
	if !r.Refused.IsError || r.Refused.Text != "错误："+schema.DraftActionError {
		t.Errorf("refused: %v", r.Refused)
	}
	if len(r.Added.Summaries) != 1 || r.Added.Summaries[0].Chapter != "第02章" || len(r.Listed.Summaries) != 1 {
		t.Errorf("summaries: %v %v", r.Added, r.Listed)
	}
}
