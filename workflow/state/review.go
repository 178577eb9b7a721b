package state

import (
	"strings"

	"git-novel/schema"
)

// ReviewEvent is a full review that is about to be recorded (`review record`, `review pass`).
type ReviewEvent struct {
	Record *ReviewEvidence
}

// Kind is KindReview.
func (ReviewEvent) Kind() Kind { return KindReview }

func (e ReviewEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if out.open(c) {
		if e.Record.Text != c.Text {
			out.add("review-text", schema.Textf("the review is of text %s, chapter %s is now %s",
				e.Record.Text.Short(), string(c.Key), c.Text.Short()))
		}
		for _, d := range b.Rules.Dimensions.Minus(e.Record.Dims).List() {
			out.add("review-not-full", schema.Textf("the review has no conclusion for dimension %s", string(d)))
		}
	}
	if len(out) > 0 {
		return judge(b, c, c.State, out)
	}
	after := *c
	after.Review, after.Polish = e.Record, Counted(0, 0)
	if SupersedesRecheck(after.Review, after.Recheck) {
		after.Recheck = nil
	}
	return recorded(b, c, &after)
}

// recorded is the answer to a record that is accepted: the state advances when the set is complete, else the faults say
// what is still missing (`advanced: false`).
func recorded(b *Book, before, after *Chapter) Decision {
	d := Decision{Allowed: true, From: before.State, Next: before.State, Faults: after.Gaps(b.Rules)}
	if len(d.Faults) == 0 && before.State == schema.StateDrafted {
		d.Next = schema.StateReviewed
	}
	if d.Next == before.State {
		d.Do = Next(b, after)
	}
	return d
}

// RecheckEvent is a re-check that is about to be recorded (`review recheck`).
type RecheckEvent struct {
	Record  *RecheckEvidence
	Task    *schema.Task // the open task of that id, nil when there is none
	SavedBy string       // the run that saved the current text, empty when a person did
}

// Kind is KindRecheck.
func (RecheckEvent) Kind() Kind { return KindRecheck }

func (e RecheckEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if out.open(c) {
		out = append(out, e.against(b, c)...)
	}
	if len(out) > 0 {
		return judge(b, c, c.State, out)
	}
	after := *c
	after.Recheck = e.Record
	return recorded(b, c, &after)
}

// against names what is wrong with the answer: a re-check counts only as the answer to its task, for the text that lies
// there, and never from the run that saved that text (DESIGN 5, Anti-AI).
func (e RecheckEvent) against(b *Book, c *Chapter) faults {
	var out faults
	if e.Record.Text != c.Text {
		out.add("review-text", schema.Textf("the review is of text %s, chapter %s is now %s",
			e.Record.Text.Short(), string(c.Key), c.Text.Short()))
	}
	if !e.Record.Dims.Covers(schema.CategoryAIFlavor) {
		out.add("recheck-scope", schema.Textf("a re-check must come to a conclusion on ai_flavor"))
	}
	switch t := e.Task; {
	case t == nil:
		out.add("recheck-task", schema.Textf("a re-check counts only as the answer to an open re-check task"))
	case t.Kind != schema.TaskRecheck:
		out.add("recheck-task", schema.Textf("task %s asks for something else than a re-check", t.ID))
	case t.Book != string(b.Name) || t.Chapter != c.Key.ID():
		out.add("recheck-task", schema.Textf("task %s is about another chapter", t.ID))
	case t.Blob != e.Record.Text:
		out.add("recheck-task", schema.Textf("task %s was given for text %s", t.ID, t.Blob.Short()))
	}
	run := strings.TrimSpace(e.Record.Run)
	if run != "" && (run == strings.TrimSpace(e.SavedBy) || e.Task != nil && run == strings.TrimSpace(e.Task.SavedBy)) {
		out.add("recheck-own-text", schema.Textf("run %s saved this text, so it cannot re-check it", run))
	}
	return out
}
