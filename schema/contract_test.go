package schema

import (
	"strings"
	"testing"
)

func TestParseContracts(t *testing.T) {
	t.Parallel()
	m, err := ParseMasterContract("m.json", []byte("```json\n"+`{"route": {"primary_genre": "悬疑"}, "master_constraints": {"core_tone": "冷"}, "anti_patterns": ["不写梦"]}`+"\n```"))
	if err != nil {
		t.Fatal(err, DetailsOf(err))
	}
	if len(m.Policy.Locked) != 2 || m.Policy.AppendOnly[0] != "anti_patterns" {
		t.Errorf("no default policy: %+v", m.Policy)
	}
	v, err := ParseVolumeContract("v.json", []byte(`{"volume": 2, "volume_goal": {"summary": "出海"}, "overrides": {"append_only": {"anti_patterns": ["不写雷"]}}}`), 2)
	if err != nil || len(v.Overrides.AppendOnly) != 1 {
		t.Fatal(err, v)
	}
	r, err := ParseReviewContract("r.json", []byte(`{"must_check": ["灯的数目"], "review_thresholds": {"blocking_count": 0, "missed_nodes": 0}}`))
	if err != nil || r.MustCheck[0] != "灯的数目" {
		t.Fatal(err, r)
	}
	for kind, x := range map[string]any{NameMaster: m, NameVolume: v, NameReviewContract: r} {
		data, err := Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkSchema(t, compileSchema(t, kind), data); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		path := map[string]string{NameMaster: MasterContractPath("书"), NameVolume: VolumeContractPath("书", 2), NameReviewContract: ReviewContractPath("书")}[kind]
		if err := CheckTracked(path, data); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// The older tool stores a pattern as an object with its text and where it came from.
func TestContractPatterns(t *testing.T) {
	t.Parallel()
	const head = `{"must_check": ["灯的数目"], "anti_patterns": `
	r, err := ParseReviewContract("r.json", []byte(head+`["不写梦", {"text": "不写雷", "source_table": "review_extracted"}, {"text": "不写梦"}]}`))
	if err != nil || strings.Join(r.AntiPatterns, " ") != "不写梦 不写雷" {
		t.Fatal(err, r)
	}
	_, err = ParseReviewContract("r.json", []byte(head+`[{"txt": "x"}, {"text": " "}, 3]}`))
	wantFaults(t, faultTexts(t, err), "anti_patterns[0].text: is missing", "anti_patterns[1].text: must be a string", "anti_patterns[2]: must be a string")
}

func TestParseContractFaults(t *testing.T) {
	t.Parallel()
	_, err := ParseMasterContract("m", []byte(`{"contract_type": "volume", "rout": {}, "master_constraints": {"core_tone": " "}, "anti_patterns": "x"}`))
	wantFaults(t, faultTexts(t, err), "contract_type: ", `"rout"`, "route: is missing", "master_constraints.core_tone: is blank", "anti_patterns: must be a list")
	_, err = ParseMasterContract("m", []byte(`{"route": {"primary_genre": "悬疑"}, "master_constraints": {"core_tone": "冷"},
		"override_policy": {"locked": ["a"], "append_only": ["a"], "override_allowed": ["override_policy.locked"]}}`))
	wantFaults(t, faultTexts(t, err), "override_policy.append_only[0]: ", "override_policy.override_allowed[0]: ")
	_, err = ParseVolumeContract("v", []byte(`{"volume": 3, "overrides": {"lokced": {}}}`), 2)
	wantFaults(t, faultTexts(t, err), "volume: 3 is not this volume", "volume_goal: is missing", `"lokced"`)
	_, err = ParseReviewContract("r", []byte(`{"review_thresholds": {"blocking_count": 1}}`))
	wantFaults(t, faultTexts(t, err), "review_thresholds.blocking_count: must be 0")
}

func TestAuthorPatterns(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"对白不用叹号": true, " ": false, "": false} {
		if (CheckPattern(text) == nil) != ok {
			t.Errorf("%q", text)
		}
	}
	p := &AuthorPatterns{Schema: SchemaPatterns, Patterns: []AuthorPattern{{Text: "a", Chapter: "0003"}, {Chapter: "3"}}}
	if faults := p.Validate("p"); len(faults) != 2 {
		t.Errorf("%v", faults)
	}
}

// TestMarshalGiven: unknown keys of what was handed in stay, whatever stands around the object.
func TestMarshalGiven(t *testing.T) {
	t.Parallel()
	o := &AuthorPattern{Text: "a"}
	for _, given := range []string{
		`{"text": "a", "own": [1, {"b": 2.5}]}`, "\ufeff好：\n```json\n{\"text\": \"a\", \"own\": [1, {\"b\": 2.5}]}\n```", `{“text”: “a”, “own”: [1, {“b”: 2.5}]}`,
	} {
		data, err := MarshalGiven(o, []byte(given))
		if err != nil || !strings.Contains(string(data), `"own"`) || !strings.Contains(string(data), "2.5") {
			t.Errorf("%q: %v %s", given, err, data)
		}
	}
	if data, err := MarshalGiven(o, []byte("### 第1章")); err != nil || strings.Contains(string(data), "own") {
		t.Error(err, string(data))
	}
}

// FuzzParseContracts: what is accepted is valid when it is read from disk, and reads back the same.
func FuzzParseContracts(f *testing.F) {
	f.Add([]byte(`{"route": {"primary_genre": "悬疑"}, "master_constraints": {"core_tone": "冷"}, "override_policy": {"locked": ["a.b"]}}`))
	f.Add([]byte(`{"volume": 2, "volume_goal": {"summary": "出海"}, "overrides": {"append_only": {"anti_patterns": ["x"]}}}`))
	f.Add([]byte(`{"must_check": ["x"], "review_thresholds": {"blocking_count": 0}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(path string, v any, err error) {
			if err != nil {
				if CodeOf(err) != CodeInvalid {
					t.Fatal(err)
				}
				return
			}
			out, err := MarshalGiven(v, data)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckTracked(path, out); err != nil {
				t.Fatalf("%v %v\n%s", err, DetailsOf(err), out)
			}
		}
		m, err := ParseMasterContract("f", data)
		check(MasterContractPath("书"), m, err)
		v, err := ParseVolumeContract("f", data, 2)
		check(VolumeContractPath("书", 2), v, err)
		r, err := ParseReviewContract("f", data)
		check(ReviewContractPath("书"), r, err)
	})
}

// FuzzParseGenre: whatever the file holds, it is read or refused, and the weights of what is read come to a whole.
func FuzzParseGenre(f *testing.F) {
	f.Add([]byte("excerpt = \"x\"\n[strands.a]\nweights = { quest = 60, fire = 40 }\n"))
	f.Add([]byte("[strands]\na = 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := ParseGenre("genres/f.toml", data)
		if err != nil {
			if CodeOf(err) != CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		for _, p := range g.Strands {
			sum := 0
			for _, n := range p.Weights {
				sum += n
			}
			if sum != 100 {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// A waiver and the missed node that it is for may be written with other blanks and bars.
func TestWaivedNodeInOtherForms(t *testing.T) {
	t.Parallel()
	c := &Commit{Review: &ReviewDigest{Waived: []Waiver{{Node: "甲 | 看 | 乙", Reason: "r"}}}}
	if !c.waived("甲｜看｜乙") || c.waived("甲｜看｜丙") {
		t.Error("the node is not known by its waiver")
	}
}
