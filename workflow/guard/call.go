package guard

import (
	"encoding/json"
	"slices"
	"strings"

	"git-novel/schema"
)

// Target is a file, a folder or a pattern that a call would change.
type Target struct {
	Path string // as written; relative to Dir
	Dir  string // the folder the words are relative to, "" for the call's own
	By   string // what changes it: the tool, or the program of a command line
	Tree bool   // everything below Path too
}

// Call is a client's tool call.
type Call struct {
	Tool  string
	Dir   string // the client's current folder, "" when it does not say
	Input map[string]json.RawMessage
}

// maxCall bounds a call in bytes.
const maxCall = 8 << 20

// ParseCall reads the JSON that clients hand to a hook: tool_name, tool_input and cwd.
func ParseCall(data []byte) (*Call, error) {
	if len(data) > maxCall {
		return nil, schema.Errorf(schema.CodeInvalid, "the tool call has more than %d bytes", maxCall)
	}
	var in struct {
		Tool  string                     `json:"tool_name"`
		Input map[string]json.RawMessage `json:"tool_input"`
		Dir   string                     `json:"cwd"`
	}
	if err := json.Unmarshal(data, &in); err != nil || in.Tool == "" {
		return nil, schema.Wrap(err, schema.CodeInvalid, "this is not the tool call of a client: tool_name and tool_input are expected")
	}
	return &Call{Tool: in.Tool, Dir: in.Dir, Input: in.Input}, nil
}

// reading are tools that change nothing, so that a path they name is no target.
func reading(tool string) bool {
	return slices.Contains([]string{"read", "grep", "glob", "ls", "list", "websearch", "webfetch", "todowrite", "todoread", "task"}, tool)
}

// Targets lists what the call would change.
func (c *Call) Targets() []Target {
	tool := strings.ToLower(c.Tool)
	if reading(tool) {
		return nil
	}
	var out []Target
	if cmd, ok := c.command(); ok {
		return Command(cmd, c.text("workdir", "cwd"))
	}
	if patch := c.text("patchText", "patch", "input"); strings.Contains(patch, "*** Begin Patch") {
		return patched(patch, c.Tool)
	}
	if strings.HasPrefix(tool, "mcp__") && !writes(tool) {
		return nil
	}
	for _, key := range []string{"file_path", "filePath", "path", "notebook_path", "destination", "source", "target", "new_path", "old_path"} {
		if p := c.text(key); p != "" {
			out = append(out, Target{Path: p, By: c.Tool, Tree: true})
		}
	}
	return out
}

// writes reports a tool whose name says that it changes files.
func writes(tool string) bool {
	return slices.ContainsFunc([]string{"write", "edit", "create", "move", "delete", "remove", "rename", "patch", "copy"}, func(w string) bool {
		return strings.Contains(tool, w)
	})
}

// text is the first of the named inputs that is a text.
func (c *Call) text(keys ...string) string {
	for _, k := range keys {
		var s string
		if raw, ok := c.Input[k]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// command is the command line of a shell tool: one text, or the words of an argv. The words of `bash -lc LINE` are the line.
func (c *Call) command() (string, bool) {
	raw, ok := c.Input["command"]
	if !ok {
		return "", false
	}
	var line string
	if json.Unmarshal(raw, &line) == nil {
		return line, true
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return "", false
	}
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(quoted, " "), true
}

// patched lists the files of a patch in the form that agents send.
func patched(patch, tool string) []Target {
	var out []Target
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				out = append(out, Target{Path: strings.TrimSpace(p), By: tool})
			}
		}
	}
	return out
}
