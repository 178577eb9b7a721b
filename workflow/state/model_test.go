package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-novel/schema"
)

// world is a book as it would really be: texts that differ by a known number of characters, records that lie beside them.
// It applies what the rules allow, and keeps its own account of what each text has gone through.
type world struct {
	rules Rules
	chs   map[schema.ChapterKey]*life
	next  int
	draft bool
}

// life is one chapter of a world.
type life struct {
	fact   Chapter
	saved  schema.OID
	onDisk bool
	fromR  int // characters changed since the reviewed text
	fromB  int // characters changed since the base of the commit
	// The account, which the rules do not see.
	lastFull   schema.OID // text of the newest full review
	lastOpen   int        // its open blocking issues
	lastAI     bool       // it covered ai_flavor
	lastLength int
	recheckOK  schema.OID // text of the last re-check that passed
}

const textChars = 1000

func (w *world) text() schema.OID {
	w.next++
	return schema.HashBlob(fmt.Appendf(nil, "text %d", w.next))
}

func keysOfWorld() []schema.ChapterKey {
	return []schema.ChapterKey{
		schema.NumberKey(1), schema.NumberKey(2), schema.NumberKey(3), schema.NumberKey(4), schema.NumberKey(6), "番外·雨夜",
	}
}

func (w *world) book() *Book {
	var list []*Chapter
	for _, k := range slices.SortedFunc(maps.Keys(w.chs), schema.CompareKeys) {
		if l, ok := w.chs[k]; ok {
			c := l.fact
			c.Missing = c.State != schema.StateNone && !l.onDisk
			if !l.onDisk {
				c.Text = schema.OID{}
			}
			c.Unsaved = c.Text != l.saved
			c.Polish, c.Typo = Counted(l.fromR, 0), Counted(l.fromB, 0)
			list = append(list, &c)
		}
	}
	b := NewBook("雨夜灯", w.rules, list)
	b.HasDraft = w.draft
	return b
}

// evidenced is the account's own answer to: may this text be called reviewed?
func (w *world) evidenced(l *life) bool {
	if l.lastFull.IsZero() || l.lastOpen > 0 {
		return false
	}
	if l.lastFull == l.fact.Text && l.lastAI {
		return true
	}
	return l.recheckOK == l.fact.Text && l.fromR*100 <= 15*l.lastLength
}

func issues(n int, overridable bool) []OpenIssue {
	var out []OpenIssue
	for i := range n {
		out = append(out, OpenIssue{ID: fmt.Sprintf("i%d", i), Category: schema.CategoryPacing, Overridable: overridable})
	}
	return out
}

// event draws an event for a chapter, with anything in it.
func (w *world) event(t *rapid.T, c *Chapter) Event {
	open := func() []OpenIssue {
		return issues(rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "open"), rapid.Bool().Draw(t, "overridable"))
	}
	text := c.Text
	if rapid.IntRange(0, 9).Draw(t, "other text") == 0 {
		text = w.text()
	}
	dims := NewDims(schema.FullDimensions()...)
	if rapid.Bool().Draw(t, "ai") {
		dims |= NewDims(schema.CategoryAIFlavor)
	}
	if rapid.IntRange(0, 9).Draw(t, "partial") == 0 {
		dims = NewDims(schema.CategoryLogic)
	}
	depth := rapid.SampledFrom([]string{schema.DepthAgent, schema.DepthMechanical, schema.DepthPerson}).Draw(t, "depth")
	review := &ReviewEvidence{Text: text, Chars: textChars, Round: 1, Run: "r", Depth: depth, Dims: dims, Open: open()}
	switch rapid.SampledFrom(Kinds()).Draw(t, "kind") {
	case KindStart:
		return StartEvent{Blank: rapid.IntRange(0, 9).Draw(t, "blank") == 0}
	case KindSave:
		return SaveEvent{}
	case KindReview:
		return ReviewEvent{Record: review}
	case KindRecheck:
		rec := &RecheckEvidence{Text: text, Task: "t", Run: "r", Depth: depth, Dims: NewDims(schema.CategoryAIFlavor), Open: open()}
		task := &schema.Task{ID: "t", Kind: schema.TaskRecheck, Book: "雨夜灯", Chapter: c.Key.ID(), Blob: text}
		if rapid.IntRange(0, 9).Draw(t, "no task") == 0 {
			task = nil
		}
		return RecheckEvent{Record: rec, Task: task}
	case KindOverride:
		return OverrideEvent{Issue: "i0", Reason: "R", By: "me", Person: rapid.Bool().Draw(t, "person")}
	case KindCommit:
		return okCommit()
	case KindEnrich:
		return EnrichEvent{SummaryText: "s"}
	case KindRetcon:
		return RetconEvent{Text: c.Text, Reason: "R", Review: review}
	case KindTypo:
		return TypoEvent{Edits: c.Typo}
	case KindDiscard:
		return DiscardEvent{}
	case KindRetract:
		return RetractEvent{Reason: "R"}
	case KindRename:
		return RenameEvent{}
	case KindSetStatus:
		return SetStatusEvent{To: rapid.SampledFrom(schema.States()).Draw(t, "to")}
	case KindAdopt:
		return AdoptEvent{}
	case KindResolve:
		return ResolveEvent{}
	case KindSplit:
		return SplitEvent{}
	default:
		return RecoverEvent{}
	}
}

func okCommit() CommitEvent {
	return CommitEvent{Fulfillment: &schema.Fulfillment{}, Disambiguation: &schema.Disambiguation{}, SummaryText: "s"}
}

// apply makes an allowed event happen.
func (w *world) apply(c *Chapter, e Event, d Decision) {
	l, ok := w.chs[c.Key]
	if !ok {
		l = &life{fact: Chapter{Key: c.Key}}
	}
	if d.Ends {
		delete(w.chs, c.Key)
		return
	}
	if d.Next == schema.StateNone {
		return
	}
	w.chs[c.Key] = l
	l.fact.State = d.Next
	switch e := e.(type) {
	case StartEvent, AdoptEvent:
		if l.fact.Text.IsZero() {
			l.fact.Text = w.text()
		}
		l.onDisk, l.saved = true, l.fact.Text
		if e.Kind() == KindAdopt {
			l.commitText()
			l.fact.Commit.Adopted = true
		}
	case SaveEvent:
		l.saved = l.fact.Text
	case SplitEvent:
		l.fact.Text, l.fromR = w.text(), l.fromR+500
		l.saved = l.fact.Text
	case ReviewEvent:
		if SupersedesRecheck(e.Record, l.fact.Recheck) {
			l.fact.Recheck, l.recheckOK = nil, schema.OID{}
		}
		l.reviewed(e.Record)
	case RecheckEvent:
		l.fact.Recheck = e.Record
		l.recheckOK = schema.OID{}
		if len(e.Record.Open) == 0 {
			l.recheckOK = e.Record.Text
		}
	case OverrideEvent:
		l.fact.Review, l.fact.Recheck = l.fact.Review.without(e.Issue), l.fact.Recheck.without(e.Issue)
		if l.fact.Review != nil {
			l.lastOpen = len(l.fact.Review.Open)
		}
		if k := l.fact.Recheck; k != nil && len(k.Open) == 0 {
			l.recheckOK = k.Text
		}
	case CommitEvent:
		l.commitText()
		l.fact.HasSummary = true
	case EnrichEvent:
		l.fact.Commit.Extracted = true
	case RetconEvent:
		adopted := l.fact.Adopted()
		l.commitText()
		l.fact.Commit.Adopted = adopted
		l.fromB = 0
		if !adopted {
			l.reviewed(e.Review)
		}
	case TypoEvent:
		if d.NoOp {
			return
		}
		base := l.fact.Commit.Base
		after := *l.fact.Commit
		after.Text, after.Base = l.fact.Text, base
		l.fact.Commit, l.saved = &after, l.fact.Text
	case RecoverEvent:
		l.onDisk = true
	case SetStatusEvent:
		l.saved = l.fact.Text
	}
}

func (l *life) reviewed(r *ReviewEvidence) {
	l.fact.Review, l.fromR = r, 0
	l.lastFull, l.lastOpen, l.lastLength = r.Text, len(r.Open), r.Chars
	l.lastAI = r.Dims.Covers(schema.CategoryAIFlavor)
}

func (l *life) commitText() {
	l.fact.Commit = &CommitEvidence{Text: l.fact.Text, Base: l.fact.Text, Revision: 1}
	l.saved, l.fromB = l.fact.Text, 0
}

// edit is what an author does behind our back.
func (w *world) edit(t *rapid.T, key schema.ChapterKey) {
	l, ok := w.chs[key]
	if !ok {
		if rapid.Bool().Draw(t, "foreign") {
			w.chs[key] = &life{fact: Chapter{Key: key, Text: w.text()}, onDisk: true}
		}
		return
	}
	switch rapid.IntRange(0, 7).Draw(t, "what") {
	case 0:
		l.onDisk = false
	case 1:
		l.fact.Duplicate = !l.fact.Duplicate
	case 2:
		l.fact.Damaged = !l.fact.Damaged
	default:
		n := rapid.SampledFrom([]int{1, 5, 15, 60, 100, 400}).Draw(t, "chars")
		l.fact.Text, l.onDisk = w.text(), true
		l.fromR, l.fromB = l.fromR+n, l.fromB+n
	}
}

func TestNoSequenceCheatsAndAlwaysAWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &world{rules: DefaultRules(), chs: map[schema.ChapterKey]*life{}}
		w.rules.RequireAgent = rapid.Bool().Draw(t, "require agent")
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.SampledFrom(keysOfWorld()).Draw(t, "key")
			if rapid.IntRange(0, 3).Draw(t, "by hand") == 0 {
				w.edit(t, key)
				w.checkWays(t)
				continue
			}
			b := w.book()
			c := b.chapter(key)
			e := w.event(t, c)
			if rapid.Bool().Draw(t, "follow the advice") {
				advice := rapid.SampledFrom(Next(b, c)).Draw(t, "advice")
				if advice.Chapter != "" {
					c, e = b.chapter(advice.Chapter), w.follow(b, advice)
				}
			}
			w.step(t, b, c, e)
			w.checkWays(t)
		}
	})
}

func (w *world) step(t *rapid.T, b *Book, c *Chapter, e Event) {
	d := b.Decide(c.Key, e)
	if d.From != c.State {
		t.Fatalf("%s on %s: from %q, is %q", e.Kind(), c.Key, d.From, c.State)
	}
	if !d.Allowed {
		if len(d.Faults) == 0 || d.Next != d.From || len(d.Do) == 0 {
			t.Fatalf("%s on %s %s refused without reason or way out: %+v", e.Kind(), c.Key, c.State, d)
		}
		return
	}
	if !d.Ends && d.Next.Rank() < d.From.Rank() {
		t.Fatalf("%s moved %s back from %s to %s", e.Kind(), c.Key, d.From, d.Next)
	}
	if d.NoOp && d.Advanced() {
		t.Fatalf("%s is a no-op that advances", e.Kind())
	}
	if d.Advanced() && d.Next == schema.StateCommitted {
		w.checkAccepted(t, b, c, e)
	}
	w.apply(c, e, d)
	if d.Advanced() && d.Next == schema.StateReviewed && !w.evidenced(w.chs[c.Key]) {
		t.Fatalf("%s made %s reviewed without evidence", e.Kind(), c.Key)
	}
}

func (w *world) checkAccepted(t *rapid.T, b *Book, c *Chapter, e Event) {
	if e.Kind() == KindAdopt {
		for _, l := range w.chs {
			if l.fact.State != schema.StateNone && !l.fact.Adopted() {
				t.Fatalf("adopted %s into a book that is being written", c.Key)
			}
		}
		return
	}
	l := w.chs[c.Key]
	if l == nil || !w.evidenced(l) {
		t.Fatalf("%s committed %s without evidence", e.Kind(), c.Key)
	}
	if n, ok := c.Number(); ok {
		for _, o := range b.numbered {
			if m := number(o); m < n && o.State != schema.StateCommitted {
				if low, _ := b.Lower(n); low == o {
					t.Fatalf("%s was committed before %s", c.Key, o.Key)
				}
			}
		}
	}
}

// checkWays asks for the next commands everywhere and tries each.
func (w *world) checkWays(t *rapid.T) {
	b := w.book()
	try := func(where string, list []Action) {
		if len(list) == 0 {
			t.Fatalf("no way on from %s", where)
		}
		for _, a := range list {
			if !strings.HasPrefix(a.Command, "git novel ") || a.Why.IsZero() {
				t.Fatalf("%s: bad action %+v", where, a)
			}
			key := a.Chapter
			if key == "" {
				key = "后记"
			}
			if d := b.Decide(key, w.follow(b, a)); !d.Allowed {
				t.Fatalf("%s: advice %q is refused: %v", where, a.Command, d.Faults)
			}
		}
	}
	try("the book", NextForBook(b))
	for _, k := range slices.Concat(keysOfWorld(), slices.Collect(maps.Keys(w.chs))) {
		try(string(k), Next(b, b.chapter(k)))
	}
}

// follow turns advice into the event that its command would cause when everything goes well.
func (w *world) follow(b *Book, a Action) Event {
	c := b.chapter(a.Chapter)
	all := NewDims(schema.FullDimensions()...) | NewDims(schema.CategoryAIFlavor)
	pass := &ReviewEvidence{Text: c.Text, Chars: textChars, Round: 1, Run: "r", Depth: schema.DepthPerson, Dims: all}
	switch a.Kind {
	case KindStart:
		return StartEvent{}
	case KindReview:
		return ReviewEvent{Record: pass}
	case KindRecheck:
		return RecheckEvent{
			Record: &RecheckEvidence{Text: c.Text, Run: "x", Depth: schema.DepthPerson, Dims: NewDims(schema.CategoryAIFlavor)},
			Task:   &schema.Task{ID: "t", Kind: schema.TaskRecheck, Book: string(b.Name), Chapter: c.Key.ID(), Blob: c.Text},
		}
	case KindOverride:
		id := ""
		for f := range strings.FieldsSeq(a.Command) {
			if strings.HasPrefix(f, "i") && slices.Contains([]string{"i0", "i1"}, f) {
				id = f
			}
		}
		return OverrideEvent{Issue: id, Reason: "R", By: "me", Person: true}
	case KindCommit:
		return okCommit()
	case KindEnrich:
		return EnrichEvent{SummaryText: "s"}
	case KindRetcon:
		text := c.Text
		if !c.Edited() {
			text = w.text() // the file is edited first
		}
		pass.Text = text
		return RetconEvent{Text: text, Reason: "R", Review: pass}
	case KindTypo:
		return TypoEvent{Edits: c.Typo}
	case KindDiscard:
		return DiscardEvent{}
	case KindRetract:
		return RetractEvent{Reason: "R"}
	case KindSetStatus:
		return SetStatusEvent{To: schema.StateReviewed}
	case KindResolve:
		return ResolveEvent{}
	case KindRecover:
		return RecoverEvent{}
	default:
		return SaveEvent{}
	}
}
