package state

import "git-novel/schema"

// faults collects reasons.
type faults []schema.Fault

func (f *faults) add(rule string, msg schema.Text) {
	*f = append(*f, schema.Fault{Rule: rule, Msg: msg})
}

// Decision is the answer of the rules to one event in one situation.
type Decision struct {
	Allowed bool
	NoOp    bool           // allowed, and nothing changes
	From    schema.State   // before
	Next    schema.State   // after; equal to From when the state does not move or the event is refused
	Ends    bool           // the entry ends: the chapter leaves the book
	Faults  []schema.Fault // refused: every reason. Allowed: why the state did not advance, when it might have
	Do      []Action       // refused: what is legal instead
}

// Advanced reports that the event moves the state.
func (d Decision) Advanced() bool { return d.Allowed && d.Next != d.From }

// Error is nil when the event is allowed, else CodeRule with every reason and, as the hint, the first legal command.
func (d Decision) Error(what schema.Text) error {
	if d.Allowed {
		return nil
	}
	err := &schema.Error{Code: schema.CodeRule, Msg: what, Details: d.Faults}
	if len(d.Do) > 0 {
		err = err.WithHint("next: %s", d.Do[0].Command)
	}
	return err
}

// allow is a yes that keeps the state.
func allow(c *Chapter) Decision { return Decision{Allowed: true, From: c.State, Next: c.State} }

// judge is a yes to next when there are no reasons against it, else a no with all of them and the legal commands.
func judge(b *Book, c *Chapter, next schema.State, against faults) Decision {
	if len(against) == 0 {
		return Decision{Allowed: true, From: c.State, Next: next, NoOp: next == c.State}
	}
	return Decision{From: c.State, Next: c.State, Faults: against, Do: Next(b, c)}
}
