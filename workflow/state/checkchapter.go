package state

import (
	"slices"

	"git-novel/schema"
)

// judge settles what the commit did to one chapter and puts it into the book.
func (b *bookCheck) judge(cc *chapterCheck) {
	was, is := cc.was, cc.is
	from, claim := was.State, is.claimed
	is.Missing = len(is.files) == 0 && (from != schema.StateNone || claim != schema.StateNone)
	switch {
	case claim == schema.StateNone && from == schema.StateNone:
		b.outside(cc)
	case claim == schema.StateNone:
		is.State = b.leaving(cc)
	case claim.Rank() < 0:
		is.State = from // the state file was told off already
	case claim.Rank() < from.Rank() && b.repairs(cc):
		is.State = claim
	case claim.Rank() < from.Rank():
		b.faults.addAt(schema.BookStatePath(b.name), "state-back", schema.Textf("the state of chapter %s cannot go back from %s to %s",
			string(is.Key), from.Trailer(), claim.Trailer()))
	default:
		is.State = b.inside(cc, claim)
	}
	is.HasSummary = is.State == schema.StateCommitted
	b.is.put(is)
	b.record(cc)
}

// repairs reports a lower state that only says what the records said before this commit: `recover` writes it when the
// record that carried the state is lost. Taking the record away in the same commit would be a move back.
func (b *bookCheck) repairs(cc *chapterCheck) bool {
	was := cc.was
	if cc.changed[recReview] || cc.changed[recRecheck] || cc.changed[recCommit] || was.Text != cc.is.Text || was.Path != cc.is.Path {
		return false
	}
	lost := was.State == schema.StateCommitted && was.Commit == nil || was.State == schema.StateReviewed && was.Review == nil
	return lost && b.proven(was, schema.StateNone) == cc.is.claimed
}

// proven gives the state that the records of a chapter carry by themselves. claim is believed where records cannot speak: a
// drafted chapter has none, and a reviewed one may be stale or blocked by now.
func (b *bookCheck) proven(c *folded, claim schema.State) schema.State {
	switch {
	case c.Commit != nil:
		return schema.StateCommitted
	case c.Review != nil && (claim == schema.StateReviewed || claim != schema.StateDrafted && len(b.reviewedGaps(c)) == 0):
		return schema.StateReviewed
	case claim != schema.StateNone, c.evidenceLeft():
		return schema.StateDrafted
	}
	return schema.StateNone
}

// record notes the move.
func (b *bookCheck) record(cc *chapterCheck) {
	was, is := cc.was, cc.is
	m := Move{Book: b.name, Chapter: is.Key, From: was.State, To: is.State, Text: is.Text}
	if is.State == schema.StateNone {
		m.Text = schema.OID{}
	}
	before := 0
	if was.Commit != nil {
		before = was.Commit.Revision
	}
	if is.State == schema.StateCommitted && is.Commit != nil {
		m.Revision, m.Adopted = is.Commit.Revision, is.Commit.Adopted
		// A record that comes back to a chapter which is committed was accepted before.
		m.Accepted = !m.Adopted && !cc.carried && (was.State != schema.StateCommitted ||
			was.Commit != nil && m.Revision > before && is.Commit.Base != was.Commit.Base)
	}
	if m.From == m.To && (m.To == schema.StateNone || was.Text == is.Text && before == m.Revision) {
		return
	}
	b.moves = append(b.moves, m)
}

// outside judges a chapter without a state: a foreign file is the author's, evidence without a state is none.
func (b *bookCheck) outside(cc *chapterCheck) {
	for _, f := range cc.text {
		if f.Rule == "draft-in-novels" {
			b.faults = append(b.faults, f)
		}
	}
	b.duplicate(cc)
	if cc.is.evidenceLeft() && (cc.changed[recReview] || cc.changed[recRecheck] || cc.changed[recCommit]) {
		b.faults.addAt(schema.RecordDir(b.name, cc.is.id), "record-without-state",
			schema.Textf("there are records of chapter %s, which has no state", string(cc.is.Key)))
	}
}

// leaving judges a chapter whose entry ended: everything of it goes at once, and a committed one only from the end.
func (b *bookCheck) leaving(cc *chapterCheck) schema.State {
	was, is := cc.was, cc.is
	if len(is.files) > 0 || is.evidenceLeft() {
		rule := "state-lost"
		if !b.is.exists() {
			rule = "book-delete-incomplete"
		}
		b.faults.addAt(schema.BookStatePath(b.name), rule,
			schema.Textf("the state of chapter %s (%s) was taken away, but its text or records are still there",
				string(is.Key), was.State.Trailer()))
		return was.State
	}
	is.Missing, is.Duplicate = false, false
	if n, ok := is.Number(); ok && b.is.exists() && was.State == schema.StateCommitted {
		if highest, found := b.is.highest(); found && highest > n {
			b.faults.addAt(b.gonePath(was), "retract-highest",
				schema.Textf("only the highest chapter can be retracted: that is %d, not %d", highest, n))
		}
	}
	return schema.StateNone
}

func (b *bookCheck) gonePath(was *folded) string {
	if was.Path != "" {
		return was.Path
	}
	return schema.BookStatePath(b.name)
}

// duplicate refuses a second file of one chapter, when this commit brought it.
func (b *bookCheck) duplicate(cc *chapterCheck) {
	is := cc.is
	if len(is.files) > 1 && (len(cc.was.files) < len(is.files) || cc.was.State != is.claimed) {
		b.faults.addAt(is.files[1].path, "chapter-duplicate", schema.Textf("two files claim to be chapter %s", string(is.Key)))
		return
	}
	if _, numbered := is.Number(); numbered || len(is.files) == 0 || len(cc.was.files) > 0 {
		return
	}
	for _, o := range b.is.others {
		if o.id != is.id && len(o.files) > 0 && schema.SameKey(o.Key, is.Key) {
			b.faults.addAt(is.files[0].path, "chapter-duplicate", schema.Textf("two files claim to be chapter %s", string(is.Key)))
		}
	}
}

// inside judges a chapter that has a state after the commit, and gives the state that its records can prove.
func (b *bookCheck) inside(cc *chapterCheck, claim schema.State) schema.State {
	was, is := cc.was, cc.is
	b.duplicate(cc)
	if was.State == schema.StateNone && was.Text == is.Text && !is.Missing {
		// A foreign file enters as it lies there; nobody judged its text when it came.
		if data, ok := b.read(is.Text); ok {
			is.Chars, cc.text = textFaults(is.Path, data)
		}
	}
	if cc.carried = b.carries(cc, claim); cc.carried {
		if !is.Missing {
			b.bindings(cc)
		}
		return claim
	}
	b.faults = append(b.faults, cc.text...)
	if is.Missing {
		if len(was.files) > 0 || was.State != claim {
			b.faults.addAt(b.gonePath(was), "chapter-missing", schema.Textf("the file of chapter %s is gone", string(is.Key)))
		}
		return orFirst(was.State)
	}
	b.bindings(cc)
	if claim != schema.StateCommitted && !is.records[recCommit].IsZero() && (cc.changed[recCommit] || was.claimed != claim) {
		b.faults.addAt(b.recordPath(is.id, recCommit), "state-behind",
			schema.Textf("chapter %s has a chapter commit, but its state is %s", string(is.Key), claim.Trailer()))
	}
	if was.State == schema.StateNone && !b.adopting(cc, claim) {
		b.faults = append(b.faults, b.start(is).at(is.Path)...)
	}
	switch {
	case claim == schema.StateDrafted:
		return claim
	case claim == schema.StateReviewed:
		return b.reviewed(cc)
	case was.State == schema.StateCommitted:
		b.changed(cc)
		return claim
	}
	return b.accepted(cc)
}

// orFirst gives the state before, or the first one for a chapter that had none.
func orFirst(before schema.State) schema.State {
	if before == schema.StateNone {
		return schema.StateDrafted
	}
	return before
}

func (b *bookCheck) adopting(cc *chapterCheck, claim schema.State) bool {
	return claim == schema.StateCommitted && cc.is.Commit != nil && cc.is.Commit.Adopted
}

// start judges one after the other, in the book as it is after the commit: the chapters below are settled already, those
// above were there before.
func (b *bookCheck) start(is *folded) faults {
	var out faults
	n, ok := is.Number()
	if !ok || b.audit {
		return nil
	}
	list := b.is.numbered
	low, found := lower(list, n)
	i, _ := search(list, n)
	top := i == len(list)
	if !(top && (!found || number(low)+1 == n)) && !b.inGap(n) {
		next := n
		if highest, ok := b.is.highest(); ok {
			next = highest + 1
		}
		out.add("number-next", schema.Textf("the next chapter of the book is %d, not %d", next, n))
	}
	return append(out, b.lowerCommitted(is)...)
}

// inGap reports a number inside an adopted gap. Adopted chapters that nobody looked at yet are looked up for it.
func (b *bookCheck) inGap(n int) bool {
	b.lookUp()
	return inAdoptedGap(b.is.numbered, n)
}

// lookUp reads the chapter commits of a book that was loaded and not folded; it is needed only for holes in the numbers
// and for adoption into a book that is there.
func (b *bookCheck) lookUp() {
	for _, list := range [][]*folded{b.is.numbered, b.is.others} {
		for i, c := range list {
			if c.pending && c.State == schema.StateCommitted {
				list[i] = b.load(c)
			}
		}
	}
}

// lowerCommitted judges that the nearest lower chapter is committed. One that this commit started inside an adopted gap may
// have come after the chapter, so the next lower one is asked then.
func (b *bookCheck) lowerCommitted(is *folded) faults {
	var out faults
	n, ok := is.Number()
	if !ok || b.audit {
		return nil
	}
	i, _ := search(b.is.numbered, n)
	for _, low := range slices.Backward(b.is.numbered[:i]) {
		if low.State == schema.StateCommitted {
			return nil
		}
		if cc, touched := b.chapters[low.id]; touched && cc.was.State == schema.StateNone && b.fillsGap(low) {
			continue
		}
		out.add("predecessor-open",
			schema.Textf("chapter %s before it is %s, not committed", string(low.Key), low.State.Trailer()))
		return out
	}
	return nil
}

// fillsGap reports a chapter with adopted ones on both sides.
func (b *bookCheck) fillsGap(c *folded) bool {
	b.lookUp()
	i, _ := search(b.is.numbered, number(c))
	return slices.ContainsFunc(b.is.numbered[:i], (*folded).Adopted) && slices.ContainsFunc(b.is.numbered[i:], (*folded).Adopted)
}

// reviewed judges a chapter that is reviewed after the commit. A text that was saved after its review leaves the state and
// makes the evidence stale, so the evidence may be that of the text before.
func (b *bookCheck) reviewed(cc *chapterCheck) schema.State {
	was, is := cc.was, cc.is
	if was.State == schema.StateReviewed {
		if is.Review == nil && (was.Review != nil || cc.changed[recReview]) {
			b.faults.addAt(b.recordPath(is.id, recReview), "evidence-removed",
				schema.Textf("the review of chapter %s was taken away", string(is.Key)))
			return was.State
		}
		if cc.changed[recReview] && is.Review != nil {
			b.faults = append(b.faults, b.fullness(is).at(b.recordPath(is.id, recReview))...)
		}
		return was.State
	}
	if b.audit && is.Review != nil && len(b.fullness(is)) == 0 {
		return schema.StateReviewed
	}
	gaps := b.reviewedGaps(is)
	if len(gaps) == 0 {
		return schema.StateReviewed
	}
	b.faults = append(b.faults, faults(gaps).at(b.recordPath(is.id, recReview))...)
	return orFirst(was.State)
}

func (b *bookCheck) fullness(is *folded) faults {
	var out faults
	for _, d := range b.rules.Dimensions.Minus(is.Review.Dims).List() {
		out.add("review-not-full", schema.Textf("the review has no conclusion for dimension %s", string(d)))
	}
	return out
}

// reviewedGaps names what is missing before the chapter counts as reviewed, for the text now or for one that its records
// were about.
func (b *bookCheck) reviewedGaps(is *folded) []schema.Fault {
	texts := []schema.OID{is.Text}
	if is.Review != nil && is.Review.Text != is.Text {
		texts = append(texts, is.Review.Text)
	}
	if is.Recheck != nil && !slices.Contains(texts, is.Recheck.Text) {
		texts = append(texts, is.Recheck.Text)
	}
	var first []schema.Fault
	for i, t := range texts {
		gaps := b.evidenceAt(is, t).gaps()
		if len(gaps) == 0 {
			return nil
		}
		if i == 0 {
			first = gaps
		}
	}
	return first
}

// evidenceAt looks at the chapter's records for one text.
func (b *bookCheck) evidenceAt(is *folded, text schema.OID) evidence {
	e := evidence{rules: b.rules, text: text, review: is.Review, recheck: is.Recheck}
	if e.review != nil && e.review.Text != text && e.recheckCurrent() {
		e.polish = b.polish(e.review.Text, text)
	}
	return e
}
