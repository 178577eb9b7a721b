package state

import (
	"strings"

	"git-novel/schema"
)

// accepted judges a chapter that became committed, and gives the state that its records can prove.
func (b *bookCheck) accepted(cc *chapterCheck) schema.State {
	was, is := cc.was, cc.is
	path := b.recordPath(is.id, recCommit)
	doc := b.commitOf(cc)
	if doc == nil {
		if is.records[recCommit].IsZero() {
			b.faults.addAt(path, "commit-missing",
				schema.Textf("there is no accepted chapter commit of this text of chapter %s", string(is.Key)))
		}
		return b.fallBack(cc)
	}
	out := b.bound(is, path)
	if doc.Adopted() {
		out = append(out, b.adoption(cc)...)
	} else {
		out = append(out, b.evidenced(cc, doc)...)
		out = append(out, b.lowerCommitted(is)...)
		if !b.summarised(is) {
			out.addAt(schema.SummariesPath(b.name), "summary-missing",
				schema.Textf("chapter %s has no summary to store", string(is.Key)))
		}
	}
	b.faults = append(b.faults, out.at(path)...)
	for _, f := range out {
		// Order is told once; what the records lack keeps the state where it was.
		if f.Rule != "predecessor-open" && f.Rule != "adopt-written" && f.Rule != "adopt-draft" && f.Rule != "adopt-drafted" {
			return orFirst(was.State)
		}
	}
	return schema.StateCommitted
}

// fallBack is the state of a chapter whose claim to be committed failed for want of a chapter commit.
func (b *bookCheck) fallBack(cc *chapterCheck) schema.State {
	if cc.was.State == schema.StateNone || cc.was.State == schema.StateDrafted {
		if len(b.reviewedGaps(cc.is)) == 0 {
			return schema.StateReviewed
		}
		return schema.StateDrafted
	}
	return cc.was.State
}

// commitOf gives the chapter commit of the result, read again when this commit did not change it.
func (b *bookCheck) commitOf(cc *chapterCheck) *schema.Commit {
	if cc.docs.commit == nil && !cc.changed[recCommit] && !cc.is.records[recCommit].IsZero() {
		cc.docs.commit = b.commitDoc(cc.is)
		cc.is.Commit = CommitOf(cc.docs.commit)
	}
	return cc.docs.commit
}

// bound judges that the chapter commit is of the text that lies there.
func (b *bookCheck) bound(is *folded, path string) faults {
	var out faults
	if is.Commit.Text != is.Text {
		out.addAt(is.Path, "committed-text-changed",
			schema.Textf("the chapter commit is of text %s, the chapter is now %s", is.Commit.Text.Short(), is.Text.Short()))
	}
	return append(out, binding(path, is, is.Commit.Text, is.Commit.Path, is.Commit.Chars)...)
}

// adoption judges a chapter that entered as it was.
func (b *bookCheck) adoption(cc *chapterCheck) faults {
	var out faults
	if cc.was.State != schema.StateNone {
		out.add("adopt-drafted", schema.Textf("chapter %s was %s and cannot be adopted", string(cc.is.Key), cc.was.State.Trailer()))
	}
	if !b.was.exists() || b.renamed(cc) {
		return out
	}
	if b.was.mirrors > 0 {
		out.add("adopt-draft", schema.Textf("book %s has a draft, so nothing can be adopted into it", string(b.name)))
	}
	b.lookUp()
	for _, list := range [][]*folded{b.is.numbered, b.is.others} {
		for _, c := range list {
			// What came with this commit is judged for itself: a squash may adopt first and write then.
			cc, touched := b.chapters[c.id]
			fresh := touched && cc.was.State == schema.StateNone
			if c.State != schema.StateNone && !c.Adopted() && !fresh {
				out.add("adopt-written", schema.Textf("book %s has chapters that were written here, so nothing can be adopted into it", string(b.name)))
				return out
			}
		}
	}
	return out
}

// renamed reports an unnumbered adopted chapter that left under another key in this very commit: its key is its title.
func (b *bookCheck) renamed(cc *chapterCheck) bool {
	if _, numbered := cc.is.Number(); numbered {
		return false
	}
	for _, o := range b.chapters {
		if _, numbered := o.was.Number(); numbered || !o.leaves() || !o.was.Adopted() {
			continue
		}
		same := false
		b.edits(o.was.Text, cc.is.Text, func(x, y string) Edits {
			same = Body(o.was.Key, x) == Body(cc.is.Key, y)
			return Edits{}
		})
		if same || o.was.Text == cc.is.Text {
			return true
		}
	}
	return false
}

// evidenced judges the evidence of a chapter commit that was written here, at the text that its review is about.
func (b *bookCheck) evidenced(cc *chapterCheck, doc *schema.Commit) faults {
	is := cc.is
	base := is.Commit.Base
	out := faults(b.evidenceAt(is, base).gaps())
	if base != is.Text {
		out = append(out, typoLimit(b.typo(is.Key, base, is.Text))...)
	}
	out = append(out, b.nodes(cc, doc)...)
	return append(out, sameReview(is, doc)...)
}

// sameReview judges that the chapter commit holds the review that counts.
func sameReview(is *folded, doc *schema.Commit) faults {
	var out faults
	if is.Review == nil || doc.ReviewResult == nil {
		return nil // told already
	}
	if r := doc.ReviewResult; unboundSum(r) != is.Review.sum || r.Text.Blob != is.Review.Text {
		out.add("review-differs", schema.Textf("the review result is not the recorded review of round %d", is.Review.Round))
	}
	return out
}

// nodes judges the outline's nodes. An outline that came with this very commit is left alone: after a squash it may be
// newer than the chapter commit.
func (b *bookCheck) nodes(cc *chapterCheck, doc *schema.Commit) faults {
	id := cc.is.records[recOutline]
	if cc.changed[recOutline] || id.IsZero() || doc.Fulfillment == nil {
		return nil
	}
	data, ok := b.read(id)
	if !ok {
		return nil
	}
	outline, list := record(b.recordPath(cc.is.id, recOutline), data, (*schema.Outline).Validate)
	if len(list) > 0 {
		return nil // told when it came
	}
	var waived []schema.Waiver
	if doc.Review != nil {
		waived = doc.Review.Waived
	}
	return nodeFaults(outline, doc.Fulfillment, waived)
}

// summarised reports whether the summaries of the result hold the chapter.
func (b *bookCheck) summarised(is *folded) bool {
	if b.is.summaries.IsZero() {
		return false
	}
	if b.summary == nil {
		data, ok := b.read(b.is.summaries)
		if !ok {
			return true // the storage's error ends the check
		}
		b.summary = data
	}
	return hasSummary(schema.SummariesPath(b.name), b.summary, is.Key)
}

// changed judges a commit that touched a committed chapter: a rename, a typo, a retcon, an enrichment, or an offence.
func (b *bookCheck) changed(cc *chapterCheck) {
	was, is := cc.was, cc.is
	path := b.recordPath(is.id, recCommit)
	text, rename := was.Text != is.Text, was.Path != is.Path
	if !text && !rename && !cc.changed[recCommit] && !cc.changed[recReview] && !cc.changed[recRecheck] {
		return
	}
	doc := b.commitOf(cc)
	if doc == nil {
		if is.records[recCommit].IsZero() {
			b.faults.addAt(path, "evidence-removed", schema.Textf("the chapter commit of chapter %s was taken away", string(is.Key)))
		}
		return
	}
	out := b.bound(is, path)
	if len(out) > 0 && !cc.changed[recCommit] {
		b.faults = append(b.faults, out.at(path)...)
		return // the text was changed without its record: nothing else can be said
	}
	if was.Commit != nil && !cc.changed[recCommit] && !cc.changed[recReview] && !cc.changed[recRecheck] {
		return // the text is again what its record binds: it was gone, or an illegal edit of it was taken back
	}
	if was.Commit == nil {
		// What was there before could not be read; the whole evidence must be there now.
		if !doc.Adopted() {
			out = append(out, b.evidenced(cc, doc)...)
		}
		b.faults = append(b.faults, out.at(path)...)
		return
	}
	if is.Commit.Adopted != was.Commit.Adopted {
		out.add("origin-changed", schema.Textf("chapter %s cannot change between adopted and written", string(is.Key)))
	}
	if is.Commit.Revision < was.Commit.Revision {
		out.add("revision-back", schema.Textf("the revision goes back from %d to %d", was.Commit.Revision, is.Commit.Revision))
	}
	if len(out) == 0 {
		out = b.revised(cc, doc)
	}
	b.faults = append(b.faults, out.at(path)...)
}

// revised judges the new chapter commit of a committed chapter against the old one.
func (b *bookCheck) revised(cc *chapterCheck, doc *schema.Commit) faults {
	was, is := cc.was, cc.is
	sameText := b.sameBody(is.Key, was.Text, is.Text)
	// A typo or a rename leaves facts, review and base alone. The base of a renamed text may be that text.
	base := is.Commit.Base == was.Commit.Base || b.sameBody(is.Key, was.Commit.Base, is.Commit.Base)
	kept := base && b.factsKept(cc, doc)
	enriched := base && is.Commit.Adopted && b.reviewKept(cc)
	if sameText && (kept || enriched) {
		return nil
	}
	var out faults
	if is.Commit.Revision == was.Commit.Revision {
		if sameText {
			out.add("commit-rewritten", schema.Textf(
				"the records of committed chapter %s were changed, but its revision was not raised", string(is.Key)))
		} else {
			out.addAt(is.Path, "committed-text-changed", schema.Textf(
				"the text of committed chapter %s was changed, but its revision was not raised", string(is.Key)))
		}
		return out
	}
	if kept {
		// Without a reason it was never meant as a retcon.
		if out = typoLimit(b.typo(is.Key, is.Commit.Base, is.Text)); len(out) == 0 || strings.TrimSpace(doc.Reason) == "" {
			return out
		}
	}
	return b.retconned(cc, doc)
}

// retconned judges a retcon, perhaps with typos after it.
func (b *bookCheck) retconned(cc *chapterCheck, doc *schema.Commit) faults {
	var out faults
	is := cc.is
	if strings.TrimSpace(doc.Reason) == "" {
		out.add("retcon-reason", schema.Textf("a retcon needs a reason"))
	}
	if is.Commit.Base != is.Text {
		out = append(out, typoLimit(b.typo(is.Key, is.Commit.Base, is.Text))...)
	}
	if is.Commit.Adopted {
		return out
	}
	out = append(out, retconReview(b.rules, is.Review, is.Commit.Base)...)
	return append(out, sameReview(is, doc)...)
}

// factsKept reports that the new chapter commit says of the story what the old one said, on the same review.
func (b *bookCheck) factsKept(cc *chapterCheck, doc *schema.Commit) bool {
	if !b.reviewKept(cc) {
		return false
	}
	if !cc.changed[recCommit] {
		return true
	}
	id := cc.was.records[recCommit]
	if id.IsZero() {
		return false
	}
	data, ok := b.read(id)
	if !ok {
		return true // the storage's error ends the check
	}
	var old schema.Commit
	if schema.Unmarshal("", data, &old) != nil {
		return false
	}
	return factsSum(&old) == factsSum(doc)
}

// reviewKept reports that review and re-check are the old ones, apart from the text they are bound to.
func (b *bookCheck) reviewKept(cc *chapterCheck) bool {
	was, is := cc.was, cc.is
	if cc.changed[recReview] {
		if was.Review == nil || is.Review == nil || was.Review.sum != is.Review.sum ||
			!b.sameBody(is.Key, was.Review.Text, is.Review.Text) {
			return false
		}
	}
	if cc.changed[recRecheck] {
		if was.Recheck == nil || is.Recheck == nil || was.Recheck.Run != is.Recheck.Run || len(is.Recheck.Open) > 0 ||
			!b.sameBody(is.Key, was.Recheck.Text, is.Recheck.Text) {
			return false
		}
	}
	return true
}
