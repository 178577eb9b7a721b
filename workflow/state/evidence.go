package state

import "git-novel/schema"

// OpenIssue is an issue that blocks now.
type OpenIssue struct {
	ID          string
	Severity    schema.Severity
	Category    schema.Category
	Overridable bool // by a person (DESIGN 5, Override)
}

// ReviewEvidence is what a full review proves, without its prose.
type ReviewEvidence struct {
	Text  schema.OID // the text that was reviewed
	Path  string     // where it lay
	Chars int        // of it, in UTF-16 units
	Round int
	Run   string
	Depth string // schema.DepthAgent, DepthMechanical or DepthPerson
	Dims  Dims
	Open  []OpenIssue

	sum schema.OID // of everything but the text it is bound to; set by the checker
}

// ReviewOf digests a review; nil for nil.
func ReviewOf(r *schema.Review) *ReviewEvidence {
	if r == nil {
		return nil
	}
	return &ReviewEvidence{
		Text: r.Text.Blob, Path: r.Text.Path, Chars: r.Text.Chars, Round: r.Round, Run: r.Run, Depth: r.Depth, Dims: DimsOf(r.Dimensions),
		Open: openOf(r.Issues),
	}
}

// RecheckEvidence is what a re-check of ai_flavor proves.
type RecheckEvidence struct {
	Text  schema.OID
	Path  string
	Chars int
	Task  string
	Run   string
	Depth string
	Dims  Dims
	Open  []OpenIssue
}

// RecheckOf digests a re-check; nil for nil.
func RecheckOf(r *schema.Recheck) *RecheckEvidence {
	if r == nil {
		return nil
	}
	dims := DimsOf(r.Dimensions)
	if len(r.Dimensions) == 0 {
		dims = NewDims(schema.CategoryAIFlavor)
	}
	return &RecheckEvidence{
		Text: r.Text.Blob, Path: r.Text.Path, Chars: r.Text.Chars, Task: r.Task, Run: r.Run, Depth: r.Depth, Dims: dims, Open: openOf(r.Issues),
	}
}

// CommitEvidence is what an accepted chapter commit proves.
type CommitEvidence struct {
	Text      schema.OID
	Base      schema.OID // the last reviewed or adopted text: what typo edits are counted against
	Revision  int
	Adopted   bool
	Carried   bool // facts are those of an earlier text
	Extracted bool // has an extraction result
	Path      string
	Chars     int
}

// CommitOf digests a chapter commit; nil for nil.
func CommitOf(c *schema.Commit) *CommitEvidence {
	if c == nil {
		return nil
	}
	e := &CommitEvidence{
		Text: c.Text.Blob, Base: c.Text.Blob, Revision: c.Revision, Adopted: c.Adopted(), Carried: c.Carried,
		Extracted: c.Extraction != nil, Path: c.Text.Path, Chars: c.Text.Chars,
	}
	if c.Base != nil && !c.Base.Blob.IsZero() {
		e.Base = c.Base.Blob
	}
	return e
}

func openOf(issues []schema.Issue) []OpenIssue {
	var out []OpenIssue
	for _, i := range issues {
		if i.Blocks() {
			out = append(out, OpenIssue{ID: i.ID, Severity: i.Severity, Category: i.Category, Overridable: i.Overridable()})
		}
	}
	return out
}

// SupersedesRecheck reports whether recording a full review ends the re-check that lies beside it: the review gives a newer
// verdict on ai_flavor, or the re-check speaks of another text. The recorder removes recheck.json then.
func SupersedesRecheck(r *ReviewEvidence, k *RecheckEvidence) bool {
	return r != nil && k != nil && (r.Dims.Covers(schema.CategoryAIFlavor) || r.Text != k.Text)
}

// evidence is one set of records looked at for one text.
type evidence struct {
	rules   Rules
	text    schema.OID
	review  *ReviewEvidence
	recheck *RecheckEvidence
	polish  Edits // from review.Text to text
}

// gaps names everything that is missing before the text counts as reviewed; none means that the set is complete
// (DESIGN 5: Full review, Blocking, Anti-AI).
func (e evidence) gaps() []schema.Fault {
	var out faults
	r := e.review
	if r == nil {
		out.add("review-missing", schema.Textf("there is no full review of this chapter"))
	} else {
		out = append(out, e.reviewGaps()...)
	}
	if e.recheckCurrent() && len(e.recheck.Open) > 0 {
		for _, i := range e.recheck.Open {
			out.add("recheck-blocking", schema.Textf("the re-check's issue %s (%s, %s) blocks", i.ID, string(i.Severity), string(i.Category)))
		}
	}
	if r != nil {
		out = append(out, e.bindingGaps()...)
	}
	return out
}

func (e evidence) reviewGaps() []schema.Fault {
	var out faults
	r := e.review
	for _, d := range e.rules.Dimensions.Minus(r.Dims).List() {
		out.add("review-not-full", schema.Textf("the review has no conclusion for dimension %s", string(d)))
	}
	for _, i := range r.Open {
		out.add("review-blocking", schema.Textf("issue %s (%s, %s) blocks", i.ID, string(i.Severity), string(i.Category)))
	}
	if e.rules.RequireAgent && r.Depth == schema.DepthMechanical {
		out.add("review-mechanical", schema.Textf("the review is mechanical, and this library requires a reviewer agent or a person"))
	}
	return out
}

// bindingGaps judges which text the records speak of, and the anti-AI condition.
func (e evidence) bindingGaps() []schema.Fault {
	var out faults
	r := e.review
	if r.Text == e.text {
		if !r.Dims.Covers(schema.CategoryAIFlavor) && !e.recheckCurrent() {
			out.add("anti-ai-missing", schema.Textf("neither the review nor a re-check covers ai_flavor for this text"))
		}
	} else {
		switch {
		case !e.recheckCurrent():
			out.add("evidence-stale", schema.Textf("the review is of text %s, the chapter is now %s", r.Text.Short(), e.text.Short()))
		case !e.polish.Known:
			out.add("polish-unknown", schema.Textf("the reviewed text %s cannot be read, so the polish cannot be measured", r.Text.Short()))
		case !e.rules.WithinPolish(e.polish, r.Chars):
			out.add("polish-too-large", schema.Textf("%d characters were changed since the review of %d characters, more than polish may",
				e.polish.Total(), r.Chars))
		}
	}
	if e.recheckNeeded() && e.recheckCurrent() && e.rules.RequireAgent && e.recheck.Depth == schema.DepthMechanical {
		out.add("recheck-mechanical", schema.Textf("the re-check is mechanical, and this library requires a reviewer agent or a person"))
	}
	return out
}

// recheckCurrent reports a re-check of exactly this text.
func (e evidence) recheckCurrent() bool {
	return e.recheck != nil && e.recheck.Text == e.text && e.recheck.Dims.Covers(schema.CategoryAIFlavor)
}

// recheckNeeded reports that the review alone cannot complete the set.
func (e evidence) recheckNeeded() bool {
	return e.review == nil || e.review.Text != e.text || !e.review.Dims.Covers(schema.CategoryAIFlavor)
}
