package schema

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseFulfillment(t *testing.T) {
	t.Parallel()
	got, err := ParseFulfillment("f.json", []byte("```json\n"+`{"chapter": 3,
		"planned_nodes": ["雨夜", {"type": "cbn", "text": "敲门"}, {"type": "must-cover", "name": "铜灯"}, {"node": "独白"}],
		"covered_nodes": [], "missed_nodes": [{"node_type": "CEN", "content": "离开"}], "extra_nodes": [], "note": "x"}`+"\n```"), 3)
	if err != nil {
		t.Fatal(err)
	}
	want := &Fulfillment{
		Planned: []Node{{Text: "雨夜"}, {Type: NodeCBN, Text: "敲门"}, {Type: NodeMustCover, Text: "铜灯"}, {Text: "独白"}},
		Covered: []Node{}, Missed: []Node{{Type: NodeCEN, Text: "离开"}}, Extra: []Node{},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestArtifactFaults holds the error texts of reference harness 4.3 and 4.4.
func TestArtifactFaults(t *testing.T) {
	t.Parallel()
	fulfillment := func(s string) error { _, err := ParseFulfillment("f", []byte(s), 3); return err }
	disambiguation := func(s string) error { _, err := ParseDisambiguation("f", []byte(s), 3); return err }
	extraction := func(s string) error { _, err := ParseExtraction("f", []byte(s), 3); return err }
	events := func(s string) error {
		return extraction(`{"accepted_events": ` + s + `, "state_deltas": [], "entity_deltas": []}`)
	}
	for _, c := range []struct {
		name string
		err  error
		want []string
	}{
		{"object", fulfillment(`[]`), []string{"fulfillment_result must be a JSON object"}},
		{"object 2", disambiguation(`"x"`), []string{"disambiguation_result must be a JSON object"}},
		{"missing", fulfillment(`{"planned_nodes": []}`), []string{
			"fulfillment_result missing required top-level fields: covered_nodes, missed_nodes, extra_nodes",
		}},
		{"missing 2", disambiguation(`{}`), []string{"disambiguation_result missing required top-level fields: pending"}},
		{"missing 3", extraction(`{"accepted_events": []}`), []string{
			"extraction_result missing required top-level fields: state_deltas, entity_deltas",
		}},
		{"wrapped", fulfillment(`{"fulfillment": {"planned_nodes": []}}`), []string{
			"fulfillment_result fields must be top-level, not nested under fulfillment",
		}},
		{"wrapped 2", disambiguation(`{"disambiguation": {"pending": []}, "pending": []}`), []string{
			"disambiguation_result fields must be top-level, not nested under disambiguation",
		}},
		{"wrapped 3", extraction(`{"extraction": {}, "accepted_events": [], "state_deltas": [], "entity_deltas": []}`), []string{
			"extraction_result must expose accepted_events/state_deltas/entity_deltas as top-level fields, not nested under extraction",
		}},
		{"list", fulfillment(`{"planned_nodes": {}, "covered_nodes": "a", "missed_nodes": 1, "extra_nodes": []}`), []string{
			"fulfillment_result.planned_nodes must be a list", "fulfillment_result.covered_nodes must be a list",
			"fulfillment_result.missed_nodes must be a list",
		}},
		{"list 2", disambiguation(`{"pending": 0}`), []string{"disambiguation_result.pending must be a list"}},
		{"list 3", extraction(`{"accepted_events": 1, "state_deltas": 2, "entity_deltas": {}, "scenes": "x"}`), []string{
			"accepted_events must be a list", "extraction_result.state_deltas must be a list",
			"extraction_result.entity_deltas must be a list", "extraction_result.scenes must be a list",
		}},
		{"items", extraction(`{"accepted_events": ["x"], "state_deltas": [1], "entity_deltas": [null], "entities_appeared": [[]]}`), []string{
			"accepted_events[0] must be a JSON object", "extraction_result.state_deltas[0] must be a JSON object",
			"extraction_result.entity_deltas[0] must be a JSON object", "extraction_result.entities_appeared[0] must be a JSON object",
		}},
		{"summary", extraction(`{"accepted_events": [], "state_deltas": [], "entity_deltas": [], "summary_text": 1}`), []string{
			"extraction_result.summary_text must be a string",
		}},
		{"subject", events(`[{"event_type": "power_up", "subject": " "}]`), []string{"accepted_events[0].subject must be a non-empty string"}},
		{"type", events(`[{"event_type": "explosion", "subject": "s"}]`), []string{
			`accepted_events[0].event_type: "explosion" is not allowed here; allowed: character_state_changed, power_breakthrough, relationship_changed, ` +
				"artifact_obtained, world_rule_revealed, world_rule_broken, promise_created, promise_paid_off, open_loop_created, open_loop_closed",
		}},
		{"no type", events(`[{"subject": "s"}]`), []string{"accepted_events[0].event_type: is missing"}},
		{"type number", events(`[{"type": 3, "subject": "s"}]`), []string{"accepted_events[0].type: 3 is not allowed here"}},
		{"other chapter", events(`[{"type": "promise", "subject": "s", "chapter": 4}]`), []string{"accepted_events[0].chapter: 4 is not this chapter: it must be 0003"}},
		{"chapter float", events(`[{"type": "promise", "subject": "s", "chapter": 3.0}]`), []string{"3.0 is not this chapter"}},
		{"same id", events(`[{"event_id": "a", "type": "promise", "subject": "s"}, {"event_id": "a", "type": "promise", "subject": "t"}]`), []string{
			`the event id "a" is given twice`,
		}},
		{"top chapter", fulfillment(`{"chapter": 2, "planned_nodes": [], "covered_nodes": [], "missed_nodes": [], "extra_nodes": []}`), []string{
			"chapter: 2 is not this chapter: it must be 0003",
		}},
		{"top chapter 2", disambiguation(`{"chapter": "第4章", "pending": []}`), []string{`chapter: "第4章" is not this chapter`}},
		{"nodes", fulfillment(`{"planned_nodes": [1, "", {"type": "XXX", "text": "a"}, {"type": "CPN"}], "covered_nodes": [],
			"missed_nodes": [], "extra_nodes": []}`), []string{
			"planned_nodes[0]: must be a string or an object", "planned_nodes[1]: the node has no text",
			`planned_nodes[2].type: "XXX" is not allowed here; allowed: CBN, CPN, CEN, must_cover`, "planned_nodes[3]: the node has no text",
		}},
		{"misspelled", fulfillment(`{"planned_node": [], "covered_nodes": [], "missed_nodes": [], "extra_nodes": []}`), []string{
			`unknown key "planned_node": is "planned_nodes" meant?`, "missing required top-level fields: planned_nodes",
		}},
		{"state deltas", extraction(`{"accepted_events": [], "entity_deltas": [], "state_deltas": [{"field": "realm"},
			{"entity_id": "a", "new": 1}, {"entity_id": "a", "field": "f", "new": 1, "chapter": 9}]}`), []string{
			"state_deltas[0].entity_id: is missing", "state_deltas[0].new: is missing", "state_deltas[1].field: is missing",
			"state_deltas[2].chapter: 9 is not this chapter",
		}},
		{"entity deltas", extraction(`{"accepted_events": [], "state_deltas": [], "entity_deltas": [{"name": "甲"}, {"from_entity": "a"}]}`), []string{
			"entity_deltas[0].entity_id: is missing", "entity_deltas[1].to_entity: is missing",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantFaults(t, faultTexts(t, c.err), c.want...)
		})
	}
}

func TestParseExtraction(t *testing.T) {
	t.Parallel()
	got, err := ParseExtraction("x.json", []byte(`{"chapter": "第3章", "dominant_strand": "main", "summary_text": "雨夜有人敲门。",
		"accepted_events": [
			{"type": "Power-Up", "entity_id": "xiaoyan", "payload": {"from": "斗者", "to": "斗师"}, "chapter": 3, "confidence": 0.9},
			{"event_id": "mine", "event_type": "open_loop", "characters": ["林晚", "阿七"], "payload": {"characters": []}}],
		"state_deltas": [{"entity_id": "xiaoyan", "field_path": "power.realm", "old": null, "new_value": "斗师"},
			{"entity_id": "lamp", "field": "holder", "new": null}],
		"entity_deltas": [{"id": "lamp", "type": "物品", "payload": {"name": "铜灯"}, "is_protagonist": false},
			{"from_entity": "a", "to_entity": "b", "type": "师徒", "description": "拜师"}],
		"entities_appeared": [{"id": "xiaoyan", "mentions": ["萧炎"], "confidence": 1}], "scenes": [], "chapter_meta": {"mood": "冷"}}`), 3)
	if err != nil {
		t.Fatal(err)
	}
	if id := got.Events[0].ID; !regexp.MustCompile(`^evt-ch003-001-[0-9a-f]{10}$`).MatchString(id) {
		t.Errorf("event id = %q", id)
	}
	got.Events[0].ID = ""
	want := &Extraction{
		Events: []Event{
			{Chapter: 3, Type: "power_breakthrough", Subject: "xiaoyan", Payload: map[string]any{
				"from": "斗者", "to": "斗师", "confidence": 0.9, "entity_id": "xiaoyan",
			}},
			{ID: "mine", Chapter: 3, Type: "open_loop_created", Subject: "林晚", Payload: map[string]any{"characters": []any{}}},
		},
		States: []StateDelta{
			{Entity: "xiaoyan", Field: "power.realm", New: "斗师"},
			{Entity: "lamp", Field: "holder"},
		},
		Entities: []EntityDelta{
			{Entity: "lamp", Type: "物品", Name: "铜灯", Rest: map[string]any{
				"payload": map[string]any{"name": "铜灯"}, "is_protagonist": false,
			}},
			{Rest: map[string]any{"from_entity": "a", "to_entity": "b", "relationship_type": "师徒", "description": "拜师"}},
		},
		Appeared:    []map[string]any{{"id": "xiaoyan", "mentions": []any{"萧炎"}, "confidence": 1.0}},
		ChapterMeta: map[string]any{"mood": "冷"}, Strand: "main", SummaryText: "雨夜有人敲门。",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestEventAliases(t *testing.T) {
	t.Parallel()
	total := 0
	for _, e := range eventSpellings() {
		for _, a := range append([]string{string(e.typ)}, e.aliases...) {
			for _, form := range []string{a, strings.ToUpper(a), strings.ReplaceAll(a, "_", "-"), " " + a + " "} {
				if got, ok := ParseEventType(form); !ok || got != e.typ {
					t.Errorf("%q = %q, want %q", form, got, e.typ)
				}
			}
			total++
		}
	}
	if total != 31 {
		t.Errorf("%d spellings, reference harness 4.4 has 31", total)
	}
	for _, s := range []string{"", "event", "powerup"} {
		if got, ok := ParseEventType(s); ok {
			t.Errorf("%q was read as %q", s, got)
		}
	}
}

func TestEventSubjectFallback(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"subject": "a", "entity_id": "b"`:                            "a",
		`"subject": " ", "entity_id": "b"`:                            "b",
		`"from_entity": "c", "to_entity": "d"`:                        "c",
		`"to_entity": "d", "characters": ["e"]`:                       "d",
		`"characters": ["e"], "payload": {"subject": "f"}`:            "e",
		`"characters": [], "payload": {"entity_id": "g"}`:             "g",
		`"payload": {"name": "l", "owner": "h", "artifact_id": "k"}`:  "h",
		`"payload": {"holder": "i", "artifact_id": "k", "name": "l"}`: "i",
		`"payload": {"subject": "", "artifact_id": "k", "name": "l"}`: "k",
		`"payload": {"subject": 5, "name": "l"}`:                      "l",
	} {
		x, err := ParseExtraction("x", []byte(`{"accepted_events": [{"type": "promise", `+text+`}], "state_deltas": [], "entity_deltas": []}`), 1)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := x.Events[0].Subject; got != want {
			t.Errorf("%s: subject = %q, want %q", text, got, want)
		}
	}
}

// TestEventIDStable: the id speaks of content and place only.
func TestEventIDStable(t *testing.T) {
	t.Parallel()
	e := Event{Chapter: 3, Type: "promise_created", Subject: "林晚", Payload: map[string]any{"b": 1.0, "a": "<&>"}}
	id := EventID(e, 1)
	same := e
	same.ID, same.Payload = "other", map[string]any{"a": "<&>", "b": 1.0}
	if EventID(same, 1) != id {
		t.Error("the id depends on more than the content")
	}
	changed := e
	changed.Subject = "阿七"
	if EventID(changed, 1) == id || EventID(e, 2) == id {
		t.Error("the id does not tell events apart")
	}
}

func TestUnnumberedArtifacts(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{"pending": []}`:                     true,
		`{"pending": [], "chapter": 0}`:       true,
		`{"pending": [], "chapter": "番外·雨夜"}`: true,
		`{"pending": [], "chapter": 3}`:       false,
		`{"pending": [], "chapter": "第3章"}`:   false,
	} {
		if _, err := ParseDisambiguation("d", []byte(text), 0); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzArtifacts: what is accepted can be written, is valid inside a commit, and reads back the same.
func FuzzArtifacts(f *testing.F) {
	f.Add([]byte(`{"accepted_events": [{"type": "promise", "subject": "s", "x": 1e400}], "state_deltas": [], "entity_deltas": [{"id": "a"}]}`))
	f.Add([]byte(`{"planned_nodes": ["a", {"type": "CPN", "text": "b"}], "covered_nodes": [], "missed_nodes": [], "extra_nodes": []}`))
	f.Add([]byte(`{"pending": [{"name": "甲"}, 1.50]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, err := ParseExtraction("f", data, 3); err == nil {
			c := &Commit{Chapter: "0003", Extraction: x, Origin: OriginAdopted}
			for _, fault := range c.Validate("f") {
				if strings.HasPrefix(fault.Field, ArtifactExtraction) {
					t.Fatal(fault)
				}
			}
			roundTrip(t, x, func(b []byte) (*Extraction, error) { return ParseExtraction("g", b, 3) })
		}
		if x, err := ParseFulfillment("f", data, 3); err == nil {
			roundTrip(t, x, func(b []byte) (*Fulfillment, error) { return ParseFulfillment("g", b, 3) })
		}
		if x, err := ParseDisambiguation("f", data, 3); err == nil {
			roundTrip(t, x, func(b []byte) (*Disambiguation, error) { return ParseDisambiguation("g", b, 3) })
		}
	})
}

func roundTrip[T any](t *testing.T, v *T, parse func([]byte) (*T, error)) {
	t.Helper()
	first, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parse(first)
	if err != nil {
		t.Fatalf("%v\n%s", err, first)
	}
	second, err := Marshal(again)
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Fatalf("another artifact came back:\n%s\n%s", first, second)
	}
}
