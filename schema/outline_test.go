package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseOutline(t *testing.T) {
	t.Parallel()
	got, err := ParseOutline("o.json", []byte("章纲如下：\n```json\n"+`{"chapter": 3, "title": " 证词 ", "content": {"chapter_goal": "查出证词里的空白",
		"must_payoff": ["铜灯"], "cbn": "敲门", "cpns": ["问话", "停电"], "cen": " ", "must_cover_nodes": ["铜灯熄灭"]}}`+"\n```"), "0003")
	if err != nil {
		t.Fatal(err)
	}
	want := &Outline{
		Schema: SchemaOutline, Chapter: "0003", Title: "证词",
		Content: OutlineContent{
			Goal: "查出证词里的空白", MustPayoff: []string{"铜灯"}, Forbidden: []string{}, CBN: "敲门", CPNs: []string{"问话", "停电"},
			CEN: " ", MustCover: []string{"铜灯熄灭"}, KeyEntities: []string{},
		},
		Exposure: DefaultExposure(),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	nodes := []Node{
		{Type: NodeCBN, Text: "敲门"}, {Type: NodeCPN, Text: "问话"}, {Type: NodeCPN, Text: "停电"}, {Type: NodeMustCover, Text: "铜灯熄灭"},
	}
	if d := cmp.Diff(nodes, got.Nodes()); d != "" {
		t.Error(d)
	}
	if _, ok := got.Exposure.TransformOf("time_pressure_source"); !ok {
		t.Error("time pressure is shown to the writer by default")
	}
	if _, ok := got.Exposure.TransformOf("chapter_goal"); ok {
		t.Error("the goal is transformed by default")
	}
}

func TestParseOutlineFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", `{}`, []string{"content: is missing"}},
		{"goal", `{"content": {}}`, []string{"content.chapter_goal: is missing"}},
		{"layers mixed", `{"chapter_goal": "g", "content": {"chapter_goal": "g", "writer_exposure_policy": {}}}`, []string{
			`chapter_goal: belongs inside "content"`, `content.writer_exposure_policy: belongs beside "content"`,
		}},
		{"other chapter", `{"chapter": "0004", "schema": "x", "content": {"chapter_goal": "g"}}`, []string{"chapter: ", "schema: "}},
		{"types", `{"title": 1, "content": {"chapter_goal": "g", "cpns": "a", "must_payoff": ["a", 1, ""], "cbn": []}}`, []string{
			"title: must be a string", "content.cpns: must be a list of strings", "content.must_payoff[1]", "content.must_payoff[2]", "content.cbn: must be a string",
		}},
		{"misspelled", `{"content": {"chapter_gaol": "g", "key_entitys": []}, "writer_exposure_polcy": {}}`, []string{
			`unknown key "chapter_gaol": is "chapter_goal" meant?`, `"key_entitys"`, `"writer_exposure_polcy"`, "chapter_goal: is missing",
		}},
		{"policy", `{"content": {"chapter_goal": "g"}, "writer_exposure_policy": {"verbatim_fields": ["cbn", "plot"],
			"transform_fields": {"cbn": "x", "goal": "y"}}}`, []string{
			`"cbn" cannot be both verbatim and transformed`, `"plot" is not a content field`, `"goal" is not a content field`,
		}},
		{"policy types", `{"content": {"chapter_goal": "g"}, "writer_exposure_policy": {"verbatim_fields": "cbn", "transform_fields": {"cen": 1}}}`, []string{
			"writer_exposure_policy.verbatim_fields: must be a list", "writer_exposure_policy.transform_fields.cen: must be a string",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseOutline("o", []byte(c.text), "0003")
			wantFaults(t, faultTexts(t, err), c.want...)
		})
	}
}

// FuzzParseOutline: what is accepted is valid and reads back the same.
func FuzzParseOutline(f *testing.F) {
	f.Add([]byte(exampleOutline))
	f.Add([]byte(`{"content": {"chapter_goal": "g"}, "writer_exposure_policy": {"transform_fields": {"cbn": ""}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := ParseOutline("f", data, "0003")
		if err != nil {
			if CodeOf(err) != CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		if faults := o.Validate("f"); len(faults) > 0 {
			t.Fatal(faults)
		}
		for _, n := range o.Nodes() {
			if strings.TrimSpace(n.Text) == "" || n.Type == "" {
				t.Fatalf("an empty node: %+v", n)
			}
		}
		roundTrip(t, o, func(b []byte) (*Outline, error) { return ParseOutline("g", b, "0003") })
	})
}
