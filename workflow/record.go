package workflow

import (
	"maps"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// Records are read from the last commit and written back with the keys that a newer program put into them.

func (w *work) file(key schema.ChapterKey) *repo.Chapter {
	if c := w.book.Find(key); c != nil {
		return c
	}
	return &repo.Chapter{Key: key}
}

func (w *work) review(key schema.ChapterKey) (*schema.Review, error) {
	r, err := w.book.Review(w.file(key))
	if err == nil && r != nil {
		w.follow(key, &r.Text)
	}
	return r, err
}

func (w *work) recheck(key schema.ChapterKey) (*schema.Recheck, error) {
	r, err := w.book.Recheck(w.file(key))
	if err == nil && r != nil {
		w.follow(key, &r.Text)
	}
	return r, err
}

func (w *work) commit(key schema.ChapterKey) (*schema.Commit, error) {
	c, err := w.book.Commit(w.file(key))
	if err != nil || c == nil {
		return c, err
	}
	w.follow(key, &c.Text)
	if c.Base != nil {
		w.follow(key, c.Base)
	}
	if c.ReviewResult != nil {
		w.follow(key, &c.ReviewResult.Text)
	}
	return c, nil
}

// moved reports a chapter whose file a person gave another name: git has it where nothing lies any more.
func (w *work) moved(key schema.ChapterKey) bool {
	f := w.file(key)
	return !f.Missing && !f.Duplicate && f.Path != "" && f.HeadPath != "" && f.HeadPath != f.Path
}

// follow lets a record of a moved chapter name the place where its text lies now.
func (w *work) follow(key schema.ChapterKey, b *schema.Binding) {
	if w.moved(key) {
		b.Path = w.file(key).Path
	}
}

// takeMove brings a person's renaming of a chapter's file into the transition: the old name goes, the records name the new
// one. A verb that writes a record of its own does so afterwards.
func (w *work) takeMove(tx *repo.Tx, key schema.ChapterKey) error {
	if !w.moved(key) {
		return nil
	}
	if err := tx.Remove(w.file(key).HeadPath); err != nil {
		return err
	}
	if r, err := w.review(key); err != nil {
		return err
	} else if r != nil {
		if err := writeRecord(tx, schema.ReviewPath(w.name, key.ID()), r); err != nil {
			return err
		}
	}
	if r, err := w.recheck(key); err != nil {
		return err
	} else if r != nil {
		if err := writeRecord(tx, schema.RecheckPath(w.name, key.ID()), r); err != nil {
			return err
		}
	}
	c, err := w.commit(key)
	if err != nil || c == nil {
		return err
	}
	return writeRecord(tx, schema.CommitPath(w.name, key.ID()), c)
}

// takeText commits a chapter's text as it lies on disk, under the name that it has there.
func (w *work) takeText(tx *repo.Tx, c *state.Chapter) error {
	if err := w.takeMove(tx, c.Key); err != nil {
		return err
	}
	_, err := tx.Take(c.Path)
	return err
}

func (w *work) outline(key schema.ChapterKey) (*schema.Outline, error) { return w.book.Outline(key) }

// writeRecord puts a record into the transition. Keys that the record on record has and this program does not know stay.
func writeRecord(tx *repo.Tx, path string, v any) error {
	old, err := tx.Read(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	return writeKeeping(tx, path, v, old)
}

// replaceRecord is writeRecord for a record that was handed in whole: unknown keys come from what was handed in. An edit of
// the file on disk is the command's subject and is replaced.
func replaceRecord(tx *repo.Tx, path string, v any, given []byte) error {
	data, err := schema.MarshalGiven(v, given)
	if err != nil {
		return err
	}
	seen, err := tx.Library().FileBlob(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	return tx.Replace(path, data, seen)
}

func writeKeeping(tx *repo.Tx, path string, v any, old []byte) error {
	data, err := schema.Marshal(v)
	if old != nil {
		data, err = schema.MarshalKeep(v, old)
	}
	if err != nil {
		return err
	}
	return tx.Write(path, data)
}

func removeIfThere(tx *repo.Tx, path string) error {
	_, ok, err := tx.Snapshot().Blob(path)
	if err != nil || !ok {
		return err
	}
	return tx.Remove(path)
}

// set moves a chapter's state word. The rules have allowed it.
func (w *work) set(key schema.ChapterKey, st schema.State) {
	w.state.Progress.ChapterStatus[key.ID()] = st
	if n, ok := key.Number(); ok && st == schema.StateCommitted {
		w.state.Progress.CurrentChapter = max(w.state.Progress.CurrentChapter, n)
	}
}

// drop ends a chapter's entry. Unnumbered chapters that had their place behind it get its own.
func (w *work) drop(key schema.ChapterKey) {
	delete(w.state.Progress.ChapterStatus, key.ID())
	if gone, ok := w.state.Order[key.ID()]; ok {
		delete(w.state.Order, key.ID())
		for id, p := range w.state.Order {
			if schema.SameKey(schema.KeyOfID(p.After), key) {
				p.After = gone.After
				w.state.Order[id] = p
			}
		}
	}
	w.count()
}

// count sets current_chapter: the highest committed number.
func (w *work) count() {
	w.state.Progress.CurrentChapter = 0
	for id, st := range w.state.Progress.ChapterStatus {
		if n, ok := schema.NumberOfID(id); ok && st == schema.StateCommitted {
			w.state.Progress.CurrentChapter = max(w.state.Progress.CurrentChapter, n)
		}
	}
}

// place puts an unnumbered chapter behind another one; without a word for it, behind the last chapter there is.
func (w *work) place(key schema.ChapterKey, after string) error {
	if _, numbered := key.Number(); numbered {
		if after != "" {
			return schema.Errorf(schema.CodeUsage, "chapter %s has a number: its place is its number", string(key))
		}
		return nil
	}
	if _, placed := w.state.Order[key.ID()]; placed && after == "" {
		return nil
	}
	id := repo.FrontID
	switch {
	case after == "0" || after == repo.FrontID:
	case after != "":
		c, err := w.resolve(after)
		if err != nil {
			return err
		}
		if c.State == schema.StateNone {
			return schema.Errorf(schema.CodeRule, "chapter %s has not entered the book yet", string(c.Key)).
				WithHint("take it in first with `git novel chapter save %s`", w.rules.Arg(c.Key))
		}
		id = c.Key.ID()
	default:
		for _, c := range w.rules.Chapters {
			if c.State != schema.StateNone {
				id = c.Key.ID()
			}
		}
	}
	w.state.Order[key.ID()] = schema.Place{After: id}
	return nil
}

// writeState puts the book's state.json into the transition.
func (w *work) writeState(tx *repo.Tx) error {
	if changed, ok := w.changedStates(); ok {
		if data, ok := schema.SpliceState(w.stateRaw, changed, w.state.Progress.CurrentChapter); ok {
			return tx.Write(schema.BookStatePath(w.name), data)
		}
	}
	if len(w.state.Order) == 0 {
		w.state.Order = nil
	}
	err := writeKeeping(tx, schema.BookStatePath(w.name), &w.state, w.stateRaw)
	if w.state.Order == nil {
		w.state.Order = map[string]schema.Place{}
	}
	return err
}

// changedStates gives the entries of state.json that differ from the last commit's, when nothing else in it does and no
// entry is gone.
func (w *work) changedStates() (map[string]schema.State, bool) {
	was := w.book.State
	if w.creating || w.state.Book != was.Book || !maps.Equal(w.state.Order, was.Order) {
		return nil, false
	}
	changed := map[string]schema.State{}
	kept := 0
	for id, st := range w.state.Progress.ChapterStatus {
		old, ok := was.Progress.ChapterStatus[id]
		if ok {
			kept++
		}
		if old != st {
			changed[id] = st
		}
	}
	return changed, kept == len(was.Progress.ChapterStatus) && len(changed) < 16
}

// message completes a commit message with the agent run that made it.
func (s *Session) message(m schema.Message) schema.Message {
	if run := s.o.Actor.Run; run != "" {
		m.Extra = append(m.Extra, schema.Trailer{Key: TrailerRun, Value: run})
	}
	return m
}
