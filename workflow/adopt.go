package workflow

import (
	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// adopted is one chapter that enters a book as it is.
type adopted struct {
	key   schema.ChapterKey
	path  string
	text  []byte
	write bool // the file is not on disk yet
}

// adopt enters chapters as committed, each with a commit.json that says so and binds its text, without review evidence
// (DESIGN 5, Adopted). It writes the book's state too.
func adopt(tx *repo.Tx, w *work, chapters []adopted) error {
	for _, a := range chapters {
		d := w.rules.Decide(a.key, state.AdoptEvent{Creating: w.creating, Blank: blank(a.text)})
		if err := d.Error(schema.Textf("chapter %s cannot be adopted", string(a.key))); err != nil {
			return err
		}
		if a.write {
			if err := tx.Write(a.path, a.text); err != nil {
				return err
			}
		} else if _, err := tx.Take(a.path); err != nil {
			return err
		}
		rec := &schema.Commit{
			Schema: schema.SchemaCommit, Book: string(w.name), Chapter: a.key.ID(), Revision: 1, Status: StatusAccepted,
			Origin: schema.OriginAdopted, Text: bind(a.path, a.text),
		}
		if err := writeRecord(tx, schema.CommitPath(w.name, a.key.ID()), rec); err != nil {
			return err
		}
		w.state.Progress.ChapterStatus[a.key.ID()] = schema.StateCommitted
	}
	w.count()
	return w.writeState(tx)
}
