package workflow

import (
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
	"git-novel/workflow/state"
)

// payoffsDue names the payoffs that the outline calls due and that the artifacts say nothing of: no loop is closed and no
// promise paid that speaks of them, no covered node does, and the data agent did not see them in the text. It is a warning:
// what a chapter owes by its outline beyond its nodes is the author's to judge.
func (w *work) payoffsDue(c *state.Chapter, o *schema.Outline, p *parsed) (out []schema.Text) {
	if o == nil || len(o.Content.MustPayoff) == 0 {
		return nil
	}
	var said []string
	for _, n := range p.fulfillment.Covered {
		said = append(said, n.Text)
	}
	if seen, ok := p.extraction.ChapterMeta["payoffs_seen"].([]any); ok {
		for _, x := range seen {
			if s, ok := x.(string); ok {
				said = append(said, s)
			}
		}
	}
	loops := w.memoryBefore(c).Loops(memory.StatusActive)
	for _, e := range p.extraction.Events {
		if t := schema.EventType(e.Type); t != schema.EventOpenLoopClosed && t != schema.EventPromisePaidOff {
			continue
		}
		told := []string{e.Subject}
		for _, v := range e.Payload {
			if s, ok := v.(string); ok {
				told = append(told, s)
			}
		}
		for _, l := range loops { // an event may name a loop without saying what it was
			if slices.Contains(told, l.ID) || l.Subject == e.Subject {
				told = append(told, l.Content, l.Payoff)
			}
		}
		said = append(said, told...)
	}
	for _, due := range o.Content.MustPayoff {
		want := prose.Fold(due)
		if want != "" && !slices.ContainsFunc(said, func(s string) bool {
			have := prose.Fold(s)
			return have == want || strings.Contains(have, want) || prose.Han(have) >= 4 && strings.Contains(want, have)
		}) {
			out = append(out, schema.Textf("the outline calls the payoff %q due, and nothing in the artifacts pays it", due))
		}
	}
	return out
}
