package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := JSONSchema(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name + ".json")
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return s
}

func checkSchema(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return s.Validate(doc)
}

func TestSchemaNames(t *testing.T) {
	t.Parallel()
	names := SchemaNames()
	if !slices.IsSorted(names) || len(names) != 18 {
		t.Errorf("names = %v", names)
	}
	for _, n := range names {
		data, err := JSONSchema(n)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Schema string `json:"$schema"`
			Title  string `json:"title"`
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Schema != "https://json-schema.org/draft/2020-12/schema" || doc.Title == "" || bytes.Contains(data, []byte(`\u00`)) {
			t.Errorf("%s: %s", n, data)
		}
		again, _ := JSONSchema(n)
		if !bytes.Equal(data, again) {
			t.Errorf("%s differs from run to run", n)
		}
		compileSchema(t, n)
	}
	_, err := JSONSchema("reviews")
	if CodeOf(err) != CodeNotFound {
		t.Errorf("got %v", err)
	}
	for _, a := range []string{ArtifactReview, ArtifactRecheck, ArtifactFulfillment, ArtifactDisambiguation, ArtifactExtraction, "outline", NameMaster, NameVolume, NameReviewContract} {
		if !slices.Contains(names, schemaOf(a)) {
			t.Errorf("the hint of %s names a schema that is not there", a)
		}
	}
}

// The examples of DESIGN 7, with the places that it leaves out filled in.
const (
	exampleState = `{ "book": "雨夜灯",
  "progress": { "current_chapter": 2,
                "chapter_status": { "0001": "chapter_committed", "0002": "chapter_committed", "0003": "chapter_drafted" } },
  "order": { "番外·雨夜": { "after": "0002" } } }`
	exampleReview = `{ "schema": "novel-review/v1", "book": "雨夜灯", "chapter": "0003", "round": 2, "run": "r-7f3a", "producer": "agent:reviewer",
  "depth": "agent", "binding": "task",
  "text": { "path": "novels/雨夜灯/第03章.md", "blob": "` + testBlob + `", "chars": 2311 },
  "dimensions": { "setting": "pass", "timeline": "pass", "continuity": "pass", "character": "pass", "logic": "pass", "ai_flavor": 1 },
  "issues": [ { "id": "r2-1", "severity": "medium", "category": "ai_flavor", "location": "第3段", "description": "…",
                "evidence": "…", "fix_hint": "…", "blocking": false } ],
  "issues_count": 1, "blocking_count": 0, "has_blocking": false, "summary": "…" }`
	exampleCommit = `{ "schema": "novel-commit/v1", "book": "雨夜灯", "chapter": "0003", "revision": 1, "status": "accepted",
  "text": { "path": "novels/雨夜灯/第03章.md", "blob": "` + testBlob + `", "chars": 2311 },
  "review": { "round": 2, "blocking_count": 0, "overrides": [], "waived": [] },
  "review_result": ` + exampleReview + `,
  "fulfillment_result": { "planned_nodes": [], "covered_nodes": [], "missed_nodes": [], "extra_nodes": [] },
  "disambiguation_result": { "pending": [] },
  "extraction_result": { "accepted_events": [], "state_deltas": [], "entity_deltas": [], "summary_text": "…" } }`
	exampleOutline = `{ "schema": "novel-outline/v1", "chapter": "0003", "title": "证词里的空白",
  "content": { "chapter_goal": "…", "must_payoff": [], "forbidden_turns": [], "narrative_role_in_arc": "承",
               "strand_profile": "main_heavy", "time_pressure_source": "…", "cbn": "…", "cpns": [], "cen": "…",
               "must_cover_nodes": [], "key_entities": [] },
  "writer_exposure_policy": { "verbatim_fields": ["chapter_goal", "must_payoff", "forbidden_turns"],
                              "transform_fields": { "narrative_role_in_arc": "…", "time_pressure_source": "…" } } }`
)

// TestDesignExamples: every example of DESIGN 7 fits its schema, is read by its parser without a fault, and the record that
// is written from it fits again.
func TestDesignExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		record     interface{ Validate(string) []Fault }
	}{
		{NameState, exampleState, &BookState{}},
		{NameReview, exampleReview, &Review{}},
		{NameCommit, exampleCommit, &Commit{}},
		{NameOutline, exampleOutline, &Outline{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := compileSchema(t, c.name)
			if err := checkSchema(t, s, []byte(c.text)); err != nil {
				t.Error(err)
			}
			if err := Unmarshal(c.name, []byte(c.text), c.record); err != nil {
				t.Fatal(err)
			}
			if f := c.record.Validate(c.name); len(f) > 0 {
				t.Error(f)
			}
			out, err := Marshal(c.record)
			if err != nil {
				t.Fatal(err)
			}
			if err := checkSchema(t, s, out); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	s := compileSchema(t, NameReviewInput)
	if err := checkSchema(t, s, []byte(exampleReview)); err != nil {
		t.Error(err)
	}
	if _, err := ParseReviewInput("r", []byte(exampleReview), testWant); err != nil {
		t.Error(err)
	}
	if _, err := ParseOutline("o", []byte(exampleOutline), "0003"); err != nil {
		t.Error(err)
	}
}

// TestWrittenRecords: what we write fits the schema that we publish.
func TestWrittenRecords(t *testing.T) {
	t.Parallel()
	blob := HashBlob([]byte("x"))
	extraction, err := ParseExtraction("x", []byte(`{"accepted_events": [{"type": "promise", "subject": "s"}],
		"state_deltas": [{"entity_id": "a", "field": "f", "new": null}], "entity_deltas": [{"id": "a", "name": "甲", "current": {}},
		{"from_entity": "a", "to_entity": "b", "type": "友"}], "scenes": [{"index": 1}]}`), 3)
	if err != nil {
		t.Fatal(err)
	}
	events := []string{"敲门"}
	overridden := sampleReview()
	overridden.Issues[0].Override = &Override{Reason: "r", By: "b"}
	for _, c := range []struct {
		name string
		v    any
	}{
		{NameReview, sampleReview()},
		{NameReview, overridden},
		{NameRecheck, sampleRecheck()},
		{NameCommit, sampleCommit()},
		{NameCommit, &Commit{Schema: SchemaCommit, Book: "b", Chapter: "楔子", Revision: 1, Status: StatusAccepted, Origin: OriginAdopted, Text: sampleReview().Text}},
		{NameOutline, &Outline{Schema: SchemaOutline, Chapter: "0001", Content: OutlineContent{Goal: "g"}, Exposure: DefaultExposure(), Note: "n"}},
		{NameState, sampleBookState()},
		{NameState, &BookState{Book: "b"}},
		{NameSummaries, &Summaries{Book: "b", Entries: []SummaryEntry{{Chapter: "第01章", Summary: "s", KeyEvents: &events, UpdatedAt: "2026-05-06T14:30:00.000Z"}, {Chapter: "楔子"}}}},
		{NameSummaries, &Summaries{}},
		{NameLedger, &Ledger{Segments: 1, PendingChars: 2, TotalChars: 2, Pending: []string{"段"}, UpdatedAt: "2026-05-06T14:30:00.000Z"}},
		{NameTask, &Task{Schema: SchemaTask, ID: "t-1", Kind: TaskContext, Book: "b", Chapter: "0001"}},
		{NameTask, &Task{Schema: SchemaTask, ID: "t-1", Kind: TaskReview, Book: "b", Chapter: "0001", Blob: blob, Path: "p", Inputs: map[string]any{"a": 1}}},
		{NameFulfillment, sampleCommit().Fulfillment},
		{NameDisambiguation, &Disambiguation{Pending: []any{"甲", map[string]any{"name": "乙"}}}},
		{NameExtraction, extraction},
		{NameBatch, &BatchState{TaskID: "batch_20260506_143000", Range: BatchRange{9, 15}, Status: BatchPaused, Current: 9, Results: map[string]BatchResult{"9": {Status: BatchChapterFailed, Error: "e"}}}},
	} {
		out, err := Marshal(c.v)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := checkSchema(t, compileSchema(t, c.name), out); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

// TestSchemaRefuses: the schemas say no where the parsers do.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, to string }{
		{NameReview, `"medium"`, `"严重"`},
		{NameReview, `"category": "ai_flavor"`, `"category": "style"`},
		{NameReview, `"blocking": false`, `"blocking": "false"`},
		{NameReview, `"evidence": "…"`, `"evidence": " "`},
		{NameReview, `"issues_count": 1`, `"issues_count": 1.5`},
		{NameReview, `"novel-review/v1"`, `"novel-review/v2"`},
		{NameReview, `"` + testBlob + `"`, `"3f2a9c…"`},
		{NameReview, `"setting": "pass"`, `"setting": "ok"`},
		{NameReview, `"setting": "pass"`, `"plot": "pass"`},
		{NameReview, `"round": 2, `, ``},
		{NameReviewInput, `"description": "…",`, ``},
		{NameReviewInput, `"dimensions": {`, `"dimensions": [], "x": {`},
		{NameReviewInput, `"chapter": "0003"`, `"chapter": true`},
		{NameState, `"chapter_drafted"`, `"chapter_rejected"`},
		{NameState, `"current_chapter": 2`, `"current_chapter": -1`},
		{NameCommit, `"accepted"`, `"rejected"`},
		{NameCommit, `"pending": []`, `"pending": {}`},
		{NameOutline, `"cpns": []`, `"cpns": "a"`},
	} {
		text := map[string]string{
			NameReview: exampleReview, NameReviewInput: exampleReview, NameState: exampleState, NameCommit: exampleCommit,
			NameOutline: exampleOutline,
		}[c.name]
		bad := strings.Replace(text, c.from, c.to, 1)
		if bad == text {
			t.Fatalf("%s has no %s", c.name, c.from)
		}
		if checkSchema(t, compileSchema(t, c.name), []byte(bad)) == nil {
			t.Errorf("%s with %s instead of %s fits", c.name, c.to, c.from)
		}
	}
}
