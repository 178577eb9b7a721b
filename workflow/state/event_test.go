package state

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"git-novel/schema"
)

var (
	textA = schema.HashBlob([]byte("A"))
	textB = schema.HashBlob([]byte("B"))
	five  = NewDims(schema.FullDimensions()...)
	all   = five | NewDims(schema.CategoryAIFlavor)
)

func reviewOf(text schema.OID, dims Dims, open ...OpenIssue) *ReviewEvidence {
	return &ReviewEvidence{
		Text: text, Path: "novels/雨夜灯/第03章.md", Chars: 1000, Round: 1, Run: "r-1", Depth: schema.DepthAgent, Dims: dims,
		Open: open,
	}
}

func recheckOf(text schema.OID, open ...OpenIssue) *RecheckEvidence {
	return &RecheckEvidence{
		Text: text, Task: "t-1", Run: "r-2", Depth: schema.DepthAgent, Dims: NewDims(schema.CategoryAIFlavor), Open: open,
	}
}

func taskFor(text schema.OID) *schema.Task {
	return &schema.Task{ID: "t-1", Kind: schema.TaskRecheck, Book: "雨夜灯", Chapter: "0003", Blob: text}
}

// bookWith puts chapter 3 behind two committed ones.
func bookWith(c *Chapter) *Book {
	before := func(n int) *Chapter {
		return &Chapter{
			Key: schema.NumberKey(n), State: schema.StateCommitted, Text: textA, Commit: &CommitEvidence{Text: textA, Base: textA, Revision: 1},
		}
	}
	list := []*Chapter{before(1), before(2)}
	if c != nil {
		list = append(list, c)
	}
	return NewBook("雨夜灯", DefaultRules(), list)
}

func chapter3(state schema.State, change func(*Chapter)) *Chapter {
	c := &Chapter{Key: schema.NumberKey(3), State: state, Text: textA, Path: "novels/雨夜灯/第03章.md", Chars: 1000}
	switch state {
	case schema.StateReviewed:
		c.Review = reviewOf(textA, all)
	case schema.StateCommitted:
		c.Review, c.HasSummary = reviewOf(textA, all), true
		c.Commit = &CommitEvidence{Text: textA, Base: textA, Revision: 1}
	case schema.StateNone:
		c.Text, c.Path = schema.OID{}, ""
	case schema.StateDrafted:
	}
	if change != nil {
		change(c)
	}
	return c
}

func rulesOf(list []schema.Fault) []string {
	var out []string
	for _, f := range list {
		if !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return out
}

// TestEveryPair fixes the answer to every event in every state, the event being as good as it can be.
func TestEveryPair(t *testing.T) {
	t.Parallel()
	good := map[Kind]Event{
		KindStart: StartEvent{}, KindSave: SaveEvent{}, KindReview: ReviewEvent{Record: reviewOf(textA, all)},
		KindRecheck:  RecheckEvent{Record: recheckOf(textA), Task: taskFor(textA)},
		KindOverride: OverrideEvent{Issue: "i", Reason: "R", By: "me", Person: true}, KindCommit: okCommit(),
		KindEnrich: EnrichEvent{SummaryText: "s"}, KindRetcon: RetconEvent{Text: textB, Reason: "R", Review: reviewOf(textB, all)},
		KindTypo: TypoEvent{Edits: Counted(1, 1)}, KindDiscard: DiscardEvent{}, KindRetract: RetractEvent{Reason: "R"},
		KindRename: RenameEvent{}, KindSetStatus: SetStatusEvent{To: schema.StateReviewed}, KindAdopt: AdoptEvent{Creating: true},
		KindResolve: ResolveEvent{}, KindRecover: RecoverEvent{}, KindSplit: SplitEvent{},
	}
	const none, drafted, reviewed, committed = schema.StateNone, schema.StateDrafted, schema.StateReviewed, schema.StateCommitted
	type answer struct {
		next schema.State
		rule []string // refused with these
	}
	yes := func(s schema.State) answer { return answer{next: s} }
	no := func(rule ...string) answer { slices.Sort(rule); return answer{rule: rule} }
	table := map[Kind]map[schema.State]answer{
		KindStart: {none: yes(drafted), drafted: no("chapter-exists"), reviewed: no("chapter-exists"), committed: no("chapter-exists")},
		KindSave:  {none: no("chapter-missing"), drafted: yes(drafted), reviewed: yes(reviewed), committed: yes(committed)},
		KindReview: {
			none: no("chapter-none"), drafted: yes(reviewed), reviewed: yes(reviewed), committed: no("chapter-committed"),
		},
		KindRecheck: {
			none: no("chapter-none"), drafted: yes(drafted), reviewed: yes(reviewed), committed: no("chapter-committed"),
		},
		KindOverride: {
			none: no("chapter-none"), drafted: no("override-unknown"), reviewed: no("override-unknown"), committed: no("chapter-committed"),
		},
		KindCommit: {
			none: no("chapter-none"), drafted: no("chapter-not-reviewed", "review-missing"), reviewed: yes(committed),
			committed: no("chapter-committed"),
		},
		KindEnrich: {
			none: no("chapter-none"), drafted: no("chapter-not-committed"), reviewed: no("chapter-not-committed"),
			committed: no("enrich-written"),
		},
		KindRetcon: {
			none: no("chapter-none"), drafted: no("chapter-not-committed"), reviewed: no("chapter-not-committed"), committed: yes(committed),
		},
		KindTypo: {
			none: no("chapter-none"), drafted: no("chapter-not-committed"), reviewed: no("chapter-not-committed"), committed: yes(committed),
		},
		KindDiscard: {none: no("chapter-none"), drafted: yes(none), reviewed: yes(none), committed: no("discard-committed")},
		KindRetract: {
			none: no("chapter-none"), drafted: no("chapter-not-committed"), reviewed: no("chapter-not-committed"), committed: yes(none),
		},
		KindRename: {none: no("chapter-none"), drafted: yes(drafted), reviewed: yes(reviewed), committed: yes(committed)},
		KindSetStatus: {
			none: no("chapter-missing", "review-missing"), drafted: no("review-missing"), reviewed: yes(reviewed), committed: no("state-back"),
		},
		KindAdopt: {
			none: yes(committed), drafted: no("chapter-exists"), reviewed: no("chapter-exists"), committed: no("chapter-exists"),
		},
		KindSplit: {
			none: no("chapter-none"), drafted: yes(drafted), reviewed: no("split-reviewed"), committed: no("chapter-committed"),
		},
		KindResolve: {
			none: no("resolve-nothing"), drafted: no("resolve-nothing"), reviewed: no("resolve-nothing"), committed: no("resolve-nothing"),
		},
		KindRecover: {none: yes(none), drafted: yes(drafted), reviewed: yes(reviewed), committed: yes(committed)},
	}
	for _, kind := range Kinds() {
		for _, st := range schema.States() {
			want, ok := table[kind][st]
			if !ok || good[kind] == nil {
				t.Errorf("%s in %s has no answer in the table", kind, st.Trailer())
				continue
			}
			c := chapter3(st, nil)
			b := bookWith(c)
			d := b.Decide(c.Key, good[kind])
			if d.Allowed != (want.rule == nil) {
				t.Errorf("%s in %s: allowed %v, faults %v", kind, st.Trailer(), d.Allowed, d.Faults)
				continue
			}
			if !d.Allowed {
				if diff := cmp.Diff(want.rule, rulesOf(d.Faults)); diff != "" {
					t.Errorf("%s in %s: %s", kind, st.Trailer(), diff)
				}
				continue
			}
			if d.Next != want.next || d.From != st {
				t.Errorf("%s in %s: %q -> %q, want %q", kind, st.Trailer(), d.From, d.Next, want.next)
			}
		}
	}
}

// TestRefusals fixes which rule refuses what, one defect at a time, and that several defects are all named.
func TestRefusals(t *testing.T) {
	t.Parallel()
	fixed := func(e Event) func(*Chapter) Event { return func(*Chapter) Event { return e } }
	issue := OpenIssue{ID: "i1", Severity: schema.SeverityHigh, Category: schema.CategoryLogic}
	soft := OpenIssue{ID: "i2", Severity: schema.SeverityHigh, Category: schema.CategoryPacing, Overridable: true}
	override := OverrideEvent{Issue: "i1", Reason: "R", By: "me", Person: true}
	tests := []struct {
		name   string
		state  schema.State
		change func(*Chapter)
		event  func(*Chapter) Event
		rules  []string
	}{
		{"blank start", schema.StateNone, nil, fixed(StartEvent{Blank: true}), []string{"text-blank"}},
		{"save of a hand-edited committed text", schema.StateCommitted, func(c *Chapter) { c.Text = textB }, fixed(SaveEvent{}), []string{"chapter-committed"}},
		{"review of another text", schema.StateDrafted, nil, fixed(ReviewEvent{Record: reviewOf(textB, all)}), []string{"review-text"}},
		{"review of three dimensions", schema.StateDrafted, nil, fixed(ReviewEvent{Record: reviewOf(textA, NewDims("setting", "logic", "timeline"))}), []string{"review-not-full"}},
		{"review of two files", schema.StateDrafted, func(c *Chapter) { c.Duplicate = true }, fixed(ReviewEvent{Record: reviewOf(textA, all)}), []string{"chapter-duplicate"}},
		{"review without a file", schema.StateDrafted, func(c *Chapter) { c.Missing = true }, fixed(ReviewEvent{Record: reviewOf(textA, all)}), []string{"chapter-missing"}},
		{"re-check without a task", schema.StateDrafted, nil, fixed(RecheckEvent{Record: recheckOf(textA)}), []string{"recheck-task"}},
		{"re-check for a task on another text", schema.StateDrafted, nil, fixed(RecheckEvent{Record: recheckOf(textA), Task: taskFor(textB)}), []string{"recheck-task"}},
		{"re-check by the run that saved", schema.StateDrafted, nil, fixed(RecheckEvent{Record: recheckOf(textA), Task: taskFor(textA), SavedBy: "r-2"}), []string{"recheck-own-text"}},
		{"re-check by the run the task names", schema.StateDrafted, nil, func(*Chapter) Event {
			task := taskFor(textA)
			task.SavedBy = "r-2"
			return RecheckEvent{Record: recheckOf(textA), Task: task}
		}, []string{"recheck-own-text"}},
		{"re-check of a stale text", schema.StateReviewed, nil, fixed(RecheckEvent{Record: recheckOf(textB), Task: taskFor(textB)}), []string{"review-text"}},
		{"override of a fact", schema.StateDrafted, func(c *Chapter) { c.Review = reviewOf(textA, all, issue) }, fixed(override), []string{"override-forbidden"}},
		{"override by an agent without a reason", schema.StateDrafted, func(c *Chapter) { c.Review = reviewOf(textA, all, soft) }, fixed(OverrideEvent{Issue: "i2"}), []string{"override-by", "override-person", "override-reason"}},
		{"commit with a stale review", schema.StateReviewed, func(c *Chapter) { c.Text, c.Polish = textB, Counted(1, 0) }, fixed(okCommit()), []string{"evidence-stale"}},
		{"commit with a newer review that blocks", schema.StateReviewed, func(c *Chapter) { c.Review = reviewOf(textA, all, soft) }, fixed(okCommit()), []string{"review-blocking"}},
		{"commit without anti-AI", schema.StateReviewed, func(c *Chapter) { c.Review = reviewOf(textA, five) }, fixed(okCommit()), []string{"anti-ai-missing"}},
		{"commit of too much polish", schema.StateReviewed, func(c *Chapter) { c.Text, c.Recheck, c.Polish = textB, recheckOf(textB), Counted(100, 51) }, fixed(okCommit()), []string{"polish-too-large"}},
		{"commit of unmeasured polish", schema.StateReviewed, func(c *Chapter) { c.Text, c.Recheck = textB, recheckOf(textB) }, fixed(okCommit()), []string{"polish-unknown"}},
		{"commit with a re-check that blocks", schema.StateReviewed, func(c *Chapter) { c.Recheck = recheckOf(textA, soft) }, fixed(okCommit()), []string{"recheck-blocking"}},
		{"commit without artifacts", schema.StateReviewed, nil, fixed(CommitEvent{}), []string{"artifact-missing", "summary-missing"}},
		{"commit with pending names", schema.StateReviewed, nil, func(*Chapter) Event {
			e := okCommit()
			e.Disambiguation = &schema.Disambiguation{Pending: []any{"老周"}}
			return e
		}, []string{"pending"}},
		{"commit with a review that was never recorded", schema.StateReviewed, nil, func(*Chapter) Event {
			e := okCommit()
			e.Given = &schema.ReviewInput{}
			return e
		}, []string{"review-differs"}},
		{"enrich with nothing", schema.StateCommitted, func(c *Chapter) { c.Commit.Adopted = true }, fixed(EnrichEvent{Pending: 1}), []string{"pending", "summary-missing"}},
		{"retcon without reason and ai_flavor", schema.StateCommitted, nil, fixed(RetconEvent{Text: textB, Review: reviewOf(textB, five)}), []string{"retcon-reason", "review-not-full"}},
		{"retcon with a review of the old text", schema.StateCommitted, nil, fixed(RetconEvent{Text: textB, Reason: "R", Review: reviewOf(textA, all)}), []string{"evidence-stale"}},
		{"retcon without review", schema.StateCommitted, nil, fixed(RetconEvent{Text: textB, Reason: "R"}), []string{"review-missing"}},
		{"retcon of nothing", schema.StateCommitted, nil, fixed(RetconEvent{Text: textA, Reason: "R", Review: reviewOf(textA, all)}), []string{"retcon-nothing"}},
		{"a typo of 21 characters", schema.StateCommitted, func(c *Chapter) { c.Text = textB }, fixed(TypoEvent{Edits: Counted(11, 10)}), []string{"typo-too-large"}},
		{"a typo that nobody counted", schema.StateCommitted, func(c *Chapter) { c.Text = textB }, fixed(TypoEvent{}), []string{"typo-unknown"}},
		{"rename of a hand-edited committed chapter", schema.StateCommitted, func(c *Chapter) { c.Text = textB }, fixed(RenameEvent{}), []string{"chapter-edited"}},
		{"retract without a reason", schema.StateCommitted, nil, fixed(RetractEvent{}), []string{"retract-reason"}},
		{"an unknown status", schema.StateDrafted, nil, fixed(SetStatusEvent{To: "chapter_rejected"}), []string{"status-unknown"}},
		{"committed by status alone", schema.StateReviewed, nil, fixed(SetStatusEvent{To: schema.StateCommitted}), []string{"commit-missing", "summary-missing"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := chapter3(tt.state, tt.change)
			d := bookWith(c).Decide(c.Key, tt.event(c))
			if d.Allowed || len(d.Do) == 0 {
				t.Fatalf("allowed %v, do %v", d.Allowed, d.Do)
			}
			if diff := cmp.Diff(tt.rules, rulesOf(d.Faults)); diff != "" {
				t.Error(diff)
			}
			var e *schema.Error
			if err := d.Error(schema.Textf("refused")); !errors.As(err, &e) || e.Code != schema.CodeRule || e.Hint.IsZero() {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestAdvances fixes when a record makes the move to reviewed, and when it is recorded without one.
func TestAdvances(t *testing.T) {
	t.Parallel()
	soft := OpenIssue{ID: "i2", Category: schema.CategoryPacing, Overridable: true}
	mechanical := reviewOf(textA, all)
	mechanical.Depth = schema.DepthMechanical
	person := reviewOf(textA, all)
	person.Depth = schema.DepthPerson
	recheck := func(text schema.OID) Event { return RecheckEvent{Record: recheckOf(text), Task: taskFor(text)} }
	tests := []struct {
		name   string
		agent  bool
		change func(*Chapter)
		event  Event
		next   schema.State
		gaps   []string
	}{
		{name: "full review with ai_flavor", event: ReviewEvent{Record: reviewOf(textA, all)}, next: schema.StateReviewed},
		{name: "full review without", event: ReviewEvent{Record: reviewOf(textA, five)}, next: schema.StateDrafted, gaps: []string{"anti-ai-missing"}},
		{name: "review that blocks", event: ReviewEvent{Record: reviewOf(textA, all, soft)}, next: schema.StateDrafted, gaps: []string{"review-blocking"}},
		{name: "mechanical where any will do", event: ReviewEvent{Record: mechanical}, next: schema.StateReviewed},
		{name: "mechanical where an agent is required", agent: true, event: ReviewEvent{Record: mechanical}, next: schema.StateDrafted, gaps: []string{"review-mechanical"}},
		{name: "a person where an agent is required", agent: true, event: ReviewEvent{Record: person}, next: schema.StateReviewed},
		{name: "re-check completes", change: func(c *Chapter) { c.Review = reviewOf(textA, five) }, event: recheck(textA), next: schema.StateReviewed},
		{name: "review completes", change: func(c *Chapter) { c.Recheck = recheckOf(textA) }, event: ReviewEvent{Record: reviewOf(textA, five)}, next: schema.StateReviewed},
		{name: "re-check first", event: recheck(textA), next: schema.StateDrafted, gaps: []string{"review-missing"}},
		{
			name: "polish of 15 % and a re-check", next: schema.StateReviewed, event: recheck(textB),
			change: func(c *Chapter) { c.Text, c.Review, c.Polish = textB, reviewOf(textA, all), Counted(100, 50) },
		},
		{
			name: "polish of more than 15 % and a re-check", next: schema.StateDrafted, event: recheck(textB), gaps: []string{"polish-too-large"},
			change: func(c *Chapter) { c.Text, c.Review, c.Polish = textB, reviewOf(textA, all), Counted(100, 51) },
		},
		{
			name: "a re-check does not undo what blocked before", next: schema.StateDrafted, event: recheck(textB), gaps: []string{"review-blocking"},
			change: func(c *Chapter) { c.Text, c.Review, c.Polish = textB, reviewOf(textA, all, soft), Counted(1, 1) },
		},
		{
			name: "a full review with ai_flavor takes the place of a re-check that blocks", next: schema.StateReviewed,
			event: ReviewEvent{Record: reviewOf(textA, all)}, change: func(c *Chapter) { c.Recheck = recheckOf(textA, soft) },
		},
		{
			name: "overriding the last issue", next: schema.StateReviewed, event: OverrideEvent{Issue: "i2", Reason: "R", By: "me", Person: true},
			change: func(c *Chapter) { c.Review = reviewOf(textA, all, soft) },
		},
		{
			name: "overriding one of two", next: schema.StateDrafted, event: OverrideEvent{Issue: "i2", Reason: "R", By: "me", Person: true},
			change: func(c *Chapter) { c.Review = reviewOf(textA, all, soft, OpenIssue{ID: "i3"}) }, gaps: []string{"review-blocking"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := chapter3(schema.StateDrafted, tt.change)
			b := bookWith(c)
			b.Rules.RequireAgent = tt.agent
			d := b.Decide(c.Key, tt.event)
			if !d.Allowed || d.Next != tt.next || d.Advanced() != (tt.next == schema.StateReviewed) {
				t.Fatalf("%+v", d)
			}
			if diff := cmp.Diff(tt.gaps, rulesOf(d.Faults)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOneAfterTheOther(t *testing.T) {
	t.Parallel()
	adopted := func(n int) *Chapter {
		return &Chapter{Key: schema.NumberKey(n), State: schema.StateCommitted, Text: textA, Commit: &CommitEvidence{Text: textA, Adopted: true}}
	}
	written := func(n int, st schema.State) *Chapter {
		return &Chapter{Key: schema.NumberKey(n), State: st, Text: textA, Commit: &CommitEvidence{Text: textA}}
	}
	side := &Chapter{Key: "番外·雨夜", State: schema.StateDrafted, Text: textA}
	done, draft := schema.StateCommitted, schema.StateDrafted
	tests := []struct {
		name  string
		have  []*Chapter
		start schema.ChapterKey
		rules []string
	}{
		{"first chapter, any number", nil, schema.NumberKey(7), nil},
		{"first numbered chapter beside a side story", []*Chapter{side}, schema.NumberKey(3), nil},
		{"next", []*Chapter{written(1, done)}, schema.NumberKey(2), nil},
		{"skipped one", []*Chapter{written(1, done)}, schema.NumberKey(3), []string{"number-next"}},
		{"below the first", []*Chapter{written(5, done)}, schema.NumberKey(4), []string{"number-next"}},
		{"predecessor open", []*Chapter{written(1, draft)}, schema.NumberKey(2), []string{"predecessor-open"}},
		{"there already", []*Chapter{written(1, done)}, schema.NumberKey(1), []string{"chapter-exists"}},
		{"in a gap of adoption", []*Chapter{adopted(1), adopted(5)}, schema.NumberKey(3), nil},
		{"in a gap behind an open one", []*Chapter{adopted(1), written(2, draft), adopted(5)}, schema.NumberKey(3), []string{"predecessor-open"}},
		{"in no gap of adoption", []*Chapter{written(1, done), adopted(5)}, schema.NumberKey(3), []string{"number-next"}},
		{"below all adopted", []*Chapter{adopted(3), adopted(5)}, schema.NumberKey(2), []string{"number-next"}},
		{"side stories are free", []*Chapter{written(1, draft)}, "番外·雨夜", nil},
		{"the end of the numbers", []*Chapter{written(9999, done)}, schema.NumberKey(9999), []string{"chapter-exists"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := NewBook("雨夜灯", DefaultRules(), tt.have)
			if diff := cmp.Diff(tt.rules, rulesOf(b.MayStart(tt.start))); diff != "" {
				t.Error(diff)
			}
		})
	}
	b := NewBook("雨夜灯", DefaultRules(), []*Chapter{adopted(1), written(2, done), written(3, draft)})
	for n, want := range map[int][]string{1: {"retract-highest"}, 2: {"retract-highest"}, 3: {"chapter-not-committed"}} {
		if diff := cmp.Diff(want, rulesOf(b.Decide(schema.NumberKey(n), RetractEvent{Reason: "R"}).Faults)); diff != "" {
			t.Errorf("retract %d: %s", n, diff)
		}
	}
	if got := rulesOf(b.MayAdopt()); !slices.Equal(got, []string{"adopt-written"}) {
		t.Errorf("adopt beside written chapters: %v", got)
	}
	b = NewBook("雨夜灯", DefaultRules(), []*Chapter{adopted(1)})
	b.HasDraft = true
	if got := rulesOf(b.MayAdopt()); !slices.Equal(got, []string{"adopt-draft"}) {
		t.Errorf("adopt beside a draft: %v", got)
	}
}

func TestBoardFlags(t *testing.T) {
	t.Parallel()
	soft := OpenIssue{ID: "i2", Category: schema.CategoryPacing, Overridable: true}
	tests := []struct {
		name   string
		state  schema.State
		change func(*Chapter)
		flags  string
	}{
		{"drafted", schema.StateDrafted, nil, ""},
		{"drafted and blocked", schema.StateDrafted, func(c *Chapter) { c.Review = reviewOf(textA, all, soft) }, "blocked"},
		{"reviewed", schema.StateReviewed, nil, "debt"},
		{"reviewed then edited", schema.StateReviewed, func(c *Chapter) { c.Text = textB }, "debt stale"},
		{"reviewed, edited, re-checked", schema.StateReviewed, func(c *Chapter) { c.Text, c.Recheck = textB, recheckOf(textB) }, "debt"},
		{"reviewed, then blocked", schema.StateReviewed, func(c *Chapter) { c.Review = reviewOf(textA, all, soft) }, "blocked debt"},
		{"committed", schema.StateCommitted, nil, ""},
		{"committed then edited", schema.StateCommitted, func(c *Chapter) { c.Text = textB }, "edited"},
		{"adopted", schema.StateCommitted, func(c *Chapter) { c.Commit.Adopted = true }, "adopted"},
		{"foreign", schema.StateNone, func(c *Chapter) { c.Text = textA }, "foreign"},
	}
	for _, tt := range tests {
		c := chapter3(tt.state, tt.change)
		var got []string
		for _, f := range []struct {
			name string
			set  bool
		}{
			{"adopted", c.Adopted()},
			{"blocked", c.Blocked()},
			{"debt", c.Debt()},
			{"edited", c.Edited()},
			{"foreign", c.Foreign()},
			{"stale", c.Stale()},
		} {
			if f.set {
				got = append(got, f.name)
			}
		}
		if s := strings.Join(got, " "); s != tt.flags {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.flags)
		}
	}
}
