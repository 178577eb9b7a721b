package schema

import (
	"strings"
	"testing"
)

func faultLines(faults []Fault) []string {
	var list []string
	for _, f := range faults {
		list = append(list, f.Field+": "+f.Msg.String())
	}
	return list
}

func sampleRecheck() *Recheck {
	blob, _ := ParseOID(testBlob)
	return &Recheck{
		Schema: SchemaRecheck, Book: "雨夜灯", Chapter: "0003", Task: "t-1", Run: "r-2", Producer: "builtin:reviewer",
		Depth: DepthMechanical, Text: Binding{Path: "novels/雨夜灯/第03章.md", Blob: blob, Chars: 2311},
		Dimensions: Dimensions{CategoryAIFlavor: 0}, Issues: []Issue{},
	}
}

func sampleCommit() *Commit {
	rev := sampleReview()
	rev.Issues[0].Blocking = false
	rev.Blocking, rev.HasBlocking = 0, false
	return &Commit{
		Schema: SchemaCommit, Book: "雨夜灯", Chapter: "0003", Revision: 1, Status: StatusAccepted, Text: rev.Text,
		Review:       &ReviewDigest{Round: 2, Overrides: []OverrideDigest{}, Waived: []Waiver{{Node: "旁白", Reason: "篇幅"}}},
		ReviewResult: rev,
		Fulfillment: &Fulfillment{
			Planned: []Node{{Type: NodeCBN, Text: "敲门"}, {Type: NodeCPN, Text: "旁白"}}, Covered: []Node{{Type: NodeCBN, Text: "敲门"}},
			Missed: []Node{{Type: NodeCPN, Text: "旁白"}}, Extra: []Node{{Text: "猫"}},
		},
		Disambiguation: &Disambiguation{Pending: []any{}},
		Extraction: &Extraction{
			Events: []Event{{ID: "e1", Chapter: 3, Type: "promise_created", Subject: "林晚", Payload: map[string]any{}}},
			States: []StateDelta{{Entity: "lamp", Field: "holder", New: "林晚"}}, Entities: []EntityDelta{{Entity: "lamp"}},
			SummaryText: "雨夜。",
		},
	}
}

func TestReviewValidate(t *testing.T) {
	t.Parallel()
	if f := sampleReview().Validate("f"); f != nil {
		t.Fatal(f)
	}
	for _, c := range []struct {
		name   string
		change func(*Review)
		want   []string
	}{
		{"schema", func(r *Review) { r.Schema = "novel-review/v2" }, []string{"schema: \"novel-review/v2\" is not allowed here"}},
		{"names", func(r *Review) { r.Book, r.Chapter, r.Producer = "", " ", "" }, []string{"book: ", "chapter: ", "producer: "}},
		{"words", func(r *Review) { r.Depth, r.Binding, r.Round = "deep", "", 0 }, []string{"depth: ", "binding: ", "round: is 0; it must be at least 1"}},
		{"text", func(r *Review) { r.Text = Binding{Chars: -1} }, []string{"text.path", "text.blob: names no text", "text.chars"}},
		{"counts", func(r *Review) { r.IssuesCount, r.Blocking, r.HasBlocking = 0, 0, false }, []string{"issues_count: is 0", "blocking_count: is 0", "has_blocking: is false"}},
		{"issue", func(r *Review) { r.Issues[0] = Issue{Blocking: true} }, []string{
			"issues[0].id", "issues[0].severity", "issues[0].category", "issues[0].description", "issues[0].evidence",
			"dimensions.pacing: concludes on 1 issues, but the list holds 0",
		}},
		{"critical", func(r *Review) { r.Issues[0].Severity, r.Issues[0].Blocking = SeverityCritical, false }, []string{"issues[0].blocking: a critical issue always blocks"}},
		{"same id", func(r *Review) {
			r.Issues = append(r.Issues, r.Issues[0])
			r.IssuesCount, r.Blocking, r.Dimensions[CategoryPacing] = 2, 2, 2
		}, []string{`the issue id "r2-1" is given twice`}},
		{"override", func(r *Review) { r.Issues[0].Override = &Override{} }, []string{
			"override.reason", "override.by", "blocking_count: is 1", "has_blocking: is true",
		}},
		{"forbidden override", func(r *Review) {
			r.Issues[0].Category, r.Issues[0].Override = CategorySetting, &Override{Reason: "r", By: "b"}
			r.Blocking, r.HasBlocking, r.Dimensions[CategorySetting], r.Dimensions[CategoryPacing] = 0, false, 1, 0
		}, []string{"issues[0].override: an issue of category setting"}},
		{"no dimensions", func(r *Review) { r.Dimensions = nil }, []string{"dimensions: covers no dimension"}},
		{"dimension", func(r *Review) { r.Dimensions["plot"] = 0 }, []string{`dimensions.plot: "plot" is not allowed here`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := sampleReview()
			c.change(r)
			wantFaults(t, faultLines(r.Validate("f")), c.want...)
		})
	}
}

func TestRecheckValidate(t *testing.T) {
	t.Parallel()
	if f := sampleRecheck().Validate("f"); f != nil {
		t.Fatal(f)
	}
	r := sampleRecheck()
	r.Task, r.Schema = "", SchemaReview
	r.Dimensions[CategoryLogic] = 1
	r.Issues = []Issue{{ID: "a", Severity: SeverityLow, Category: CategoryLogic, Description: "d", Evidence: "e"}}
	r.IssuesCount = 1
	wantFaults(t, faultLines(r.Validate("f")), "schema: ", "task: ", `dimensions.logic: "logic" is not allowed here; allowed: ai_flavor`,
		`issues[0].category: a re-check speaks of ai_flavor only`)
}

func TestCommitValidate(t *testing.T) {
	t.Parallel()
	if f := sampleCommit().Validate("f"); f != nil {
		t.Fatal(f)
	}
	other := HashBlob([]byte("other"))
	for _, c := range []struct {
		name   string
		change func(*Commit)
		want   []string
	}{
		{"head", func(c *Commit) { c.Schema, c.Revision, c.Status, c.Origin = "", 0, "rejected", "found" }, []string{"schema", "revision", "status", "origin"}},
		{"re-checked text", func(c *Commit) { c.Text.Blob, c.Review.Recheck = other, "r-9" }, nil},
		{"typo", func(c *Commit) { b := c.Text; c.Base, c.Text.Blob, c.Revision = &b, other, 2 }, nil},
		{"base of nothing", func(c *Commit) { c.Base = &Binding{Path: "p"} }, []string{"base.blob"}},
		{"no evidence", func(c *Commit) {
			c.Review, c.ReviewResult, c.Fulfillment, c.Disambiguation, c.Extraction = nil, nil, nil, nil, nil
		}, []string{"review: is missing", "review_result: is missing", "fulfillment_result", "disambiguation_result", "extraction_result"}},
		{"adopted", func(c *Commit) {
			*c = Commit{Schema: SchemaCommit, Book: "b", Chapter: "0001", Revision: 1, Status: StatusAccepted, Origin: OriginAdopted, Text: c.Text}
		}, nil},
		{"adopted and enriched", func(c *Commit) {
			c.Origin, c.Review, c.ReviewResult = OriginAdopted, nil, nil
			c.Fulfillment.Missed = nil
		}, nil},
		{"blocked", func(c *Commit) {
			c.ReviewResult.Issues[0].Blocking = true
			c.ReviewResult.Blocking, c.ReviewResult.HasBlocking, c.Review.Blocking = 1, true, 1
		}, []string{"review_result: holds 1 blocking", "review.blocking_count: is 1"}},
		{"other chapter", func(c *Commit) { c.ReviewResult.Chapter = "0004" }, []string{`belongs to chapter 0004 of "雨夜灯"`}},
		{"round", func(c *Commit) { c.Review.Round = 1 }, []string{"review.round: is 1, but the stored review is of round 2"}},
		{"hidden override", func(c *Commit) {
			c.ReviewResult.Issues[0].Blocking = true
			c.ReviewResult.Issues[0].Override = &Override{Reason: "r", By: "b"}
		}, []string{"review.overrides: does not name"}},
		{"shown override", func(c *Commit) {
			c.ReviewResult.Issues[0].Blocking = true
			c.ReviewResult.Issues[0].Override = &Override{Reason: "r", By: "b"}
			c.Review.Overrides = []OverrideDigest{{Issue: "r2-1", Reason: "r", By: "b"}}
		}, nil},
		{"invented override", func(c *Commit) { c.Review.Overrides = []OverrideDigest{{Issue: "r2-1", Reason: "r", By: "b"}} }, []string{"review.overrides"}},
		{"missed", func(c *Commit) {
			c.Fulfillment.Missed = []Node{{Type: NodeCBN, Text: "旁白"}, {Type: NodeMustCover, Text: "旁白"}, {Type: NodeCEN, Text: "x"}, {Text: "旁白"}}
		}, []string{`missed_nodes[0]: the node "旁白" of type CBN is missed`, "missed_nodes[1]", `missed_nodes[2]: the node "x" is missed and not waived`}},
		{"waiver", func(c *Commit) { c.Review.Waived[0].Reason = "" }, []string{"review.waived[0].reason"}},
		{"node type", func(c *Commit) { c.Fulfillment.Extra[0].Type = "X" }, []string{`"X" is not a node type`}},
		{"pending", func(c *Commit) { c.Disambiguation.Pending = []any{"甲"} }, []string{"holds 1 names that nobody resolved"}},
		{"events", func(c *Commit) {
			c.Extraction.Events = append(c.Extraction.Events, Event{ID: "e1", Chapter: 4, Type: "x"}, Event{Chapter: 3, Type: "promise_created", Subject: "s"})
			c.Extraction.States = append(c.Extraction.States, StateDelta{})
		}, []string{
			`accepted_events[1].event_id: the event id "e1" is given twice`, "accepted_events[1].event_type", "accepted_events[1].subject",
			"accepted_events[1].chapter: 4 is not this chapter", "accepted_events[2].event_id", "state_deltas[1].entity_id", "state_deltas[1].field",
		}},
		{"unnumbered", func(c *Commit) {
			c.Chapter, c.ReviewResult.Chapter = "番外·雨夜", "番外·雨夜"
			c.Extraction.Events[0].Chapter = 0
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rec := sampleCommit()
			c.change(rec)
			wantFaults(t, faultLines(rec.Validate("f")), c.want...)
		})
	}
}

func sampleBookState() *BookState {
	return &BookState{
		Book: "雨夜灯",
		Progress: Progress{CurrentChapter: 2, ChapterStatus: map[string]State{
			"0001": StateCommitted, "0002": StateCommitted, "0003": StateDrafted, "番外·雨夜": StateReviewed,
		}},
		Order: map[string]Place{"番外·雨夜": {After: "0002"}, "楔子": {After: "0000"}, "附录": {After: "番外·雨夜"}},
	}
}

func TestBookStateValidate(t *testing.T) {
	t.Parallel()
	if f := sampleBookState().Validate("f"); f != nil {
		t.Fatal(f)
	}
	for _, c := range []struct {
		name   string
		change func(*BookState)
		want   []string
	}{
		{"book", func(s *BookState) { s.Book = "" }, []string{"book"}},
		{"word", func(s *BookState) { s.Progress.ChapterStatus["0003"] = "chapter_rejected" }, []string{`chapter_status.0003: "chapter_rejected" is not allowed here`}},
		{"empty word", func(s *BookState) { s.Progress.ChapterStatus["0003"] = "" }, []string{"chapter_status.0003"}},
		{"id", func(s *BookState) { s.Progress.ChapterStatus["3"] = StateDrafted }, []string{`"3" is not a chapter id`}},
		{"current", func(s *BookState) { s.Progress.CurrentChapter = 3 }, []string{"current_chapter: is 3, but the highest committed chapter is 2"}},
		{"numbered order", func(s *BookState) { s.Order["0002"] = Place{After: "0001"} }, []string{"order.0002: a numbered chapter has its place"}},
		{"nowhere", func(s *BookState) { s.Order["楔子"] = Place{} }, []string{"order.楔子.after"}},
		{"circle", func(s *BookState) { s.Order["番外·雨夜"] = Place{After: "附录"} }, []string{"order.番外·雨夜.after: the places of", "order.附录.after: the places of"}},
		{"itself", func(s *BookState) { s.Order["楔子"] = Place{After: "楔子"} }, []string{"order.楔子.after: the places of"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := sampleBookState()
			c.change(s)
			wantFaults(t, faultLines(s.Validate("f")), c.want...)
		})
	}
}

func TestTask(t *testing.T) {
	t.Parallel()
	blob := HashBlob([]byte("x"))
	id := TaskID(TaskRecheck, "雨夜灯", "0003", blob, 2, "")
	if id != TaskID(TaskRecheck, "雨夜灯", "0003", blob, 2, "") || len(id) != 14 {
		t.Errorf("task id %q", id)
	}
	for _, other := range []string{
		TaskID(TaskReview, "雨夜灯", "0003", blob, 2, ""), TaskID(TaskRecheck, "雨夜", "灯\x000003", blob, 2, ""),
		TaskID(TaskRecheck, "雨夜灯", "0003", OID{}, 2, ""), TaskID(TaskRecheck, "雨夜灯", "0003", blob, 3, ""),
		TaskID(TaskRecheck, "雨夜灯", "0003", blob, 2, "n"),
	} {
		if other == id {
			t.Error("different tasks have one id")
		}
	}
	if p := TaskPath("雨夜灯", "0003", id); p != ".novel-writer/tmp/雨夜灯/0003/task-"+id+".json" {
		t.Errorf("path %q", p)
	}
	for _, bad := range []string{"", "../x", "a b", "a/b", "任务", strings.Repeat("a", 65), "a.json"} {
		if CodeOf(CheckTaskID(bad)) != CodeUsage {
			t.Errorf("%q passes as a task id", bad)
		}
	}
	task := &Task{
		Schema: SchemaTask, ID: id, Kind: TaskRecheck, Book: "雨夜灯", Chapter: "0003", Blob: blob, Path: "novels/雨夜灯/第03章.md", Chars: 1, Round: 2,
	}
	data, err := Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseTask("t.json", data); err != nil {
		t.Error(err)
	}
	_, err = ParseTask("t.json", []byte(`{"schema": "novel-task/v1", "id": "../x", "kind": "guess", "book": "", "chapter": "3", "round": -1}`))
	wantFaults(t, faultTexts(t, err), "id: ", "kind: ", "book: ", "chapter: ", "round: ")
	_, err = ParseTask("t.json", []byte(`{"schema": "novel-task/v1", "id": "a", "kind": "review", "book": "b", "chapter": "0003"}`))
	wantFaults(t, faultTexts(t, err), "text.path", "text.blob")
	for _, k := range TaskKinds() {
		if k.Role() == "" {
			t.Errorf("no role answers a task of kind %s", k)
		}
	}
}

func TestBatchStateValidate(t *testing.T) {
	t.Parallel()
	seed := `{"task_id": "batch_20260506_143000", "range": {"start": 9, "end": 15}, "status": "running", "current_chapter": 11,
		"completed_chapters": [9, 10], "failed_chapters": [], "chapter_results": {"9": {"status": "success", "score": 87, "words": 2340},
		"10": {"status": "success", "score": 85, "words": 2280}}, "created_at": "2026-05-06T14:30:00Z"}`
	var b BatchState
	if err := Unmarshal("b", []byte(seed), &b); err != nil {
		t.Fatal(err)
	}
	if f := b.Validate("b"); f != nil {
		t.Error(f)
	}
	b.Status, b.Current, b.Completed, b.Failed = "waiting", 17, []int{8}, []int{16}
	b.Results["9"] = BatchResult{Status: "ok"}
	wantFaults(t, faultLines(b.Validate("b")), "status", "current_chapter", "completed_chapters[0]", "failed_chapters[0]", "chapter_results.9.status")
	b.Range = BatchRange{}
	if len(b.Validate("b")) == 0 {
		t.Error("a batch without a range is valid")
	}
}
