package agentkit

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"git-novel/schema"

	"github.com/BurntSushi/toml"
)

// TestNineSections: every text follows the template of the seed (harness_v6, 4.7).
func TestNineSections(t *testing.T) {
	t.Parallel()
	want := []string{
		"1. 身份与目标", "2. 可用工具与脚本", "3. 思维链", "4. 输入", "5. 执行流程", "6. 边界与禁区", "7. 检查清单", "8. 输出格式", "9. 错误处理",
	}
	for _, name := range Bodies() {
		body, err := Body(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s has the sections %q", name, got)
		}
		if strings.Contains(body, "'''") {
			t.Errorf("%s would end its TOML string", name)
		}
	}
}

// TestFilesAreReadable: what each client gets, it can parse; a second install changes nothing; an edited entry of ours is
// told apart from a foreign one, and force brings ours back.
func TestFilesAreReadable(t *testing.T) {
	t.Parallel()
	if _, err := Files("emacs"); schema.CodeOf(err) != schema.CodeUsage {
		t.Errorf("an unknown client: %v", err)
	}
	for _, c := range Clients() {
		files, err := Files(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data := f.Data
			if f.Merge != nil {
				if data, _, err = f.Merge(nil, false); err != nil {
					t.Errorf("%s: %v", f.Path, err)
				}
				again, edited, err := f.Merge(data, false)
				if err != nil || edited || string(again) != string(data) {
					t.Errorf("%s changes a second time: %v %v %s", f.Path, err, edited, again)
				}
				at := strings.LastIndex(string(data), `"mcp"`)
				other := []byte(string(data[:max(at, 0)]) + `"mcp2"` + string(data[max(at, 0)+5:]))
				if strings.Contains(f.Path, "hooks") || strings.Contains(f.Path, "settings") {
					other = []byte(strings.Replace(string(data), `"matcher": "`, `"matcher": "X|`, 1))
				}
				if kept, edited, err := f.Merge(other, false); err != nil || !edited || string(kept) != string(other) {
					t.Errorf("%s: an edited entry: %v %v", f.Path, err, edited)
				}
				if forced, edited, err := f.Merge(other, true); err != nil || edited || string(forced) != string(data) {
					t.Errorf("%s: forced: %v %v\n%s", f.Path, err, edited, forced)
				}
				if _, _, err := f.Merge([]byte("{"), false); err == nil && strings.HasSuffix(f.Path, ".json") {
					t.Errorf("%s: a damaged file was taken", f.Path)
				}
			}
			switch {
			case strings.HasSuffix(f.Path, ".json"):
				if !json.Valid(data) {
					t.Errorf("%s: %s", f.Path, data)
				}
			case strings.HasSuffix(f.Path, ".toml"):
				var v map[string]any
				if err := toml.Unmarshal(data, &v); err != nil {
					t.Errorf("%s: %v", f.Path, err)
				}
			case strings.HasSuffix(f.Path, ".md"):
				if !strings.HasPrefix(string(data), "---\n") || !strings.Contains(string(data), "\ndescription: ") && !strings.HasPrefix(string(data), "---\ndescription: ") {
					t.Errorf("%s has no front matter", f.Path)
				}
			}
		}
	}
}

// TestForeignEntriesStay: hooks and servers of others keep their place.
func TestForeignEntriesStay(t *testing.T) {
	t.Parallel()
	have := `{"permissions":{"allow":["x"]},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}],"Stop":[1]}}`
	out, edited, err := hookEntry("Write")([]byte(have), false)
	if err != nil || edited {
		t.Fatal(err, edited)
	}
	var v struct {
		Permissions map[string]any
		Hooks       map[string][]any
	}
	if err := json.Unmarshal(out, &v); err != nil || len(v.Hooks["PreToolUse"]) != 2 || len(v.Hooks["Stop"]) != 1 || v.Permissions["allow"] == nil {
		t.Errorf("%v %s", err, out)
	}
	out, _, err = codexServer([]byte("# 我的\nmodel = \"x\""), false)
	if err != nil || !strings.HasPrefix(string(out), "# 我的\nmodel = \"x\"\n") {
		t.Errorf("%v %s", err, out)
	}
	with := "model = \"x\"\n\n[mcp_servers.git-novel]\ncommand = \"old\"\n\n[other]\na = 1\n"
	out, _, err = codexServer([]byte(with), true)
	if err != nil || string(out) != "model = \"x\"\n\n"+codexEntry+"\n[other]\na = 1\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
