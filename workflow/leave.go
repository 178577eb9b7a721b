package workflow

import (
	"context"
	"errors"
	"slices"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// TrashResult says where a chapter went.
type TrashResult struct {
	Book    string         `json:"book"`
	Chapter string         `json:"chapter"`
	Key     string         `json:"key"`
	Branch  string         `json:"branch"`
	Commit  string         `json:"commit"`
	Trash   string         `json:"trash_commit"`
	Paths   []string       `json:"paths"`
	Next    []state.Action `json:"next,omitempty"`
}

// ChapterDiscard moves a drafted or reviewed chapter to a trash branch: text, records, state and drafts. The number is free
// again.
func (s *Session) ChapterDiscard(ctx context.Context, chapter string) (*TrashResult, error) {
	return s.leave(ctx, chapter, schema.VerbDiscard, "", state.DiscardEvent{})
}

// ChapterRetract moves a committed chapter to a trash branch: the highest number, or any unnumbered one.
func (s *Session) ChapterRetract(ctx context.Context, chapter, reason string) (*TrashResult, error) {
	return s.leave(ctx, chapter, schema.VerbRetract, reason, state.RetractEvent{Reason: reason})
}

func (s *Session) leave(ctx context.Context, chapter, verb, reason string, e state.Event) (*TrashResult, error) {
	var r *TrashResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		c, err := w.resolve(chapter)
		if err != nil {
			return err
		}
		d := w.rules.Decide(c.Key, e)
		if err := d.Error(schema.Textf("chapter %s cannot leave the book", string(c.Key))); err != nil {
			return w.otherWayOut(c, verb, err)
		}
		r = &TrashResult{Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key)}
		paths, err := s.chapterPaths(w, c)
		if err != nil {
			return err
		}
		m := schema.Message{
			Verb: schema.VerbTrash, Book: string(w.name), Chapter: string(c.Key), Subject: "移入回收分支", Text: c.Text,
			From: c.State, To: schema.StateNone,
		}
		if reason != "" {
			m.Extra = append(m.Extra, schema.Trailer{Key: schema.TrailerReason, Value: reason})
		}
		r.Branch, err = repo.Trash(tx, repo.TrashInput{
			Name: string(w.name) + "-" + string(c.Key), Kind: schema.TrashChapter, At: s.lib.Now(), Paths: append(slices.Clone(paths), schema.BookStatePath(w.name), schema.SummariesPath(w.name)),
			Message: s.message(m).String(),
		})
		if err != nil {
			return err
		}
		for _, p := range paths {
			if err := repo.RemoveKept(tx, p); err != nil {
				return err
			}
		}
		r.Paths = paths
		w.drop(c.Key)
		if err := w.writeState(tx); err != nil {
			return err
		}
		if err := s.dropSummary(tx, w, c.Key); err != nil {
			return err
		}
		m.Verb, m.Subject = verb, "移至 "+r.Branch
		tx.Message(s.message(m))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	for _, id := range res.Sides {
		r.Trash = id.String()
	}
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	r.Next = state.NextForBook(w.rules)
	return r, nil
}

// otherWayOut names the command that a chapter in this state leaves by, when it was the other one that was given.
func (w *work) otherWayOut(c *state.Chapter, verb string, err error) error {
	se, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err
	}
	switch {
	case verb == schema.VerbDiscard && w.rules.Decide(c.Key, state.RetractEvent{Reason: "R"}).Allowed:
		return se.WithHint("a committed chapter leaves by `git novel chapter retract %s --reason R`", w.rules.Arg(c.Key))
	case verb == schema.VerbRetract && w.rules.Decide(c.Key, state.DiscardEvent{}).Allowed:
		return se.WithHint("a chapter that is not committed leaves by `git novel chapter discard %s`", w.rules.Arg(c.Key))
	}
	return err
}
