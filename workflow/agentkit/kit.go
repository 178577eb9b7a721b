package agentkit

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"git-novel/schema"
)

//go:embed body/*.md body/guard.js
var bodies embed.FS

// Program is the command that hooks and entries start: the program itself, found on PATH.
const Program = "git-novel"

// ServerName is the name of our entry among a client's MCP servers.
const ServerName = "git-novel"

// GuardCommand is what a client's hook runs before a tool: it reads the client's JSON and refuses with exit code 2.
const GuardCommand = Program + " guard"

// Client is a program that runs agents.
type Client string

// The clients.
const (
	Claude   Client = "claude"
	OpenCode Client = "opencode"
	Codex    Client = "codex"
)

// Clients lists them.
func Clients() []Client { return []Client{Claude, OpenCode, Codex} }

// File is one file for a client.
type File struct {
	Path string // slash separated, from the library's root
	Data []byte // the whole file, for a file of ours
	// Merge puts our entry into a file that others have entries in. have is nil without one. Without force an entry of ours
	// that was edited stays; edited says so.
	Merge func(have []byte, force bool) (data []byte, edited bool, err error)
}

// part is one text with what clients need to know about it.
type part struct {
	name, about, file string
}

func agents() []part {
	return []part{
		{"context-agent", "写前上下文：查清一章需要的全部事实，输出五段任务书。起草一章之前使用。", "context-agent.md"},
		{"reviewer", "统一审查：按维度核对一章正文，输出结构化问题清单；也做去 AI 味的独立复检。", "reviewer.md"},
		{"data-agent", "数据回写：从已审查的正文提取事实、节点覆盖与摘要，完成章节入库。", "data-agent.md"},
	}
}

func skill() part {
	return part{"novel-write", "写一章小说：预检、上下文、起草、审查、润色复检、回写、备份六步。用户要求写、续写或完成某一章时使用。", "novel-write.md"}
}

// Body is the text of an agent or the skill.
func Body(name string) (string, error) {
	data, err := bodies.ReadFile("body/" + name)
	if err != nil {
		return "", schema.Wrap(err, schema.CodeUnexpected, "the program lacks the text %s", name)
	}
	return string(data), nil
}

// Bodies names every text.
func Bodies() []string {
	out := make([]string, 0, len(agents())+1)
	for _, p := range append(agents(), skill()) {
		out = append(out, p.file)
	}
	return out
}

// Prompt is a text of ours as a server hands it out.
type Prompt struct {
	Name, About, Body string
}

// Prompts gives the agents and, as "write", the skill.
func Prompts() ([]Prompt, error) {
	write := skill()
	write.name = "write"
	var out []Prompt
	for _, p := range append(agents(), write) {
		body, err := Body(p.file)
		if err != nil {
			return nil, err
		}
		out = append(out, Prompt{p.name, p.about, body})
	}
	return out, nil
}

// Files gives what a client gets. An unknown client is CodeUsage.
func Files(c Client) ([]File, error) {
	if !slices.Contains(Clients(), c) {
		return nil, schema.Errorf(schema.CodeUsage, "there is no client %q", string(c)).WithHint("the clients are claude, opencode and codex")
	}
	var out []File
	for _, p := range agents() {
		body, err := Body(p.file)
		if err != nil {
			return nil, err
		}
		out = append(out, agentFile(c, p, body))
	}
	body, err := Body(skill().file)
	if err != nil {
		return nil, err
	}
	dir := map[Client]string{Claude: ".claude/skills/", OpenCode: ".opencode/skills/", Codex: ".agents/skills/"}[c]
	out = append(out, File{Path: dir + skill().name + "/SKILL.md", Data: []byte(front("name: "+skill().name, "description: "+skill().about) + body)})
	switch c {
	case Claude:
		out = append(out,
			File{Path: ".claude/settings.json", Merge: hookEntry("Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*(write|edit|move|create|delete).*")},
			File{Path: ".mcp.json", Merge: serverEntry("mcpServers", map[string]any{"command": Program, "args": []string{"mcp"}})})
	case OpenCode:
		js, err := Body("guard.js")
		if err != nil {
			return nil, err
		}
		out = append(out, File{Path: ".opencode/plugins/novel-guard.js", Data: []byte(js)},
			File{Path: "opencode.json", Merge: serverEntry("mcp", map[string]any{"type": "local", "command": []string{Program, "mcp"}, "enabled": true})})
	case Codex:
		out = append(out, File{Path: ".codex/hooks.json", Merge: hookEntry("Bash|apply_patch|Edit|Write")}, File{Path: ".codex/config.toml", Merge: codexServer})
	}
	return out, nil
}

func agentFile(c Client, p part, body string) File {
	switch c {
	case Codex:
		return File{Path: ".codex/agents/" + p.name + ".toml", Data: []byte("name = " + quoted(p.name) + "\ndescription = " + quoted(p.about) +
			"\ndeveloper_instructions = '''\n" + body + "'''\n")}
	case OpenCode:
		return File{Path: ".opencode/agents/" + p.name + ".md", Data: []byte(front("description: "+p.about, "mode: subagent") + body)}
	case Claude:
	}
	return File{Path: ".claude/agents/" + p.name + ".md", Data: []byte(front("name: "+p.name, "description: "+p.about, "tools: Read, Grep, Glob, Bash") + body)}
}

func front(lines ...string) string { return "---\n" + strings.Join(lines, "\n") + "\n---\n\n" }

func quoted(s string) string {
	data, _ := json.Marshal(s) //nolint:errchkjson // a string always encodes; TOML's basic strings take the same escapes
	return string(data)
}
