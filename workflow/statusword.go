package workflow

import (
	"context"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// ChapterStatus is the answer of `state get-chapter-status`: an unset status is null.
type ChapterStatus struct {
	Chapter any           `json:"chapter"` // the number, or the key of an unnumbered chapter
	Status  *schema.State `json:"status"`
}

// StateGet gives a chapter's state. It looks at its own chapter only, and a chapter that is not there has none.
func (s *Session) StateGet(_ context.Context, chapter string) (*ChapterStatus, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	name, err := s.bookName(snap)
	if err != nil {
		return nil, err
	}
	key, err := schema.ParseChapterKey(chapter)
	if err != nil {
		return nil, err
	}
	st, err := repo.StateOf(s.lib, snap, name, key)
	if err != nil {
		return nil, err
	}
	out := &ChapterStatus{Chapter: statusKey(key)}
	if st != schema.StateNone {
		out.Status = &st
	}
	return out, nil
}

func statusKey(key schema.ChapterKey) any {
	if n, ok := key.Number(); ok {
		return n
	}
	return string(key)
}

// StateSet moves a chapter to a state that its evidence already allows; anything else is refused (CodeRule).
func (s *Session) StateSet(ctx context.Context, chapter, status string) (*ChapterStatus, error) {
	to, err := schema.ParseState(status)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUsage, "the state cannot be set")
	}
	out := &ChapterStatus{Status: &to}
	_, err = s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		c, err := w.resolveOrNew(chapter)
		if err != nil {
			return err
		}
		out.Chapter = statusKey(c.Key)
		var text []byte
		if c.Path != "" && !c.Missing {
			if text, err = w.chapterText(c); err != nil {
				return err
			}
		}
		if to == schema.StateCommitted {
			if c, err = w.withSummary(c); err != nil {
				return err
			}
		}
		d := w.rules.With(c).Decide(c.Key, state.SetStatusEvent{To: to, Blank: blank(text)})
		if err := d.Error(schema.Textf("chapter %s cannot be set to %s", string(c.Key), string(to))); err != nil {
			return err
		}
		if d.NoOp {
			return nil
		}
		if err := w.takeText(tx, c); err != nil {
			return err
		}
		if c.State == schema.StateNone {
			if err := w.place(c.Key, ""); err != nil {
				return err
			}
		}
		w.set(c.Key, d.Next)
		if err := w.writeState(tx); err != nil {
			return err
		}
		if err := s.takeDrafts(tx, w, c.Key); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{
			Verb: schema.VerbSave, Book: string(w.name), Chapter: string(c.Key), Subject: "按已有证据推进", From: c.State, To: d.Next, Text: c.Text,
		}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// withSummary is the chapter with what the summaries say of it, which only this question needs.
func (w *work) withSummary(c *state.Chapter) (*state.Chapter, error) {
	entries, err := w.summaries()
	if err != nil {
		return nil, err
	}
	known := *c
	_, known.HasSummary = entries.Find(c.Key)
	return &known, nil
}
