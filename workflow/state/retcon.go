package state

import (
	"strings"

	"git-novel/schema"
)

// RetconEvent changes a committed chapter: text, review and revision + 1 in one commit.
type RetconEvent struct {
	Text      schema.OID // the new text
	Blank     bool
	Reason    string
	Review    *ReviewEvidence // of the new text; an adopted chapter needs none
	Artifacts bool            // new facts come with it, so that the text may stay
}

// Kind is KindRetcon.
func (RetconEvent) Kind() Kind { return KindRetcon }

func (e RetconEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	if strings.TrimSpace(e.Reason) == "" {
		out.add("retcon-reason", schema.Textf("a retcon needs a reason"))
	}
	if e.Blank {
		out.add("text-blank", schema.Textf("the text of chapter %s is blank", string(c.Key)))
	}
	if out.committed(c) {
		switch {
		case c.Commit == nil:
			out.add("record-damaged", schema.Textf("a record of chapter %s cannot be read", string(c.Key)))
		case e.Text == c.Commit.Text && !e.Artifacts:
			out.add("retcon-nothing", schema.Textf("the text of chapter %s is the committed one, and no new facts were given", string(c.Key)))
		}
		if !c.Adopted() {
			out = append(out, retconReview(b.Rules, e.Review, e.Text)...)
		}
	}
	d := judge(b, c, c.State, out)
	d.NoOp = false
	return d
}

// retconReview judges the review of a retcon: full, of exactly the new text, ai_flavor included, nothing open.
func retconReview(rules Rules, r *ReviewEvidence, text schema.OID) faults {
	var out faults
	e := evidence{rules: rules, text: text, review: r}
	if r == nil {
		return append(out, e.gaps()...)
	}
	out = append(out, e.reviewGaps()...)
	if r.Text != text {
		out.add("evidence-stale", schema.Textf("the review is of text %s, the chapter is now %s", r.Text.Short(), text.Short()))
	}
	if !r.Dims.Covers(schema.CategoryAIFlavor) {
		out.add("review-not-full", schema.Textf("the review has no conclusion for dimension %s", string(schema.CategoryAIFlavor)))
	}
	return out
}

// TypoEvent is `chapter save N --typo`: a hand edit of a committed chapter that is too small to need a review.
type TypoEvent struct {
	Edits Edits // from the last reviewed or adopted text to the text on disk, bodies only (see Body), all typos together
}

// Kind is KindTypo.
func (TypoEvent) Kind() Kind { return KindTypo }

func (e TypoEvent) decide(b *Book, c *Chapter) Decision {
	out := standing(c)
	changed := false
	if out.committed(c) {
		changed = c.Edited()
		if changed {
			out = append(out, typoLimit(e.Edits)...)
		}
	}
	d := judge(b, c, c.State, out)
	if d.Allowed {
		d.NoOp = !changed
	}
	return d
}

func typoLimit(e Edits) faults {
	var out faults
	switch {
	case !e.Known:
		out.add("typo-unknown", schema.Textf("the last reviewed text cannot be read, so the typo edits cannot be counted"))
	case e.Total() > MaxTypoEdits:
		out.add("typo-too-large", schema.Textf(
			"all typo edits since the last review change %d characters together, more than %d", e.Total(), MaxTypoEdits))
	}
	return out
}
