package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestReadmeSnippets: what README tells people to put into their clients' settings is valid and starts this server.
func TestReadmeSnippets(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	must(t, err)
	found := 0
	for _, m := range regexp.MustCompile("(?ms)^```(json|toml)\n(.*?)^```").FindAllStringSubmatch(string(data), -1) {
		if !strings.Contains(m[2], `"mcp"`) {
			continue
		}
		found++
		var doc map[string]any
		if m[1] == "json" {
			err = json.Unmarshal([]byte(m[2]), &doc)
		} else {
			_, err = toml.Decode(m[2], &doc)
		}
		if err != nil {
			t.Errorf("%v in\n%s", err, m[2])
			continue
		}
		if line := commandIn(doc); len(line) != 4 || line[0] != "git-novel" || line[1] != "mcp" || line[2] != "--root" {
			t.Errorf("it starts %q in\n%s", line, m[2])
		}
	}
	if found == 0 {
		t.Fatal("README.md has no settings of clients: it must say how to add the server")
	}
}

var toolName = regexp.MustCompile(`novel_[a-z_]+`)

// toolNames are the tools that a text names.
func toolNames(text string) []string { return toolName.FindAllString(text, -1) }

// TestReadmeTools: README's tables list every tool once, in both languages, and its lists of prompts every prompt.
func TestReadmeTools(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	must(t, err)
	l := newLibrary(t)
	want := map[string]int{}
	for tool, err := range l.client.Tools(t.Context(), nil) {
		must(t, err)
		want[tool.Name] = 1
	}
	for _, head := range []string{"| tool | what it does |\n", "| 工具 | 作用 |\n"} {
		_, table, ok := strings.Cut(string(data), head)
		if !ok {
			t.Errorf("README has no table %q", head)
			continue
		}
		table, rest, _ := strings.Cut(table, "\n\n")
		got := map[string]int{}
		for line := range strings.Lines(table) {
			cells := strings.Split(line, "|")
			for _, name := range toolNames(cells[1]) {
				got[name]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("the table %q has %v, want %v", head, got, want)
		}
		prompts, _, _ := strings.Cut(rest, "\n\n")
		for p, err := range l.client.Prompts(t.Context(), nil) {
			must(t, err)
			if !strings.Contains(prompts, "`"+p.Name+"`") {
				t.Errorf("the paragraph behind the table %q lacks the prompt %s", head, p.Name)
			}
		}
	}
}

// commandIn finds the command line in a client's settings: a list, or a word with its arguments beside it.
func commandIn(v any) []string {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	switch c := m["command"].(type) {
	case string:
		return append([]string{c}, words(m["args"])...)
	case []any:
		return words(c)
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if line := commandIn(m[k]); line != nil {
			return line
		}
	}
	return nil
}

func words(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, w := range list {
		out = append(out, fmt.Sprint(w))
	}
	return out
}
