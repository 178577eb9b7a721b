package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"git-novel/schema"
)

const (
	configTool = "novel_sentence_config"
	stateFile  = schema.LibraryStatePath
)

// TestChatThreshold are rows D96–D117: what each value stores, and what is then in force.
func TestChatThreshold(t *testing.T) {
	t.Parallel()
	rows := []struct {
		row    string
		value  string // JSON
		stored int    // 0: none, -1: what was stored before stays
	}{
		{"D96", "400", 400},
		{"D97", "800.4", 800},
		{"D98", "800.5", 801},
		{"D99", "50", 100},
		{"D99 half", "99.5", 100},
		{"D99 small", "0.4", 100},
		{"D100", "100.4", 100},
		{"D100 half", "100.5", 101},
		{"D101", "4999.5", 5000},
		{"D102", "5000", 5000},
		{"D102 above", "5000.4", 5000},
		{"D102 D114 far above", "999999", 5000},
		{"D103", "100", 100},
		{"D104 D112", "0", 0},
		{"D104 negative", "-5", 0},
		{"D105 D112 K9 null", "null", 0},
		{"D105 empty", `""`, 0},
		{"D106 D113 K9 word", `"abc"`, -1},
		{"D106 unit", `"12px"`, -1},
		{"D106 full width", `"４００"`, -1},
		{"D106 NaN", `"NaN"`, -1},
		{"D106 Infinity", `"Infinity"`, -1},
		{"D106 object", "{}", -1},
		{"D106 list", "[1,2]", -1},
		{"D107", `"400"`, 400},
		{"D107 spaces", `"  250 "`, 250},
		{"D108 hex", `"0x190"`, 400},
		{"D108 exponent", `"1e3"`, 1000},
		{"D109 K35 true", "true", -1},
		{"D109 K35 false", "false", -1},
		{"D110 K35", "[500]", -1},
	}
	l := newLibrary(t)
	for _, tt := range rows {
		t.Run(tt.row, func(t *testing.T) {
			l := l.in(t)
			l.ok(configTool, obj{"chatThreshold": 333})
			a := l.ok(configTool, obj{"chatThreshold": json.RawMessage(tt.value)})
			want, effective := tt.stored, tt.stored
			switch tt.stored {
			case 0:
				effective = 400
			case -1:
				want, effective = 333, 333
				if !strings.Contains(a.text, "已忽略") {
					t.Errorf("text is %s", a.text)
				}
			}
			if a.num("chatThreshold") != effective {
				t.Errorf("%v is in force, want %d", a.data["chatThreshold"], effective)
			}
			var st schema.LibraryState
			must(t, json.Unmarshal([]byte(l.read(stateFile)), &st))
			if st.ChatThreshold != want {
				t.Errorf("%d is stored, want %d", st.ChatThreshold, want)
			}
			if got := l.ok(draftTool, seg("阈值", "1", "字")).num("threshold"); got != effective {
				t.Errorf("novel_draft goes by %d", got)
			}
		})
	}
	t.Run("D113 nothing stored", func(t *testing.T) {
		l := newLibrary(t)
		l.ok(configTool, obj{"chatThreshold": "abc"})
		if got := l.ok(draftTool, seg("阈值", "1", "字")).num("threshold"); got != 400 {
			t.Errorf("threshold is %d", got)
		}
	})
	t.Run("D116 K10", func(t *testing.T) {
		l := l.in(t)
		l.ok(configTool, obj{"chatThreshold": 222})
		for _, where := range [][2]string{{"甲", "1"}, {"甲", "2"}, {"乙", "1"}} {
			if got := l.ok(draftTool, seg(where[0], where[1], "字")).num("threshold"); got != 222 {
				t.Errorf("%v: %d", where, got)
			}
		}
	})
	t.Run("D117", func(t *testing.T) {
		l := l.in(t)
		l.write(stateFile, `{"chatThreshold": 321, "leanWorkflow": true}`)
		if got := l.ok(configTool, obj{}).num("chatThreshold"); got != 321 {
			t.Errorf("threshold is %d", got)
		}
		l.ok(configTool, obj{"chatThreshold": 322})
		if file := l.read(stateFile); !strings.Contains(file, `"chatThreshold": 322`) || !strings.Contains(file, `"leanWorkflow": true`) {
			t.Errorf("state.json is %s", file)
		}
	})
}

// TestSwitches are the rules of the settings tool that no row names.
func TestSwitches(t *testing.T) {
	t.Parallel()
	l := newLibrary(t)
	t.Run("reading writes nothing", func(t *testing.T) {
		l := l.in(t)
		before := l.tree(".")
		if a := l.ok(configTool, nil); a.data["chatWriting"] != false || a.num("chatThreshold") != 400 {
			t.Errorf("%s", a.raw)
		}
		if l.tree(".") != before {
			t.Error("something was written")
		}
	})
	t.Run("cannot switch itself off", func(t *testing.T) {
		a := l.in(t).call(configTool, obj{"tools": obj{configTool: false, "novel_darft": false}, "chatThreshold": 200})
		if !a.isErr || !strings.Contains(a.text, "不能关闭自己") || !strings.Contains(a.text, "novel_darft") {
			t.Errorf("text is %s", a.text)
		}
		if l.ok(configTool, nil).num("chatThreshold") != 400 {
			t.Error("half of a bad call was done")
		}
	})
	t.Run("a file that says so does not switch it off either", func(t *testing.T) {
		l := newLibrary(t)
		l.write(stateFile, `{"tools": {"novel_sentence_config": false, "novel_books": false}}`)
		l.ok(configTool, nil)
		a := l.call("novel_books", nil)
		if !a.isErr || !strings.Contains(a.text, "工具 novel_books（书库作品）当前已在「写作助手功能」UI 中关闭。") {
			t.Errorf("text is %s", a.text)
		}
	})
	t.Run("every tool has a switch", func(t *testing.T) {
		l := newLibrary(t)
		off, names := obj{}, []string{}
		for tool, err := range l.client.Tools(t.Context(), nil) {
			must(t, err)
			known, ok := schema.FindTool(tool.Name)
			if !ok || known.Label != tool.Title {
				t.Errorf("%s has the label %q", tool.Name, tool.Title)
			}
			if tool.Name != configTool {
				off[tool.Name] = false
				names = append(names, tool.Name)
			}
		}
		l.ok(configTool, obj{"tools": off})
		for _, name := range names {
			known, _ := schema.FindTool(name)
			l.fails(name, obj{"nonsense": 1}, fmt.Sprintf(schema.ToolOff, name, known.Label))
		}
	})
	t.Run("one commit, verb config", func(t *testing.T) {
		l := newLibrary(t)
		head := l.head()
		a := l.ok(configTool, obj{"tools": obj{"novel_backup": false}, "features": obj{"autoAnalyze": true}, "chatWriting": true, "chatThreshold": 250})
		if got := l.head(); a.str("commit") != got || got == head {
			t.Errorf("commit is %v, HEAD %s", a.data["commit"], got)
		}
		if m := l.message(); !strings.HasPrefix(m, "config: ") || !strings.Contains(m, "chatThreshold = 250") {
			t.Errorf("message is %q", m)
		}
		head = l.head()
		l.ok(configTool, obj{"chatWriting": true, "chatThreshold": 250})
		if l.head() != head {
			t.Error("a change that changes nothing made a commit")
		}
	})
	t.Run("the older tool's place for chatWriting", func(t *testing.T) {
		l := newLibrary(t)
		l.write(stateFile, `{"features": {"chatWriting": true, "x": false}}`)
		if a := l.ok(configTool, nil); a.data["chatWriting"] != true {
			t.Errorf("%s", a.raw)
		}
		if a := l.ok(configTool, obj{"features": obj{"chatWriting": false}}); a.data["chatWriting"] != false {
			t.Errorf("%s", a.raw)
		}
		if a := l.call(configTool, obj{"features": obj{"chatWriting": true}, "chatWriting": false}); !a.isErr {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("a damaged file is not overwritten", func(t *testing.T) {
		l := newLibrary(t)
		l.write(stateFile, `{"chatThreshold": 300, "tools": [`)
		if a := l.call(configTool, obj{"chatThreshold": 200}); !a.isErr || !strings.Contains(a.text, stateFile) {
			t.Errorf("text is %s", a.text)
		}
		if got := l.read(stateFile); got != `{"chatThreshold": 300, "tools": [` {
			t.Errorf("file is %s", got)
		}
		if a := l.ok(draftTool, seg("甲", "1", "字")); a.num("threshold") != 400 {
			t.Errorf("%s", a.raw)
		}
	})
	t.Run("wrong types", func(t *testing.T) {
		for _, args := range []obj{{"tools": 1}, {"tools": obj{"novel_draft": "no"}}, {"features": []int{1}}, {"chatWriting": "on"}} {
			if a := l.in(t).call(configTool, args); !a.isErr {
				t.Errorf("%v: %s", args, a.text)
			}
		}
	})
}
