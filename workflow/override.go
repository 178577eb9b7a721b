package workflow

import (
	"context"
	"fmt"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// ReviewOverride lets a person go on in spite of one blocking issue. The issue stays in the record with the reason.
func (s *Session) ReviewOverride(ctx context.Context, chapter, issue, reason string) (*ReviewResult, error) {
	by := ""
	if s.o.Actor.Person() {
		var err error
		if by, err = s.who(); err != nil {
			return nil, err
		}
	}
	return s.record(ctx, chapter, func(w *work, c *state.Chapter, _ []byte) (*evidenceRecord, state.Decision, error) {
		d := w.rules.Decide(c.Key, state.OverrideEvent{Issue: issue, Reason: reason, By: orElse(by, "?"), Person: s.o.Actor.Person()})
		if !d.Allowed {
			return nil, d, nil
		}
		out := &evidenceRecord{
			verb: schema.VerbOverride, subject: fmt.Sprintf("放行 %s", issue), round: w.round(c) - 1,
			extra: []schema.Trailer{{Key: schema.TrailerOverride, Value: issue}, {Key: schema.TrailerReason, Value: reason}},
		}
		rec, err := w.review(c.Key)
		if err != nil {
			return nil, d, err
		}
		o := &schema.Override{Reason: reason, By: by}
		if rec != nil && override(rec.Issues, issue, o) {
			rec.Blocking = rec.OpenBlocking()
			rec.HasBlocking = rec.Blocking > 0
			out.path, out.value, out.issues, out.blocking = schema.ReviewPath(w.name, c.Key.ID()), rec, rec.Issues, rec.Blocking
			out.apply = func(c *state.Chapter) { c.Review = state.ReviewOf(rec) }
			return out, d, nil
		}
		re, err := w.recheck(c.Key)
		if err != nil {
			return nil, d, err
		}
		if re != nil && override(re.Issues, issue, o) {
			re.Blocking = re.OpenBlocking()
			re.HasBlocking = re.Blocking > 0
			out.path, out.value, out.issues, out.blocking = schema.RecheckPath(w.name, c.Key.ID()), re, re.Issues, re.Blocking
			out.apply = func(c *state.Chapter) { c.Recheck = state.RecheckOf(re) }
		}
		return out, d, nil
	})
}

func override(issues []schema.Issue, id string, o *schema.Override) bool {
	for i := range issues {
		if issues[i].ID == id && issues[i].Blocks() {
			issues[i].Override = o
			return true
		}
	}
	return false
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
