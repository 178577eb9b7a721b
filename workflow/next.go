package workflow

import (
	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// next lists what may be done after a transition that made c what it is now.
func (w *work) next(c *state.Chapter) []state.Action {
	rules := w.rules.With(c)
	if c.State == schema.StateCommitted {
		return state.NextForBook(rules)
	}
	return state.Next(rules, c)
}

// owedNotes says what other chapters owe, for a command that starts or goes on with this one (DESIGN 5, Debt).
func (w *work) owedNotes(key schema.ChapterKey) []schema.Text {
	var out []schema.Text
	for _, c := range w.rules.Debts() {
		if c.Key != key {
			out = append(out, schema.Textf("chapter %s is reviewed and its write-back is owed: %s", string(c.Key), state.Next(w.rules, c)[0].Command))
		}
	}
	return out
}

// fresh is the book for a transition that was prepared outside of the library's lock: the same while HEAD is where it was,
// else gathered again.
func (s *Session) fresh(tx *repo.Tx, w *work) (*work, error) {
	if now := tx.Snapshot(); now.Commit() != w.snap.Commit() {
		return s.gather(now)
	}
	return w, nil
}

// unchanged refuses to go on with a result that was worked out for a text that is no longer there.
func (w *work) unchanged(key schema.ChapterKey, text []byte) (*state.Chapter, error) {
	c := w.chapter(key)
	now, err := w.chapterBytes(c)
	if err != nil {
		return nil, err
	}
	if schema.HashBlob(now) != schema.HashBlob(text) {
		return nil, changedMeanwhile(c)
	}
	return c, nil
}

func changedMeanwhile(c *state.Chapter) error {
	return schema.Errorf(schema.CodeConflict, "%s was changed while the command was at work", c.Path).
		WithHint("run the command again")
}
