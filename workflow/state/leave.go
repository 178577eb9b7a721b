package state

import (
	"strings"

	"git-novel/schema"
)

// DiscardEvent moves a drafted or reviewed chapter to a trash branch.
type DiscardEvent struct{}

// Kind is KindDiscard.
func (DiscardEvent) Kind() Kind { return KindDiscard }

func (DiscardEvent) decide(b *Book, c *Chapter) Decision {
	out := identity(c)
	if out.entered(c) && c.State == schema.StateCommitted {
		out.add("discard-committed", schema.Textf("chapter %s is committed: it leaves only by retract", string(c.Key)))
	}
	return leaving(b, c, out)
}

// RetractEvent moves a committed chapter to a trash branch: the highest number, or any unnumbered one.
type RetractEvent struct {
	Reason string
}

// Kind is KindRetract.
func (RetractEvent) Kind() Kind { return KindRetract }

func (e RetractEvent) decide(b *Book, c *Chapter) Decision {
	out := identity(c)
	if strings.TrimSpace(e.Reason) == "" {
		out.add("retract-reason", schema.Textf("a retraction needs a reason"))
	}
	if out.committed(c) {
		n, ok := c.Number()
		if highest, _ := b.Highest(); ok && n != highest {
			out.add("retract-highest", schema.Textf("only the highest chapter can be retracted: that is %d, not %d", highest, n))
		}
	}
	return leaving(b, c, out)
}

func leaving(b *Book, c *Chapter, out faults) Decision {
	d := judge(b, c, c.State, out)
	d.NoOp = false
	if d.Allowed {
		d.Next, d.Ends = schema.StateNone, true
	}
	return d
}

// RenameEvent gives a chapter another title. Its number and its evidence stay.
type RenameEvent struct{}

// Kind is KindRename.
func (RenameEvent) Kind() Kind { return KindRename }

func (RenameEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if out.entered(c) && c.Edited() {
		out.add("chapter-edited", schema.Textf("the text of chapter %s was changed by hand after it was committed", string(c.Key)))
	}
	d := judge(b, c, c.State, out)
	d.NoOp = false
	return d
}

// SetStatusEvent is `state set-chapter-status`: it makes a move that the evidence in the library allows already.
type SetStatusEvent struct {
	To    schema.State
	Blank bool // the text on disk is blank
}

// Kind is KindSetStatus.
func (SetStatusEvent) Kind() Kind { return KindSetStatus }

func (e SetStatusEvent) decide(b *Book, c *Chapter) Decision {
	if e.To == c.State && c.State != schema.StateNone {
		return judge(b, c, c.State, nil)
	}
	var out faults
	switch {
	case e.To == schema.StateNone || e.To.Rank() < 0:
		out.add("status-unknown", schema.Textf("%q is not a chapter state", string(e.To)))
	case e.To.Rank() < c.State.Rank():
		out.add("state-back", schema.Textf("the state of chapter %s cannot go back from %s to %s",
			string(c.Key), c.State.Trailer(), e.To.Trailer()))
	default:
		out = e.climb(b, c)
	}
	return judge(b, c, e.To, out)
}

// climb judges every step from the chapter's state up to the wanted one.
func (e SetStatusEvent) climb(b *Book, c *Chapter) faults {
	var out faults
	if c.State == schema.StateNone {
		out = append(out, StartEvent{Blank: e.Blank}.decide(b, c).Faults...)
		if c.Text.IsZero() {
			out.add("chapter-missing", schema.Textf("there is no file of chapter %s", string(c.Key)))
		}
	} else {
		out = standing(c)
	}
	if e.To.Rank() >= schema.StateReviewed.Rank() {
		out = append(out, c.Gaps(b.Rules)...)
	}
	if e.To == schema.StateCommitted {
		if c.Commit == nil || c.Commit.Text != c.Text {
			out.add("commit-missing", schema.Textf("there is no accepted chapter commit of this text of chapter %s", string(c.Key)))
		}
		if !c.HasSummary {
			out.add("summary-missing", schema.Textf("chapter %s has no summary to store", string(c.Key)))
		}
		if n, ok := c.Number(); ok {
			out = append(out, lowerCommitted(b, n)...)
		}
	}
	return out
}

// SplitEvent cuts a chapter in two (`chapter split N`). The second part becomes a foreign file, which is saved as the next
// chapter after this one is committed.
type SplitEvent struct{}

// Kind is KindSplit.
func (SplitEvent) Kind() Kind { return KindSplit }

func (SplitEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if out.open(c) {
		if c.State != schema.StateDrafted {
			out.add("split-reviewed", schema.Textf("chapter %s is reviewed: only a drafted chapter can be split", string(c.Key)))
		}
		highest, _ := b.Highest()
		if n, ok := c.Number(); !ok || n != highest {
			out.add("split-highest", schema.Textf("only the highest chapter can be split, and chapter %s is not", string(c.Key)))
		}
	}
	d := judge(b, c, c.State, out)
	d.NoOp = false
	return d
}

// ResolveEvent ends two files of one chapter, or a merge in which both sides committed a different text (`chapter
// resolve`): one text stays, the other goes into the mirror.
type ResolveEvent struct {
	Merge bool // a merge under way left the chapter in conflict
}

// Kind is KindResolve.
func (ResolveEvent) Kind() Kind { return KindResolve }

func (e ResolveEvent) decide(b *Book, c *Chapter) Decision {
	var out faults
	if !c.Duplicate && !e.Merge {
		out.add("resolve-nothing", schema.Textf("chapter %s has one text: there is nothing to resolve", string(c.Key)))
	}
	d := judge(b, c, c.State, out)
	d.NoOp = false
	return d
}

// RecoverEvent brings back a missing text or a damaged record from git (`recover N`). It never moves a state.
type RecoverEvent struct{}

// Kind is KindRecover.
func (RecoverEvent) Kind() Kind { return KindRecover }

func (RecoverEvent) decide(_ *Book, c *Chapter) Decision {
	d := allow(c)
	d.NoOp = !c.Missing && !c.Damaged
	return d
}
