package agentkit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"git-novel/schema"
)

// document reads a JSON object, keeping the order of its keys by keeping its bytes.
func document(have []byte) (map[string]json.RawMessage, error) {
	doc := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(have)) == 0 {
		return doc, nil
	}
	if err := schema.Unmarshal("", have, &doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// The parts of clients' files that hold our entries; every other key is written back as it was.
type (
	servers struct {
		Ours json.RawMessage `json:"git-novel"`
	}
	claudeServers struct {
		Servers servers `json:"mcpServers"`
	}
	openCodeServers struct {
		Servers servers `json:"mcp"`
	}
	hookFile struct {
		Hooks struct {
			Pre []json.RawMessage `json:"PreToolUse"`
		} `json:"hooks"`
	}
)

func serverDocument(key string, entry json.RawMessage) any {
	if key == "mcp" {
		return &openCodeServers{servers{entry}}
	}
	return &claudeServers{servers{entry}}
}

// serverEntry puts our MCP server below a key of a JSON file.
func serverEntry(key string, entry map[string]any) func([]byte, bool) ([]byte, bool, error) {
	return func(have []byte, force bool) ([]byte, bool, error) {
		doc, err := document(have)
		if err != nil {
			return nil, false, err
		}
		entries := map[string]json.RawMessage{}
		if raw, ok := doc[key]; ok {
			if err := schema.Unmarshal(key, raw, &entries); err != nil {
				return nil, false, err
			}
		}
		want, err := json.Marshal(entry)
		if err != nil {
			return nil, false, schema.Wrap(err, schema.CodeUnexpected, "the entry cannot be encoded")
		}
		if old, ok := entries[ServerName]; ok {
			if sameJSON(old, want) {
				return have, false, nil
			}
			if !force {
				return have, true, nil
			}
		}
		out, err := schema.MarshalKeep(serverDocument(key, want), have)
		return out, false, err
	}
}

// hookEntry puts our guard among the hooks that run before a tool; others stay, in their order.
func hookEntry(matcher string) func([]byte, bool) ([]byte, bool, error) {
	return func(have []byte, force bool) ([]byte, bool, error) {
		doc, err := document(have)
		if err != nil {
			return nil, false, err
		}
		hooks := map[string]json.RawMessage{}
		if raw, ok := doc["hooks"]; ok {
			if err := schema.Unmarshal("hooks", raw, &hooks); err != nil {
				return nil, false, err
			}
		}
		var list []json.RawMessage
		if raw, ok := hooks["PreToolUse"]; ok {
			if err := schema.Unmarshal("hooks.PreToolUse", raw, &list); err != nil {
				return nil, false, err
			}
		}
		want, err := json.Marshal(map[string]any{"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": GuardCommand}}})
		if err != nil {
			return nil, false, schema.Wrap(err, schema.CodeUnexpected, "the entry cannot be encoded")
		}
		at := -1
		for i, raw := range list {
			if strings.Contains(string(raw), GuardCommand) {
				at = i
			}
		}
		switch {
		case at >= 0 && sameJSON(list[at], want):
			return have, false, nil
		case at >= 0 && !force:
			return have, true, nil
		case at >= 0:
			list[at] = want
		default:
			list = append(list, want)
		}
		var file hookFile
		file.Hooks.Pre = list
		out, err := schema.MarshalKeep(&file, have)
		return out, false, err
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// codexTable is the head of our table in Codex's config.toml.
const codexTable = "[mcp_servers." + ServerName + "]"

const codexEntry = codexTable + "\ncommand = \"" + Program + "\"\nargs = [\"mcp\"]\n"

// codexServer puts our MCP server at the end of config.toml; every other byte of it stays.
func codexServer(have []byte, force bool) ([]byte, bool, error) {
	text := string(have)
	at := tableAt(text)
	if at < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if text != "" {
			text += "\n"
		}
		return []byte(text + codexEntry), false, nil
	}
	end := len(text)
	for pos := at + len(codexTable); pos < len(text); {
		nl := strings.IndexByte(text[pos:], '\n')
		if nl < 0 {
			break
		}
		pos += nl + 1
		if strings.HasPrefix(strings.TrimLeft(text[pos:], " \t"), "[") {
			end = pos
			break
		}
	}
	if strings.TrimSpace(text[at:end]) == strings.TrimSpace(codexEntry) {
		return have, false, nil
	}
	if !force {
		return have, true, nil
	}
	gap := ""
	if end < len(text) {
		gap = "\n"
	}
	return []byte(text[:at] + codexEntry + gap + text[end:]), false, nil
}

// tableAt is where a line begins that opens our table, -1 without one.
func tableAt(text string) int {
	for pos := 0; pos < len(text); {
		line, _, _ := strings.Cut(text[pos:], "\n")
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, codexTable) || strings.HasPrefix(trimmed, `[mcp_servers."`+ServerName+`"]`) {
			return pos
		}
		pos += len(line) + 1
	}
	return -1
}
