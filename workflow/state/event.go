package state

import (
	"strconv"

	"git-novel/schema"
)

// Kind names an event.
type Kind string

// The events. Each pair of a situation and an event has a defined answer.
const (
	KindStart     Kind = "start"
	KindSave      Kind = "save"
	KindReview    Kind = "review"
	KindRecheck   Kind = "recheck"
	KindOverride  Kind = "override"
	KindCommit    Kind = "commit"
	KindEnrich    Kind = "enrich"
	KindRetcon    Kind = "retcon"
	KindTypo      Kind = "typo"
	KindDiscard   Kind = "discard"
	KindRetract   Kind = "retract"
	KindRename    Kind = "rename"
	KindSetStatus Kind = "set-status"
	KindAdopt     Kind = "adopt"
	KindSplit     Kind = "split"
	KindResolve   Kind = "resolve"
	KindRecover   Kind = "recover"
)

// Kinds lists the events.
func Kinds() []Kind {
	return []Kind{
		KindStart, KindSave, KindReview, KindRecheck, KindOverride, KindCommit, KindEnrich, KindRetcon, KindTypo, KindDiscard,
		KindRetract, KindRename, KindSetStatus, KindAdopt, KindSplit, KindResolve,
		KindRecover,
	}
}

// Event is something that a person or an agent wants to happen to a chapter.
type Event interface {
	Kind() Kind
	decide(b *Book, c *Chapter) Decision
}

// Decide answers an event for the chapter of a key, which need not exist yet.
func (b *Book) Decide(key schema.ChapterKey, e Event) Decision { return e.decide(b, b.chapter(key)) }

// standing names what keeps any work on the chapter's text from going on: two files, no file, an unreadable record.
func standing(c *Chapter) faults {
	out := identity(c)
	if c.Missing {
		out.add("chapter-missing", schema.Textf("the file of chapter %s is gone", string(c.Key)))
	}
	return out
}

// identity names what keeps us from knowing which chapter this is.
func identity(c *Chapter) faults {
	var out faults
	if c.Duplicate {
		out.add("chapter-duplicate", schema.Textf("two files claim to be chapter %s", string(c.Key)))
	}
	if c.Damaged {
		out.add("record-damaged", schema.Textf("a record of chapter %s cannot be read", string(c.Key)))
	}
	return out
}

// entered adds the fault of a chapter that has no state yet.
func (f *faults) entered(c *Chapter) bool {
	if c.State == schema.StateNone {
		f.add("chapter-none", schema.Textf("chapter %s has not entered the book yet", string(c.Key)))
		return false
	}
	return true
}

// open adds the fault of a chapter that is not on its way.
func (f *faults) open(c *Chapter) bool {
	if !f.entered(c) {
		return false
	}
	if c.State == schema.StateCommitted {
		f.add("chapter-committed",
			schema.Textf("chapter %s is committed: it changes only by retcon or as a typo", string(c.Key)))
		return false
	}
	return true
}

// committed adds the fault of a chapter that is not committed.
func (f *faults) committed(c *Chapter) bool {
	if !f.entered(c) {
		return false
	}
	if c.State != schema.StateCommitted {
		f.add("chapter-not-committed", schema.Textf("chapter %s is not committed", string(c.Key)))
		return false
	}
	return true
}

func itoa(n int) string { return strconv.Itoa(n) }
