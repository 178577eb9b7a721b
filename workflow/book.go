package workflow

import (
	"context"
	"slices"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// BookResult says what became of a book.
type BookResult struct {
	Book   string         `json:"book"`
	Commit string         `json:"commit"`
	Next   []state.Action `json:"next"`
}

// BookRow is one book of the library.
type BookRow struct {
	Book      string `json:"book"`
	Chapters  int    `json:"chapters"`
	Committed int    `json:"committed"`
	Current   int    `json:"current_chapter"`

	Faults []schema.Fault `json:"faults,omitempty"` // of a book whose state cannot be read
}

// BookNew starts an empty book. The name must be usable as it is; one that would have to be cleaned is refused with the
// clean form.
func (s *Session) BookNew(ctx context.Context, name string) (*BookResult, error) {
	book, err := schema.StrictBookName(name)
	if err != nil {
		return nil, err
	}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.startBook(tx.Snapshot(), book)
		if err != nil {
			return err
		}
		if err := w.writeState(tx); err != nil {
			return err
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbBook, Book: string(book), Subject: "新书"}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Git keeps no empty folder, and the author wants one to put chapters in.
	if err := s.makeFolder(schema.BookDir(book)); err != nil {
		return nil, err
	}
	s.o.Book = string(book)
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	return &BookResult{Book: string(book), Commit: res.Commit.String(), Next: state.NextForBook(w.rules)}, nil
}

// startBook is the work of a book that is not there yet.
func (s *Session) startBook(snap *repo.Snapshot, book schema.BookName) (*work, error) {
	books, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		if schema.FoldName(string(b)) == schema.FoldName(string(book)) {
			return nil, schema.Errorf(schema.CodeConflict, "there is a book %s already", string(b)).
				WithHint("`git novel status --book %s` shows it", state.ShellWord(string(b)))
		}
	}
	return s.gatherBook(snap, book, true)
}

// gatherOrStart is gather, and a book that was named and is not there is a new one.
func (s *Session) gatherOrStart(snap *repo.Snapshot) (*work, error) {
	book, err := schema.StrictBookName(s.o.Book)
	if err != nil {
		return nil, err
	}
	books, err := repo.Books(snap)
	if err != nil || slices.Contains(books, book) {
		return s.gather(snap)
	}
	return s.startBook(snap, book)
}

// BookList lists the books of the library.
func (s *Session) BookList(_ context.Context) ([]BookRow, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	books, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	rows := []BookRow{}
	for _, b := range books {
		st, err := repo.ReadBookState(s.lib, snap, b)
		if err != nil {
			rows = append(rows, BookRow{Book: string(b), Faults: faultsOf(err)})
			continue
		}
		row := BookRow{Book: string(b), Chapters: len(st.Progress.ChapterStatus), Current: st.Progress.CurrentChapter}
		for _, v := range st.Progress.ChapterStatus {
			if v == schema.StateCommitted {
				row.Committed++
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
