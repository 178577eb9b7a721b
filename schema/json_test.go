package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMarshalCanonical(t *testing.T) {
	t.Parallel()
	got, err := Marshal(BookState{Book: "雨<夜>&灯\u2028", Progress: Progress{ChapterStatus: map[string]State{
		"0002": StateDrafted, "0001": StateCommitted,
	}}, Order: map[string]Place{"番外": {After: "0002"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "book": "雨<夜>&灯` + "\u2028" + `",
  "progress": {
    "current_chapter": 0,
    "chapter_status": {
      "0001": "chapter_committed",
      "0002": "chapter_drafted"
    }
  },
  "order": {
    "番外": {
      "after": "0002"
    }
  }
}
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}

func TestMarshalNilIsEmpty(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		Review{},
		Recheck{},
		Commit{Review: &ReviewDigest{}, Fulfillment: &Fulfillment{}, Disambiguation: &Disambiguation{}, Extraction: &Extraction{Events: []Event{{}}}},
		Outline{},
		Summaries{},
		Ledger{},
		BookState{},
	} {
		b, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("null")) {
			t.Errorf("%T has a null:\n%s", v, b)
		}
	}
}

func TestMarshalRecords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"dimensions in the order of Categories", Dimensions{CategoryAIFlavor: 1, CategoryLogic: 0, CategorySetting: 0}, `{"setting":"pass","logic":"pass","ai_flavor":1}`},
		{"bare node", Node{Text: "入城"}, `"入城"`},
		{"typed node", Node{Type: NodeCBN, Text: "入<城>"}, `{"type":"CBN","text":"入<城>"}`},
		{"entity delta with rest", EntityDelta{Entity: "e1", Rest: map[string]any{"to_entity": "b", "from_entity": "a", "entity_id": "lost"}}, `{"entity_id":"e1","from_entity":"a","to_entity":"b"}`},
		{"zero oid", OID{}, `""`},
		{"controls", "\b\f\n\r\t\x00\x1f\x7f\"\\/", `"\b\f\n\r\t\u0000\u001f` + "\x7f" + `\"\\/"`},
		{"bad utf-8", "a\xffb", "\"a\uFFFDb\""},
		{"floats", []float64{1, 0.1, 1e21, 1e-7}, `[1,0.1,1e+21,1e-7]`},
		{"pointer to text", &Text{Format: "x"}, `"x"`},
		{"nested nil", map[string]any{"a": nil, "b": []string(nil), "c": map[string]int(nil)}, `{"a":null,"b":[],"c":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := MarshalCompact(tt.v)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	if _, err := Marshal(Dimensions{"ghost": 1}); err == nil {
		t.Error("an unknown dimension was written")
	}
}

func TestMarshalKeep(t *testing.T) {
	t.Parallel()
	orig := "\ufeff" + `{"x_first": 1.50, "book":"旧","progress":{"current_chapter":1,"chapter_status":{"0009":"gone"},"mood":{"a" :[1,
2]}},
"order":{"番外":{"after":"0001","why":"\u96e8"},"gone":{"after":"0001","k":1}},"Book":"case"}`
	got, err := MarshalKeep(BookState{
		Book: "新", Progress: Progress{CurrentChapter: 2, ChapterStatus: map[string]State{"0001": StateCommitted}},
		Order: map[string]Place{"番外": {After: "0002"}},
	}, []byte(orig))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "book": "新",
  "progress": {
    "current_chapter": 2,
    "chapter_status": {
      "0001": "chapter_committed"
    },
    "mood": {
      "a": [
        1,
        2
      ]
    }
  },
  "order": {
    "番外": {
      "after": "0002",
      "why": "\u96e8"
    }
  },
  "x_first": 1.50,
  "Book": "case"
}
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	again, err := MarshalKeep(BookState{
		Book: "新", Progress: Progress{CurrentChapter: 2, ChapterStatus: map[string]State{"0001": StateCommitted}},
		Order: map[string]Place{"番外": {After: "0002"}},
	}, got)
	if err != nil || !bytes.Equal(got, again) {
		t.Errorf("a second MarshalKeep changed the bytes: %v\n%s", err, again)
	}
}

func TestMarshalKeepPairsElements(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		v    any
		orig string
		want []string // must be in the compact result
		not  []string
	}{
		{
			"by id",
			Review{Issues: []Issue{{ID: "r1-2"}, {ID: "r1-9"}}},
			`{"issues":[{"id":"r1-1","tag":"one"},{"id":"r1-2","tag":"two"}],"issues_count":7}`,
			[]string{`"blocking":false,"tag":"two"`},
			[]string{`"one"`, `:7`},
		},
		{
			"by chapter",
			Summaries{Entries: []SummaryEntry{{Chapter: "第02章"}, {Chapter: "第01章"}}},
			`{"summaries":[{"chapter":"第01章","n":1},{"chapter":"第02章","n":2}]}`,
			[]string{`"chapter":"第02章","summary":"","n":2`, `"chapter":"第01章","summary":"","n":1`},
			nil,
		},
		{
			"events by event_id",
			Extraction{Events: []Event{{ID: "e2", Chapter: 3}}},
			`{"accepted_events":[{"event_id":"e1","chapter":3,"w":1},{"event_id":"e2","chapter":3,"w":2}]}`,
			[]string{`"w":2`},
			[]string{`"w":1`},
		},
		{
			"by index",
			Fulfillment{Covered: []Node{{Type: NodeCPN, Text: "b"}}},
			`{"covered_nodes":[{"type":"CPN","name":"b","weight":3}]}`,
			[]string{`{"type":"CPN","text":"b","weight":3}`},
			[]string{`"name"`},
		},
		{
			"omitted known key is not revived",
			Issue{ID: "a"},
			`{"id":"a","override":{"reason":"r"},"fact":true}`,
			[]string{`"id":"a"`},
			[]string{"override", "fact"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := MarshalKeep(tt.v, []byte(tt.orig))
			if err != nil {
				t.Fatal(err)
			}
			var c bytes.Buffer
			if err := json.Compact(&c, got); err != nil {
				t.Fatal(err)
			}
			for _, w := range tt.want {
				if !strings.Contains(c.String(), w) {
					t.Errorf("%s is not in %s", w, c.String())
				}
			}
			for _, w := range tt.not {
				if strings.Contains(c.String(), w) {
					t.Errorf("%s is in %s", w, c.String())
				}
			}
		})
	}
	if _, err := MarshalKeep(Issue{}, []byte(`{"id":`)); CodeOf(err) != CodeInvalid {
		t.Errorf("a damaged original gave %v", err)
	}
}

func TestUnmarshalFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []string // Fault.String
	}{
		{"all type faults at once", "{\r\n \"书\":1, \"issues\": [{\"severity\": 5},\n {\"blocking\": \"false\", \"id\": []}],\n\"round\": 1.0}", []string{
			`f.json:2:33: issues[0].severity: want a string, found 5`,
			`f.json:3:15: issues[1].blocking: want true or false, found "false"`,
			`f.json:3:30: issues[1].id: want a string, found []`,
			`f.json:4:10: round: want an integer, found 1.0`,
		}},
		{"column in runes", `{"summary":"雨夜灯","round":"x"}`, []string{`f.json:1:26: round: want an integer, found "x"`}},
		{"duplicate keys", `{"round":1,"round":2,"zz":{"a":1,"b":2,"a":3}}`, []string{
			`f.json:1:12: round: the key "round" appears twice`, `f.json:1:40: a: the key "a" appears twice`,
		}},
		{"trailing data", `{} {}`, []string{`f.json:1:4: something follows the end of the document: {}`}},
		{"trailing comma", `{"round":1,}`, []string{`f.json:1:12: unexpected text: }`}},
		{"empty", "", []string{`f.json:1:1: the document ends too early`}},
		{"cut", `{"summary":"a`, []string{`f.json:1:14: summary: the document ends inside a string`}},
		{"control", "{\"summary\":\"a\nb\"}", []string{`f.json:1:14: summary: a control character (U+000A) inside a string`}},
		{"utf-8", "{\"summary\":\"\xff\"}", []string{`f.json:1:13: the text is not valid UTF-8`}},
		{"surrogate", `{"summary":"\ud83d"}`, []string{`f.json:1:13: summary: half of a surrogate pair stands alone: \ud83d`}},
		{"null for a string", `{"summary":null}`, []string{`f.json:1:12: summary: want a string, found null`}},
		{"dimension", `{"dimensions":{"setting":"pass","style":1,"logic":"fail"}}`, []string{
			`f.json:1:33: dimensions.style: "style" is not a review dimension; use one of setting, timeline, continuity, character, logic, ai_flavor, pacing, other`,
			`f.json:1:51: dimensions.logic: want "pass" or the number of issues, found "fail"`,
		}},
		{"blob", `{"text":{"blob":"12"}}`, []string{`f.json:1:17: text.blob: "12" is not a git object id of 40 hexadecimal digits`}},
		{"depth", `{"a":` + strings.Repeat("[", 70), []string{`f.json:1:69: nested deeper than 64 levels`}},
		{"top level", `[]`, []string{`f.json:1:1: want an object, found []`}},
		{"literal", `{"has_blocking":trueish}`, []string{`f.json:1:17: has_blocking: unexpected text: trueish}`}},
		{"number", `{"round":01}`, []string{`f.json:1:11: round: unexpected text: 1}`}},
		{"range", `{"round":99999999999999999999}`, []string{`f.json:1:10: round: the number is out of range: 99999999999999999999`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var r Review
			err := Unmarshal("f.json", []byte(tt.in), &r)
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeInvalid {
				t.Fatalf("got %v", err)
			}
			var got []string
			for _, f := range e.Details {
				got = append(got, f.String())
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %q", got)
			}
			for i := range got {
				if strings.TrimSpace(got[i]) != strings.TrimSpace(tt.want[i]) {
					t.Errorf("fault %d\n got %s\nwant %s", i, got[i], tt.want[i])
				}
			}
		})
	}
}

func TestUnmarshalTolerates(t *testing.T) {
	t.Parallel()
	var r Review
	in := "\ufeff{\r\n\"round\": 3,\r\n\"unknown\": {\"a\": [1]},\r\n\"Summary\": 5, \"text\": {\"chars\": 3, \"blob\": \"\"}, \"issues\": null, \"dimensions\": {\"ai_flavor\": 2, \"logic\": 0}}\r\n"
	if err := Unmarshal("f", []byte(in), &r); err != nil {
		t.Fatal(err)
	}
	want := Review{Round: 3, Text: Binding{Chars: 3}, Dimensions: Dimensions{CategoryAIFlavor: 2, CategoryLogic: 0}}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	if err := UnmarshalMax("f", []byte(in), &r, 10); CodeOf(err) != CodeInvalid {
		t.Errorf("the limit gave %v", err)
	}
	var n []Node
	if err := Unmarshal("f", []byte(`["a",{"type":"CBN","name":"b"},{"description":"d","node":"c","extra":1},{"type":null,"text":"e"}]`), &n); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Node{{Text: "a"}, {Type: "CBN", Text: "b"}, {Text: "c"}, {Text: "e"}}, n); d != "" {
		t.Error(d)
	}
	var x EntityDelta
	if err := Unmarshal("f", []byte(`{"entity_id":"e","from":{"a":[1,"x",null,true]},"n":12345678901234567890,"w":1.0}`), &x); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(EntityDelta{Entity: "e", Rest: map[string]any{
		"from": map[string]any{"a": []any{1.0, "x", nil, true}}, "n": json.Number("12345678901234567890"), "w": 1.0,
	}}, x); d != "" {
		t.Error(d)
	}
}

func TestUnmarshalInputMisspelling(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{`{"isues":[]}`, "issues"},
		{`{"Summary":"x"}`, "summary"},
		{`{"issues":[],"isues":[]}`, ""}, // the known key is there
		{`{"tags":1,"note":2}`, ""},
		{`{"bok":1}`, "book"},
		{`{"bk":1}`, ""}, // two edits are more than a third of four
		{`{"has_blokcing":false}`, "has_blocking"},
		{`{"producers":1}`, "producer"},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			var r Review
			if err := Unmarshal("f", []byte(tt.in), &r); err != nil {
				t.Errorf("Unmarshal: %v", err)
			}
			err := UnmarshalInput("f", []byte(tt.in), &r)
			if tt.want == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("did you mean %q", tt.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
	var ds []EntityDelta
	if err := UnmarshalInput("f", []byte(`[{"entity_idd":"e"}]`), &ds); err == nil || !strings.Contains(err.Error(), "[0].entity_idd: unknown key") {
		t.Errorf("entity delta: %v", err)
	}
}

// encoding/json is the oracle for everything that the two must agree on.
func TestJSONAgainstStandardLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Commit{
			Schema: rapid.String().Draw(t, "s"), Book: rapid.String().Draw(t, "b"), Revision: rapid.Int().Draw(t, "r"),
			Carried: rapid.Bool().Draw(t, "c"), Review: &ReviewDigest{Overrides: []OverrideDigest{{Issue: rapid.String().Draw(t, "o")}}, Waived: []Waiver{}},
			Extraction: &Extraction{
				Events:   []Event{{ID: "e", Payload: map[string]any{rapid.String().Draw(t, "k"): rapid.Float64().Draw(t, "f"), "b": rapid.Bool().Draw(t, "pb")}}},
				States:   []StateDelta{{Entity: "x", New: rapid.String().Draw(t, "n")}},
				Entities: []EntityDelta{},
			},
		}
		b, err := Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var std, own Commit
		if err := json.Unmarshal(b, &std); err != nil {
			t.Fatalf("encoding/json refuses our bytes: %v\n%s", err, b)
		}
		if err := Unmarshal("f", b, &own); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if d := cmp.Diff(std, own); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(c, own); d != "" {
			t.Fatal(d)
		}
		kept, err := MarshalKeep(c, b)
		if err != nil || !bytes.Equal(kept, b) {
			t.Fatalf("MarshalKeep over its own output: %v\n%s\n%s", err, b, kept)
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,null,true,"\ud83d\ude00\n"]}`, "\ufeff[]", `{"a":1,"a":2}`, `"\u0000"`, `[1,]`, "{\"k\":\"雨\"}\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		err := Unmarshal("f", data, &v)
		if err == nil && !json.Valid(trimBOM(data)) {
			t.Fatal("accepted what is not JSON")
		}
		if err != nil {
			if CodeOf(err) != CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		out, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var again any
		if err := Unmarshal("f", out, &again); err != nil || cmp.Diff(v, again) != "" {
			t.Fatalf("not stable: %v\n%s", err, out)
		}
		var s BookState
		_ = Unmarshal("f", data, &s)
		if _, err := MarshalKeep(s, data); err != nil {
			t.Fatalf("MarshalKeep refuses a valid original: %v", err)
		}
		var r Review
		_ = UnmarshalInput("f", data, &r)
	})
}

func bigState(n int) []byte {
	s := BookState{Book: "西游记", Progress: Progress{CurrentChapter: n, ChapterStatus: make(map[string]State, n)}}
	for i := 1; i <= n; i++ {
		s.Progress.ChapterStatus[fmt.Sprintf("%04d", i)] = StateCommitted
	}
	b, err := Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

func BenchmarkUnmarshalState(b *testing.B) {
	data := bigState(9999)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		var s BookState
		if err := Unmarshal("f", data, &s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshalKeepState(b *testing.B) {
	data := bigState(9999)
	var s BookState
	if err := Unmarshal("f", data, &s); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := MarshalKeep(s, data); err != nil {
			b.Fatal(err)
		}
	}
}
