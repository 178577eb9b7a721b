package workflow

import (
	"fmt"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// typo is `chapter save --typo`: a small correction of a committed chapter, a revision of its own without a review.
func (s *Session) typo(tx *repo.Tx, w *work, c *state.Chapter, in SaveInput) (*SaveResult, error) {
	if err := w.held(c, in.Text); err != nil {
		return nil, err
	}
	text := in.Text
	if text == nil && !c.Missing && c.Path != "" {
		var err error
		if text, err = w.chapterText(c); err != nil {
			return nil, err
		}
	}
	changed := *c
	if text != nil {
		changed.Text, changed.Chars = schema.HashBlob(text), schema.UTF16Len(string(text))
	}
	edits := s.typoEdits(&changed, text)
	d := w.rules.With(&changed).Decide(c.Key, state.TypoEvent{Edits: edits})
	if err := d.Error(schema.Textf("this is no typo of chapter %s", string(c.Key))); err != nil {
		return nil, err
	}
	r := &SaveResult{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Path: c.Path, From: c.State, State: c.State, Text: bind(c.Path, text), after: &changed,
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
	changed.Commit, changed.Unsaved = state.CommitOf(rec), false
	if err := w.putText(tx, c, in.Text); err != nil {
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
