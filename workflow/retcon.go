package workflow

import (
	"context"
	"fmt"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// RetconInput changes a committed chapter.
type RetconInput struct {
	Chapter   string
	Reason    string
	Text      []byte // nil takes what lies on disk
	File      string // what the text was called where it came from, for messages
	Pass      string // a person's own review of the new text
	Artifacts Artifacts
}

// RetconResult says what a retcon did.
type RetconResult struct {
	Book     string         `json:"book"`
	Chapter  string         `json:"chapter"`
	Key      string         `json:"key"`
	Revision int            `json:"revision"`
	Carried  bool           `json:"carried"` // the old facts stay, marked as those of an earlier text
	Text     schema.Binding `json:"text"`
	Issues   []schema.Issue `json:"issues"`
	Notes    []schema.Text  `json:"notes,omitempty"`
	Commit   string         `json:"commit"`
	Next     []state.Action `json:"next,omitempty"`
}

// Retcon changes a committed chapter: text, review and revision + 1 in one commit. The review is the one that was handed
// in, or a person's pass, or the built-in reviewer's; an adopted chapter needs none.
func (s *Session) Retcon(ctx context.Context, in RetconInput) (*RetconResult, error) {
	if in.Text != nil {
		if err := checkText(orElse(in.File, in.Chapter), in.Text); err != nil {
			return nil, err
		}
	}
	if in.Pass != "" && in.Artifacts.Review != nil {
		return nil, schema.Errorf(schema.CodeUsage, "give --review-result or --pass, not both")
	}
	if in.Pass != "" && !s.o.Actor.Person() {
		return nil, schema.Errorf(schema.CodeRule, "only a person at a terminal can pass a review by hand").
			WithHint("hand a review of the new text in with --review-result F")
	}
	// The reviewer reads before the library is locked; what it found counts only for the text that it read.
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.resolve(in.Chapter)
	if err != nil {
		return nil, err
	}
	text := in.Text
	if text == nil {
		if text, err = w.chapterText(c); err != nil {
			return nil, err
		}
	}
	if err := w.held(c, in.Text); err != nil {
		return nil, err
	}
	changed := *c // the chapter as it will be
	changed.Text, changed.Chars = schema.HashBlob(text), schema.UTF16Len(string(text))
	rec, err := s.retconReview(ctx, w, &changed, text, in)
	if err != nil {
		return nil, err
	}
	var r *RetconResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.fresh(tx, w)
		if err != nil {
			return err
		}
		c := w.chapter(c.Key)
		if in.Text == nil {
			if c, err = w.unchanged(c.Key, text); err != nil {
				return err
			}
		}
		r, err = s.retcon(tx, w, c, text, rec, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	return r, nil
}

// retcon decides and writes. Validation of everything that was handed in comes before the rules, and the rules name every
// reason at once.
func (s *Session) retcon(tx *repo.Tx, w *work, c *state.Chapter, text []byte, rec *schema.Review, in RetconInput) (*RetconResult, error) {
	p := &parsed{}
	if in.Artifacts.given() {
		given := in.Artifacts
		given.Review = nil // read already: it is the review itself here, not the copy of one
		if err := p.parse(given, w, c); err != nil {
			return nil, err
		}
	}
	old, err := w.commit(c.Key)
	if err != nil {
		return nil, err
	}
	var waived []schema.Waiver
	if old != nil && old.Review != nil {
		waived = old.Review.Waived
	}
	blob := schema.HashBlob(text)
	d := w.rules.Decide(c.Key, state.RetconEvent{
		Text: blob, Blank: blank(text), Reason: in.Reason, Review: state.ReviewOf(rec), Artifacts: in.Artifacts.given(),
	})
	faults := d.Faults
	if in.Artifacts.given() {
		outline, err := w.outline(c.Key)
		if err != nil {
			return nil, err
		}
		faults = append(faults, state.ArtifactFaults(outline, p.fulfillment, p.disambiguation, p.extraction.SummaryText)...)
	}
	if d.Allowed = len(faults) == 0; !d.Allowed {
		d.Faults = append(faults, openIssues(rec)...)
		return nil, d.Error(schema.Textf("the retcon of chapter %s is refused", string(c.Key)))
	}
	commit := *old
	commit.Revision, commit.Reason, commit.Text, commit.Base, commit.Carried = old.Revision+1, in.Reason, bind(c.Path, text), nil, true
	if rec != nil {
		commit.Review, commit.ReviewResult = digest(rec, nil), rec
	}
	r := &RetconResult{Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Revision: commit.Revision, Text: commit.Text, Issues: []schema.Issue{}}
	if in.Artifacts.given() {
		commit.Fulfillment, commit.Disambiguation, commit.Extraction, commit.Carried = p.fulfillment, p.disambiguation, p.extraction, false
		if err := w.takeOutline(tx, c.Key); err != nil {
			return nil, err
		}
		if err := s.putSummary(tx, w, c.Key, p.extraction.SummaryText); err != nil {
			return nil, err
		}
	} else if rec != nil { // the facts of the earlier text stay, and with them what was waived
		commit.Review.Waived = append(commit.Review.Waived, waived...)
	}
	if commit.Carried = commit.Carried && commit.Extraction != nil; commit.Carried {
		r.Carried = true
		r.Notes = append(r.Notes, schema.Textf("the facts are those of the earlier text (carried); give new ones with the four artifact flags"))
	}
	if err := w.putText(tx, c, in.Text); err != nil {
		return nil, err
	}
	if rec != nil {
		r.Issues = rec.Issues
		if _, err := s.growFlavor(tx, rec.Issues, text); err != nil {
			return nil, err
		}
		if err := writeRecord(tx, schema.ReviewPath(w.name, c.Key.ID()), rec); err != nil {
			return nil, err
		}
		if err := removeIfThere(tx, schema.RecheckPath(w.name, c.Key.ID())); err != nil {
			return nil, err
		}
	}
	if err := writeRecord(tx, schema.CommitPath(w.name, c.Key.ID()), &commit); err != nil {
		return nil, err
	}
	after := *c
	after.Text, after.Chars, after.Unsaved = blob, commit.Text.Chars, false
	after.Commit, after.Review, after.Recheck = state.CommitOf(&commit), state.ReviewOf(rec), nil
	r.Next = w.next(&after)
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbRetcon, Book: string(w.name), Chapter: string(c.Key), Subject: fmt.Sprintf("第%d版 %s", commit.Revision, in.Reason),
		Text: commit.Text.Blob, Extra: []schema.Trailer{{Key: schema.TrailerReason, Value: in.Reason}},
	}))
	return r, nil
}

// openIssues shows what blocks in a review that is not recorded and can be read nowhere else.
func openIssues(rec *schema.Review) []schema.Fault {
	var out []schema.Fault
	if rec == nil {
		return nil
	}
	for _, i := range rec.Issues {
		if i.Blocks() {
			out = append(out, schema.Fault{Field: i.ID, Rule: "review-blocking", Msg: schema.Textf("%s: %s (evidence: %s)", i.Location, i.Description, i.Evidence)})
		}
	}
	return out
}

// retconReview gets the review of the new text; nil for an adopted chapter for which none was handed in.
func (s *Session) retconReview(ctx context.Context, w *work, c *state.Chapter, text []byte, in RetconInput) (*schema.Review, error) {
	switch {
	case in.Artifacts.Review != nil:
		f := in.Artifacts.Review
		input, err := schema.ParseReviewInput(f.Name, f.Data, schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c)})
		if err != nil {
			return nil, err
		}
		binding, err := bindingOf(input, ReviewRecordInput{AtRecord: true}, c, text)
		if err != nil {
			return nil, err
		}
		return w.newReview(c, text, input, binding), nil
	case in.Pass != "":
		by, err := s.who()
		if err != nil {
			return nil, err
		}
		return w.passed(c, text, by, in.Pass), nil
	case c.Adopted():
		return nil, nil //nolint:nilnil // an adopted chapter has no review
	}
	return s.agentReview(ctx, w, c, text)
}
