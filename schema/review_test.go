package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testBlob = "3f2a9c0000000000000000000000000000000001"

var testWant = ReviewWant{Book: "雨夜灯", Chapter: "0003", Round: 2}

// faultTexts renders the faults of an error, without the file.
func faultTexts(t *testing.T, err error) []string {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("want an *Error, got %v", err)
	}
	if e.Code != CodeInvalid {
		t.Fatalf("code = %s, want %s: %v", e.Code, CodeInvalid, err)
	}
	if e.Hint.IsZero() {
		t.Errorf("no hint in %v", err)
	}
	var list []string
	for _, f := range e.Details {
		list = append(list, f.Field+": "+f.Msg.String())
	}
	return list
}

// wantFaults checks that each wanted text is part of one fault and that there is no fault beyond them.
func wantFaults(t *testing.T, got []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g string) bool { return strings.Contains(g, w) }) {
			t.Errorf("no fault says %q in:\n%s", w, strings.Join(got, "\n"))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
}

const goodReview = `{
  "schema": "novel-review/v1", "book": "雨夜灯", "chapter": 3, "run": "r-1", "producer": "agent:reviewer",
  "text": {"path": "novels/雨夜灯/第03章.md", "blob": "` + testBlob + `", "chars": 2311},
  "dimensions": {"setting": "pass", "timeline": 0, "continuity": "pass", "character": "发现1个问题", "logic": "pass"},
  "issues": [{"id": "x1", "severity": "critical", "category": "character", "location": "第3段", "description": "死者说话",
              "evidence": "“他开口了” vs 第2章已死", "fix_hint": "改", "blocking": false, "fact": true}],
  "issues_count": 1, "blocking_count": 1, "has_blocking": true, "summary": "一处阻断"
}`

func TestParseReviewInput(t *testing.T) {
	t.Parallel()
	in, err := ParseReviewInput("r.json", []byte(goodReview), testWant)
	if err != nil {
		t.Fatal(err)
	}
	blob, _ := ParseOID(testBlob)
	yes := true
	want := &ReviewInput{
		Issues: []Issue{{
			ID: "x1", Severity: SeverityCritical, Category: CategoryCharacter, Location: "第3段", Description: "死者说话",
			Evidence: "“他开口了” vs 第2章已死", FixHint: "改", Blocking: true, Fact: &yes,
		}},
		Dimensions: Dimensions{
			CategorySetting: 0, CategoryTimeline: 0, CategoryContinuity: 0, CategoryCharacter: 1, CategoryLogic: 0,
		},
		Summary: "一处阻断", TextBlob: &blob, Producer: "agent:reviewer", Run: "r-1",
	}
	if d := cmp.Diff(want, in); d != "" {
		t.Error(d)
	}
	if in.Blocking() != 1 {
		t.Errorf("a critical issue blocks even when the reviewer says false")
	}
}

// TestReviewWrapping: however models wrap the JSON, the same review comes out.
func TestReviewWrapping(t *testing.T) {
	t.Parallel()
	want, err := ParseReviewInput("r.json", []byte(goodReview), testWant)
	if err != nil {
		t.Fatal(err)
	}
	curly := goodReview
	open := true
	var b strings.Builder
	for _, r := range strings.ReplaceAll(curly, "“他开口了” vs", "‘他开口了’ vs") {
		if r == '"' {
			r = '”'
			if open {
				r = '“'
			}
			open = !open
		}
		b.WriteRune(r)
	}
	cases := map[string]string{
		"bom":             "\ufeff" + goodReview,
		"crlf":            strings.ReplaceAll(goodReview, "\n", "\r\n"),
		"fence":           "```json\n" + goodReview + "\n```\n",
		"fence and prose": "好的，审查结果如下（共 {一} 处）：\n\n```json\n" + goodReview + "\n```\n\n以上。{完}",
		"prose":           "Here is the review: " + goodReview + " Done.",
		"mixed quotes":    strings.Replace(goodReview, `"summary"`, "“summary”", 1),
		"half curly":      strings.Replace(goodReview, `"summary"`, "“summary\"", 1),
		"raw line break":  strings.Replace(goodReview, `一处阻断"`, `一处阻断"`, 1),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseReviewInput("r.json", []byte(text), testWant)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("curly delimiters", func(t *testing.T) {
		t.Parallel()
		got, err := ParseReviewInput("r.json", []byte(b.String()), testWant)
		if err != nil {
			t.Fatal(err)
		}
		if got.Issues[0].Evidence != "‘他开口了’ vs 第2章已死" || len(got.Dimensions) != 5 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("dialogue inside curly delimiters", func(t *testing.T) {
		t.Parallel()
		text := "{“issues”: [], “summary”: “他说：“走吧。”她点头”}"
		got, err := ParseReviewInput("r.json", []byte(text), testWant)
		if err != nil {
			t.Fatal(err)
		}
		if got.Summary != "他说：“走吧。”她点头" {
			t.Errorf("summary = %q", got.Summary)
		}
	})
	t.Run("line break in a string", func(t *testing.T) {
		t.Parallel()
		got, err := ParseReviewInput("r.json", []byte("{\"issues\": [], \"summary\": \"一\n二\"}"), testWant)
		if err != nil {
			t.Fatal(err)
		}
		if got.Summary != "一\n二" {
			t.Errorf("summary = %q", got.Summary)
		}
	})
}

func TestReviewNoObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "there is no JSON object in it"},
		"prose":       {"没有问题。", "there is no JSON object in it"},
		"list":        {"[]", "review_result must be a JSON object"},
		"string":      {`"pass"`, "review_result must be a JSON object"},
		"two":         {`{"issues": []} {"issues": []}`, "a second JSON object begins here"},
		"cut off":     {`{"issues": [{"id": "a"}`, "the JSON ends too early"},
		"nested only": {`{"issues": [{"id": "a"}], oops}`, "a key in double quotes is expected here"},
		"deep":        {`{"issues": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", "nested deeper"},
		"not utf-8":   {"{\"issues\": [], \"summary\": \"\xff\"}", "not UTF-8"},
		"bad number":  {`{"issues": [], "issues_count": 01}`, "not a JSON number"},
		"bad escape":  {`{"issues": [], "summary": "\x"}`, "is not an escape of JSON"},
		"unclosed":    {`{"issues": [], "summary": "abc}`, "this string is not closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseReviewInput("r.json", []byte(c.text), testWant)
			wantFaults(t, faultTexts(t, err), c.want)
		})
	}
}

func TestReviewFaults(t *testing.T) {
	t.Parallel()
	const issue = `{"severity": "high", "category": "logic", "description": "d", "evidence": "e"}`
	cases := []struct {
		name, text string
		want       []string
	}{
		{"everything at once", `{"issues": [
			{"severity": "CRITICAL", "category": "plot", "description": " ", "blocking": "false"},
			{"severity": "low", "category": "pacing", "description": "d", "evidence": "e", "blocking": 1, "fact": "no"}, 7],
			"chapter": 4, "book": "别的书", "schema": "novel-review/v2", "text": {"blob": "abc"}, "summary": 3}`, []string{
			`issues[0].severity: "CRITICAL" is not allowed here; allowed: critical, high, medium, low`,
			`issues[0].category: "plot" is not allowed here; allowed: setting, timeline, continuity, character, logic, ai_flavor, pacing, other`,
			"issues[0].description: is blank",
			"issues[0].evidence: is missing",
			`issues[0].blocking: must be true or false, not "false"`,
			"issues[1].blocking: must be true or false, not 1",
			`issues[1].fact: must be true or false, not "no"`,
			"issues[2]: must be an object, not 7",
			"chapter: 4 is not this chapter: it must be 0003",
			`book: "别的书" is not this book`,
			`schema: "novel-review/v2" is not the format of this file; allowed: novel-review/v1`,
			`text.blob: "abc" is not a git blob id`,
			"summary: must be a string, not 3",
		}},
		{"no issues", `{"summary": "ok"}`, []string{"issues: is missing"}},
		{"issues null", `{"issues": null}`, []string{"issues: is missing"}},
		{"issues object", `{"issues": {}}`, []string{"issues: must be a list of objects, not {…}"}},
		{"wrapped", `{"review": {"issues": []}}`, []string{"review_result fields must be top-level, not nested under review"}},
		{"skipped", `{"issues": [], "blocking_count": 0, "review_skipped": true}`, []string{"skipped"}},
		{
			"counts", `{"issues": [` + issue + `], "issues_count": 2, "blocking_count": 1, "has_blocking": true}`,
			[]string{"issues_count: is 2, but the list holds 1", "blocking_count: is 1, but the list holds 0", "has_blocking: is true"},
		},
		{
			"critical counts", `{"issues": [{"severity": "critical", "category": "logic", "description": "d", "evidence": "e",
			"blocking": false}], "blocking_count": 0, "has_blocking": false}`,
			[]string{"blocking_count: is 0, but the list holds 1", "has_blocking: is false"},
		},
		{
			"count as text beside a bad issue", `{"issues": [{"severity": "HIGH", "category": "logic", "location": "a", "description": "b", "evidence": "c",
			"blocking": false}], "blocking_count": "3"}`,
			[]string{`severity: "HIGH" is not allowed`, `blocking_count: must be a whole number of at least 0, not "3"`},
		},
		{"count as text", `{"issues": [], "blocking_count": "0"}`, []string{`blocking_count: must be a whole number of at least 0, not "0"`}},
		{"count as float", `{"issues": [], "blocking_count": 0.0}`, []string{"must be a whole number of at least 0, not 0.0"}},
		{"count as bool", `{"issues": [], "blocking_count": true}`, []string{"must be a whole number of at least 0, not true"}},
		{"negative", `{"issues": [], "issues_count": -1}`, []string{"must be a whole number of at least 0, not -1"}},
		{"misspelled", `{"issues": [], "summarry": "x", "blocking_cuont": 3}`, []string{
			`summarry: unknown key "summarry": is "summary" meant?`, `blocking_cuont: unknown key "blocking_cuont": is "blocking_count" meant?`,
		}},
		{"twice", `{"issues": [], "issues": []}`, []string{`the key "issues" is given twice`}},
		{"override", `{"issues": [{"severity": "high", "category": "pacing", "description": "d", "evidence": "e", "blocking": true,
			"override": {"reason": "r", "by": "me"}}]}`, []string{"issues[0].override: a review cannot carry an override"}},
		{"dimension unknown", `{"issues": [], "dimensions": {"plot": "pass"}}`, []string{`"plot" is not a dimension here`}},
		{"dimension disagrees", `{"issues": [` + issue + `], "dimensions": {"logic": "pass", "setting": 1}}`, []string{
			"dimensions.logic: concludes on 0 issues, but the list holds 1 of category logic",
			"dimensions.setting: concludes on 1 issues, but the list holds 0 of category setting",
		}},
		{"dimension nonsense", `{"issues": [], "dimensions": {"logic": "fine", "setting": true}}`, []string{
			`dimensions.logic: "fine" is not a conclusion`, "dimensions.setting: true is not a conclusion",
		}},
		{"dimensions empty", `{"issues": [], "dimensions": []}`, []string{"covers no dimension"}},
		{"dimensions text", `{"issues": [], "dimensions": "all"}`, []string{"must be an object of conclusions or a list"}},
		{"dimension twice", `{"issues": [], "dimensions": ["logic", "logic"]}`, []string{`dimensions[1]: the dimension "logic" is named twice`}},
		{"results incomplete", `{"issues": [], "dimension_results": [{"dimension": "logic"}, {"result": "pass"}]}`, []string{
			"dimension_results[0].conclusion: is missing", "dimension_results[1].dimension: is missing", `"" is not a dimension here`,
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseReviewInput("r.json", []byte(c.text), testWant)
			wantFaults(t, faultTexts(t, err), c.want...)
		})
	}
}

func TestReviewFaultPlace(t *testing.T) {
	t.Parallel()
	text := "\ufeff审查：\n```json\n{\n  \"issues\": [],\n  \"备注\": \"无\", \"has_blocking\": \"no\"\n}\n```"
	_, err := ParseReviewInput("r.json", []byte(text), testWant)
	var e *Error
	if !errors.As(err, &e) || len(e.Details) != 1 {
		t.Fatalf("got %v", err)
	}
	if f := e.Details[0]; f.Line != 5 || f.Col != 30 || f.File != "r.json" || f.Field != "has_blocking" {
		t.Errorf("fault at %d:%d of %s (%s)", f.Line, f.Col, f.File, f.Field)
	}
}

func TestReviewDimensionForms(t *testing.T) {
	t.Parallel()
	const issue = `"issues": [{"severity": "low", "category": "logic", "description": "d", "evidence": "e"}]`
	five := Dimensions{CategorySetting: 0, CategoryTimeline: 0, CategoryContinuity: 0, CategoryCharacter: 0, CategoryLogic: 1}
	two := Dimensions{CategorySetting: 0, CategoryLogic: 1}
	for text, want := range map[string]Dimensions{
		``:                                     five,
		`, "dimensions": null`:                 five,
		`, "dimensions": ["setting", "logic"]`: two,
		`, "dimensions": {"setting": "pass", "logic": 1}`:                                                             two,
		`, "dimensions": {"setting": "PASS", "logic": "1"}`:                                                           two,
		`, "dimension_results": {"setting": "pass", "logic": "发现1个问题"}`:                                               two,
		`, "dimension_results": {"setting": {"result": "pass"}, "logic": {"status": "发现 1 个问题。"}}`:                    two,
		`, "dimension_results": [{"dimension": "setting", "result": "pass"}, {"name": "logic", "conclusion": 1}]`:     two,
		`, "dimension_results": ["setting: pass", "logic：发现1个问题"]`:                                                    two,
		`, "dimensions": ["setting"], "dimension_results": [{"dimension": "logic", "count": 1}]`:                      two,
		`, "dimensions": ["ai_flavor", "setting", "logic"], "dimension_results": {"ai_flavor": "pass", "logic": "1"}`: {CategorySetting: 0, CategoryLogic: 1, CategoryAIFlavor: 0},
	} {
		in, err := ParseReviewInput("r.json", []byte("{"+issue+text+"}"), testWant)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := cmp.Diff(want, in.Dimensions); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func TestReviewChapterForms(t *testing.T) {
	t.Parallel()
	for _, c := range []string{`3`, `"3"`, `"0003"`, `"第3章"`, `"第03章"`, `null`} {
		if _, err := ParseReviewInput("r", []byte(`{"issues": [], "chapter": `+c+`}`), testWant); err != nil {
			t.Errorf("chapter %s: %v", c, err)
		}
	}
	for _, c := range []string{`4`, `"第4章"`, `3.0`, `-3`, `true`, `""`, `"番外"`, `[3]`} {
		if _, err := ParseReviewInput("r", []byte(`{"issues": [], "chapter": `+c+`}`), testWant); err == nil {
			t.Errorf("chapter %s was accepted for 0003", c)
		}
	}
	side := ReviewWant{Chapter: "番外·雨夜", Round: 1}
	if _, err := ParseReviewInput("r", []byte(`{"issues": [], "chapter": "番外·雨夜"}`), side); err != nil {
		t.Error(err)
	}
	if _, err := ParseReviewInput("r", []byte(`{"issues": [], "chapter": 3}`), side); err == nil {
		t.Error("chapter 3 was accepted for an unnumbered chapter")
	}
}

func TestReviewIssueIDs(t *testing.T) {
	t.Parallel()
	var items []string
	for _, id := range []string{`"a"`, `"b"`, `"b"`, `7`, `""`, `"two words"`, `"--force"`, `"r2-3"`} {
		items = append(items, `{"id": `+id+`, "severity": "low", "category": "other", "description": "d", "evidence": "e"}`)
	}
	in, err := ParseReviewInput("r", []byte(`{"issues": [`+strings.Join(items, ",")+`]}`), testWant)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range in.Issues {
		got = append(got, i.ID)
	}
	want := []string{"a", "r2-2", "r2-3a", "7", "r2-5", "r2-6", "r2-7", "r2-3"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRecheckInput(t *testing.T) {
	t.Parallel()
	in, err := ParseRecheckInput("r", []byte(`{"schema": "novel-recheck/v1", "task": "t-1", "issues": [], "blocking_count": 0,
		"text_blob": "`+testBlob+`"}`), testWant)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Dimensions{CategoryAIFlavor: 0}, in.Dimensions); d != "" || in.Task != "t-1" || in.TextBlob == nil {
		t.Errorf("got %+v %s", in, d)
	}
	_, err = ParseRecheckInput("r", []byte(`{"schema": "novel-review/v1", "dimensions": ["ai_flavor", "logic"],
		"issues": [{"severity": "low", "category": "logic", "description": "d", "evidence": "e"}]}`), testWant)
	wantFaults(t, faultTexts(t, err), "is not the format of this file; allowed: novel-recheck/v1",
		`a re-check speaks of ai_flavor only, not of "logic"`)
	_, err = ParseRecheckInput("r", []byte(`{"issues": [], "dimensions": ["ai_flavor", "logic"]}`), testWant)
	wantFaults(t, faultTexts(t, err), `"logic" is not a dimension here; allowed: ai_flavor`)
}

// TestReviewArtifact: chapter-commit may be handed the reviewer's file or the record itself, with a person's overrides.
func TestReviewArtifact(t *testing.T) {
	t.Parallel()
	want := testWant
	want.Artifact = true
	_, err := ParseReviewInput("r", []byte(`{"issues": []}`), want)
	wantFaults(t, faultTexts(t, err), "review_result missing required top-level fields: blocking_count")
	rec := sampleReview()
	rec.Issues[0].Override = &Override{Reason: "节奏有意如此", By: "作者"}
	rec.Blocking, rec.HasBlocking = 0, false
	data, err := Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	in, err := ParseReviewInput("review.json", data, want)
	if err != nil {
		t.Fatal(err)
	}
	if !in.Same(rec) || in.Issues[0].Override == nil {
		t.Errorf("the record is not the same as itself: %+v", in)
	}
	if _, err := ParseReviewInput("review.json", data, testWant); err == nil {
		t.Error("a review with an override was recorded")
	}
	for name, change := range map[string]func(*Review){
		"severity": func(r *Review) { r.Issues[0].Severity = SeverityLow },
		"text":     func(r *Review) { r.Text.Blob[0]++ },
		"summary":  func(r *Review) { r.Summary += "!" },
		"issue":    func(r *Review) { r.Issues = nil },
		"dims":     func(r *Review) { r.Dimensions[CategoryOther] = 0 },
	} {
		other := sampleReview()
		change(other)
		if in.Same(other) {
			t.Errorf("a review with another %s counts as the same", name)
		}
	}
}

func TestScores(t *testing.T) {
	t.Parallel()
	issues := []Issue{
		{Severity: SeverityCritical, Category: CategorySetting},
		{Severity: SeverityMedium, Category: CategoryAIFlavor},
		{Severity: SeverityLow, Category: CategoryOther},
	}
	if s := OverallScore(issues); s != 57 {
		t.Errorf("overall = %v, want 57", s)
	}
	want := map[Category]float64{
		CategorySetting: 65, CategoryAIFlavor: 94, CategoryOther: 98, CategoryTimeline: 100, CategoryContinuity: 100,
		CategoryCharacter: 100, CategoryLogic: 100, CategoryPacing: 100,
	}
	if d := cmp.Diff(want, DimensionScores(issues)); d != "" {
		t.Error(d)
	}
	if s := OverallScore(slices.Repeat(issues, 9)); s != 0 {
		t.Errorf("a score below zero: %v", s)
	}
	if d := cmp.Diff(map[Severity]int{"critical": 1, "high": 0, "medium": 1, "low": 1}, SeverityCounts(issues)); d != "" {
		t.Error(d)
	}
}

func sampleReview() *Review {
	blob, _ := ParseOID(testBlob)
	return &Review{
		Schema: SchemaReview, Book: "雨夜灯", Chapter: "0003", Round: 2, Run: "r-7f3a", Producer: "agent:reviewer",
		Depth: DepthAgent, Binding: BindingTask, Text: Binding{Path: "novels/雨夜灯/第03章.md", Blob: blob, Chars: 2311},
		Dimensions: Dimensions{
			CategorySetting: 0, CategoryTimeline: 0, CategoryContinuity: 0, CategoryCharacter: 0, CategoryLogic: 0, CategoryPacing: 1,
		},
		Issues: []Issue{{
			ID: "r2-1", Severity: SeverityHigh, Category: CategoryPacing, Location: "第3段", Description: "拖沓",
			Evidence: "三段同一场景", Blocking: true,
		}},
		IssuesCount: 1, Blocking: 1, HasBlocking: true, Summary: "一处",
	}
}

// FuzzParseReviewInput: whatever comes in, a review that is accepted agrees with itself, and one that is written the
// canonical way is accepted again and says the same.
func FuzzParseReviewInput(f *testing.F) {
	f.Add([]byte(goodReview))
	f.Add([]byte("```json\n" + goodReview + "\n```"))
	f.Add([]byte("{“issues”: [], “summary”: “他说：“走吧。””}"))
	f.Add([]byte(`{"issues": [], "dimension_results": ["logic：pass"]}`))
	f.Add([]byte("[{}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := ParseReviewInput("f", data, testWant)
		if err != nil {
			if CodeOf(err) != CodeInvalid || len(faultTexts(t, err)) == 0 {
				t.Fatalf("a refusal without faults: %v", err)
			}
			return
		}
		rec := &Review{
			Schema: SchemaReview, Book: "雨夜灯", Chapter: "0003", Round: 2, Run: "r", Producer: "p", Depth: DepthAgent,
			Binding: BindingTask, Text: Binding{Path: "p", Blob: HashBlob(nil)}, Dimensions: in.Dimensions, Issues: in.Issues,
			IssuesCount: len(in.Issues), Blocking: in.Blocking(), HasBlocking: in.Blocking() > 0, Summary: in.Summary,
		}
		if in.TextBlob != nil {
			rec.Text.Blob = *in.TextBlob
		}
		if faults := rec.Validate("f"); len(faults) > 0 {
			t.Fatalf("an accepted review makes an invalid record: %v", faults)
		}
		out, err := Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseReviewInput("g", out, testWant)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !again.Same(rec) || fmt.Sprint(again.Dimensions) != fmt.Sprint(in.Dimensions) {
			t.Fatalf("another review came back:\n%s", out)
		}
	})
}

// TestHandInBounds: what is handed in is bounded in size, in issues and in the faults that it can cause.
func TestHandInBounds(t *testing.T) {
	t.Parallel()
	_, err := ParseReviewInput("r", []byte(`{"issues": [], "summary": "`+strings.Repeat("长", MaxJSON/3)+`"}`), testWant)
	wantFaults(t, faultTexts(t, err), "larger than 16777216 bytes")
	many := strings.TrimSuffix(strings.Repeat("{},", maxIssues+1), ",")
	_, err = ParseReviewInput("r", []byte(`{"issues": [`+many+`]}`), testWant)
	wantFaults(t, faultTexts(t, err), "holds 1001 issues; at most 1000 are read")
	_, err = ParseReviewInput("r", []byte(`{"issues": [`+strings.TrimSuffix(strings.Repeat("{},", maxIssues), ",")+`]}`), testWant)
	if got := faultTexts(t, err); len(got) != maxHandFaults+1 || !strings.Contains(got[maxHandFaults], "and 3800 more faults") {
		t.Errorf("%d faults, the last %q", len(got), got[len(got)-1])
	}
	events := strings.TrimSuffix(strings.Repeat("{},", 30_000), ",")
	_, err = ParseExtraction("x", []byte(`{"accepted_events": [`+events+`], "state_deltas": [], "entity_deltas": []}`), 3)
	if got := faultTexts(t, err); len(got) != maxHandFaults+1 {
		t.Errorf("%d faults", len(got))
	}
}
