package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLibraryState(t *testing.T) {
	t.Parallel()
	s, faults := ParseLibraryState("state.json", []byte(`{"chatThreshold": 250.4, "chatWriting": true,
		"tools": {"novel_draft": false, "novel_read": true}, "features": {"chatWriting": false}, "systemPromptMode": "brief"}`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if s.Threshold() != 250 || !s.ChatWritingOn() || s.ToolOn("novel_draft") || !s.ToolOn("novel_read") || !s.ToolOn("novel_diff") {
		t.Errorf("got %+v", s)
	}
	orig := []byte("{\n  \"chatThreshold\": 250,\n  \"systemPromptMode\": \"brief\"\n}\n")
	s, _ = ParseLibraryState("state.json", orig)
	s.ChatThreshold = 300
	out, err := s.Render(orig)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("{\n  \"chatThreshold\": 300,\n  \"systemPromptMode\": \"brief\"\n}\n", string(out)); d != "" {
		t.Error(d)
	}
}

// TestLibraryStateDamage: a damaged file still gives a state to go on with, and says that it may not be written.
func TestLibraryStateDamage(t *testing.T) {
	t.Parallel()
	for text, n := range map[string]int{
		``:                        1,
		`{`:                       1,
		`[]`:                      1,
		`{"chatThreshold": "x"}`:  1,
		`{"chatThreshold": true}`: 1,
		`{"chatThreshold": 0}`:    0,
		`{"chatThreshold": null}`: 0,
		`{"chatWriting": "on"}`:   1,
		`{"tools": []}`:           1,
		`{"tools": {"novel_draft": 1, "novel_read": null}, "features": 3}`: 3,
	} {
		s, faults := ParseLibraryState("state.json", []byte(text))
		if s == nil || s.Threshold() != DefaultChatThreshold || s.ChatWritingOn() {
			t.Errorf("%s: no defaults: %+v", text, s)
		}
		if len(faults) != n {
			t.Errorf("%s: %d faults, want %d: %v", text, len(faults), n, faults)
		}
	}
	if s, _ := ParseLibraryState("state.json", []byte(`{"features": {"chatWriting": true}}`)); !s.ChatWritingOn() {
		t.Error("the older place of the switch is not read")
	}
}

// TestLibraryStateForeignSwitches: what is no switch of ours is no fault, and stays where it was when the file is written.
func TestLibraryStateForeignSwitches(t *testing.T) {
	t.Parallel()
	orig := []byte(`{"tools": {"novel_plot": false, "novel_lexicon": "auto"}, "features": {"chatWriting": true, "zz": 1, "lean": {"level": 2}}, "lastRoot": "/x"}`)
	s, faults := ParseLibraryState("state.json", orig)
	if len(faults) > 0 || !s.ChatWritingOn() {
		t.Fatalf("%+v, %v", s, faults)
	}
	s.ChatThreshold = 300
	out, err := s.Render(orig)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := Unmarshal("state.json", out, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"chatThreshold": 300.0, "lastRoot": "/x", "tools": map[string]any{"novel_plot": false, "novel_lexicon": "auto"},
		"features": map[string]any{"chatWriting": true, "zz": 1.0, "lean": map[string]any{"level": 2.0}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
