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
}

// Retcon changes a committed chapter: text, review and revision + 1 in one commit. The review is the one that was handed
// in, or a person's pass, or the built-in reviewer's; an adopted chapter needs none.
func (s *Session) Retcon(ctx context.Context, in RetconInput) (*RetconResult, error) {
	if in.Text != nil {
		if err := checkText(in.Chapter, in.Text); err != nil {
			return nil, err
		}
	}
	if in.Pass != "" && !s.o.Actor.Person() {
		return nil, schema.Errorf(schema.CodeRule, "only a person at a terminal can pass a review by hand").
			WithHint("hand a review of the new text in with --review-result F")
	}
	var r *RetconResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		c, err := w.resolve(in.Chapter)
		if err != nil {
			return err
		}
		r, err = s.retcon(ctx, tx, w, c, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	return r, nil
}

func (s *Session) retcon(ctx context.Context, tx *repo.Tx, w *work, c *state.Chapter, in RetconInput) (*RetconResult, error) {
	text := in.Text
	if text == nil {
		var err error
		if text, err = s.chapterBytes(c); err != nil {
			return nil, err
		}
		if err := checkText(c.Path, text); err != nil {
			return nil, err
		}
	}
	changed := *c // the chapter as it will be, for the reviewer and the data agent
	changed.Text, changed.Chars = schema.HashBlob(text), schema.UTF16Len(string(text))
	rec, err := s.retconReview(ctx, w, &changed, text, in)
	if err != nil {
		return nil, err
	}
	d := w.rules.Decide(c.Key, state.RetconEvent{
		Text: changed.Text, Blank: blank(text), Reason: in.Reason, Review: state.ReviewOf(rec), Artifacts: in.Artifacts.given(),
	})
	if err := d.Error(schema.Textf("the retcon of chapter %s is refused", string(c.Key))); err != nil {
		return nil, err
	}
	old, err := w.commit(c.Key)
	if err != nil {
		return nil, err
	}
	commit := *old
	commit.Revision, commit.Reason, commit.Text, commit.Base, commit.Carried = old.Revision+1, in.Reason, bind(c.Path, text), nil, true
	if rec != nil {
		commit.Review, commit.ReviewResult = digest(rec, nil), rec
	}
	r := &RetconResult{Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Revision: commit.Revision, Text: commit.Text, Issues: []schema.Issue{}}
	if in.Artifacts.given() {
		p := &parsed{}
		if err := p.parse(in.Artifacts, w, c); err != nil {
			return nil, err
		}
		outline, err := w.outline(c.Key)
		if err != nil {
			return nil, err
		}
		if faults := state.ArtifactFaults(outline, p.fulfillment, p.disambiguation, p.extraction.SummaryText); len(faults) > 0 {
			return nil, schema.Errorf(schema.CodeRule, "the retcon of chapter %s is refused", string(c.Key)).WithDetails(faults...)
		}
		commit.Fulfillment, commit.Disambiguation, commit.Extraction, commit.Carried = p.fulfillment, p.disambiguation, p.extraction, false
		if err := s.putSummary(tx, w, c.Key, p.extraction.SummaryText); err != nil {
			return nil, err
		}
	}
	if commit.Carried = commit.Carried && commit.Extraction != nil; commit.Carried {
		r.Carried = true
		r.Notes = append(r.Notes, schema.Textf("the facts are those of the earlier text (carried); give new ones with the four artifact flags"))
	}
	if in.Text != nil {
		err = tx.Write(c.Path, text)
	} else {
		_, err = tx.Take(c.Path)
	}
	if err != nil {
		return nil, err
	}
	if rec != nil {
		r.Issues = rec.Issues
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
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbRetcon, Book: string(w.name), Chapter: string(c.Key), Subject: fmt.Sprintf("第%d版 %s", commit.Revision, in.Reason),
		Text: commit.Text.Blob, Extra: []schema.Trailer{{Key: schema.TrailerReason, Value: in.Reason}},
	}))
	return r, nil
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
	return s.builtinReview(ctx, w, c, text, "")
}

// typo is `chapter save --typo`: a small correction of a committed chapter, a revision of its own without a review.
func (s *Session) typo(tx *repo.Tx, w *work, c *state.Chapter, in SaveInput) (*SaveResult, error) {
	text := in.Text
	if text == nil {
		var err error
		if text, err = s.chapterBytes(c); err != nil {
			return nil, err
		}
		if err := checkText(c.Path, text); err != nil {
			return nil, err
		}
	}
	changed := *c
	changed.Text, changed.Chars = schema.HashBlob(text), schema.UTF16Len(string(text))
	edits, err := s.typoEdits(&changed, text)
	if err != nil {
		return nil, err
	}
	d := w.rules.With(&changed).Decide(c.Key, state.TypoEvent{Edits: edits})
	if err := d.Error(schema.Textf("this is no typo of chapter %s", string(c.Key))); err != nil {
		return nil, err
	}
	r := &SaveResult{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Path: c.Path, From: c.State, State: c.State, Text: bind(c.Path, text),
	}
	if d.NoOp {
		return r, nil
	}
	rec, err := w.commit(c.Key)
	if err != nil {
		return nil, err
	}
	if rec.Base == nil {
		base := rec.Text
		rec.Base = &base
	}
	rec.Revision++
	rec.Text, rec.Reason = r.Text, "typo"
	if in.Text != nil {
		err = tx.Write(c.Path, text)
	} else {
		_, err = tx.Take(c.Path)
	}
	if err != nil {
		return nil, err
	}
	if err := writeRecord(tx, schema.CommitPath(w.name, c.Key.ID()), rec); err != nil {
		return nil, err
	}
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbRetcon, Book: string(w.name), Chapter: string(c.Key), Subject: fmt.Sprintf("第%d版 改错字 %d 字", rec.Revision, edits.Total()),
		Text: r.Text.Blob, Extra: []schema.Trailer{{Key: schema.TrailerReason, Value: "typo"}},
	}))
	return r, nil
}
