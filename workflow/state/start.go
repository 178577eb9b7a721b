package state

import "git-novel/schema"

// StartEvent is a new chapter: `chapter new`, or `chapter save` of a foreign file.
type StartEvent struct {
	Blank bool // the text holds nothing but white space
}

// Kind is KindStart.
func (StartEvent) Kind() Kind { return KindStart }

func (e StartEvent) decide(b *Book, c *Chapter) Decision {
	out := identity(c)
	if c.State != schema.StateNone {
		out.add("chapter-exists", schema.Textf("chapter %s is already there", string(c.Key)))
	} else {
		out = append(out, placeOf(b, c)...)
	}
	if e.Blank {
		out.add("text-blank", schema.Textf("the text of chapter %s is blank", string(c.Key)))
	}
	return judge(b, c, schema.StateDrafted, out)
}

// MayStart names every reason against starting the chapter of a key now; none means that it may start.
func (b *Book) MayStart(key schema.ChapterKey) []schema.Fault {
	return b.Decide(key, StartEvent{}).Faults
}

// placeOf judges one after the other (DESIGN 5). Unnumbered chapters neither block nor are blocked.
func placeOf(b *Book, c *Chapter) faults {
	var out faults
	n, ok := c.Number()
	if !ok {
		return nil
	}
	if n < 0 || n > MaxChapterNumber {
		out.add("number-range", schema.Textf("chapter numbers end at %d", MaxChapterNumber))
		return out
	}
	highest, found := b.Highest()
	if !found {
		return nil
	}
	if n != highest+1 && !b.InAdoptedGap(n) {
		out.add("number-next", schema.Textf("the next chapter of the book is %d, not %d", highest+1, n))
	}
	return append(out, lowerCommitted(b, n)...)
}

// lowerCommitted names the nearest lower chapter when it is not committed.
func lowerCommitted(b *Book, n int) faults {
	var out faults
	if low, ok := b.Lower(n); ok && low.State != schema.StateCommitted {
		out.add("predecessor-open",
			schema.Textf("chapter %s before it is %s, not committed", string(low.Key), low.State.Trailer()))
	}
	return out
}

// SaveEvent is `chapter save N`: the text on disk enters git.
type SaveEvent struct {
	Blank bool
}

// Kind is KindSave.
func (SaveEvent) Kind() Kind { return KindSave }

func (e SaveEvent) decide(b *Book, c *Chapter) Decision {
	if c.State == schema.StateNone {
		d := StartEvent(e).decide(b, c)
		if c.Text.IsZero() {
			out := faults(d.Faults)
			out.add("chapter-missing", schema.Textf("there is no file of chapter %s", string(c.Key)))
			return judge(b, c, schema.StateDrafted, out)
		}
		return d
	}
	out := standing(c)
	if c.State == schema.StateCommitted && c.Edited() {
		out.open(c)
	}
	if e.Blank {
		out.add("text-blank", schema.Textf("the text of chapter %s is blank", string(c.Key)))
	}
	d := judge(b, c, c.State, out)
	if d.Allowed {
		d.NoOp = !c.Unsaved
	}
	return d
}

// AdoptEvent is a chapter that enters as committed, as it is: `init` on an existing library, `import` of a new book.
type AdoptEvent struct {
	Creating bool // the same commit creates the book
	Blank    bool
}

// Kind is KindAdopt.
func (AdoptEvent) Kind() Kind { return KindAdopt }

func (e AdoptEvent) decide(b *Book, c *Chapter) Decision {
	out := identity(c)
	if c.State != schema.StateNone {
		out.add("chapter-exists", schema.Textf("chapter %s is already there", string(c.Key)))
	}
	if n, ok := c.Number(); ok && (n < 0 || n > MaxChapterNumber) {
		out.add("number-range", schema.Textf("chapter numbers end at %d", MaxChapterNumber))
	}
	if !e.Creating {
		out = append(out, b.adoptionClosed()...)
	}
	if e.Blank {
		out.add("text-blank", schema.Textf("the text of chapter %s is blank", string(c.Key)))
	}
	return judge(b, c, schema.StateCommitted, out)
}

// MayAdopt names every reason against adopting chapters into the book as it is now.
func (b *Book) MayAdopt() []schema.Fault { return b.adoptionClosed() }

func (b *Book) adoptionClosed() faults {
	var out faults
	if !b.AllAdopted() {
		out.add("adopt-written", schema.Textf("book %s has chapters that were written here, so nothing can be adopted into it", string(b.Name)))
	}
	if b.HasDraft {
		out.add("adopt-draft", schema.Textf("book %s has a draft, so nothing can be adopted into it", string(b.Name)))
	}
	return out
}
