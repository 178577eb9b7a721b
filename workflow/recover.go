package workflow

import (
	"context"
	"slices"

	"git-novel/repo"
	"git-novel/schema"
)

// RecoverResult says what was repaired.
type RecoverResult struct {
	Done   []schema.Text `json:"done"`
	Trash  []string      `json:"trash,omitempty"` // branches that hold the damaged bytes
	Commit string        `json:"commit,omitempty"`
}

// TrailerDamaged names, on a trash branch of `recover`, a file whose damaged bytes it keeps. It tells such a branch from a
// deleted book's.
const TrailerDamaged = "Novel-Damaged"

// Recover brings back what is missing or damaged: chapter files that were deleted by hand or by a commit, tracked files
// that cannot be read, and a state.json that differs from what the records say. Damaged bytes go to a trash branch first. It
// never moves a state beyond what the evidence proves. With a chapter it looks at that one only.
func (s *Session) Recover(ctx context.Context, chapter string) (*RecoverResult, error) {
	r := &RecoverResult{Done: []schema.Text{}}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		doctors, err := s.doctors(tx, chapter)
		if err != nil {
			return err
		}
		m := schema.Message{Verb: schema.VerbRestore, Subject: "修复记录"}
		touched := 0
		for _, d := range doctors {
			if err := d.treat(ctx); err != nil {
				return err
			}
			if len(d.done) > 0 {
				touched++
				m.Book = string(d.book)
			}
			r.Done = append(r.Done, d.done...)
			r.Trash = append(r.Trash, d.trash...)
		}
		if touched > 1 {
			m.Book = ""
		}
		tx.Message(s.message(m))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(res.Paths) > 0 {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

// doctors are at work on the library's own files and on each book, or on one chapter.
func (s *Session) doctors(tx *repo.Tx, chapter string) ([]*doctor, error) {
	books, err := s.patients(tx.Snapshot())
	if err != nil {
		return nil, err
	}
	if chapter != "" {
		key, err := schema.ParseChapterKey(chapter)
		if err != nil {
			return nil, err
		}
		if len(books) != 1 {
			return nil, schema.Errorf(schema.CodeUsage, "the library has %d books: say which one with --book", len(books)).
				WithHint("the books are: %s", joinNames(books))
		}
		return []*doctor{newDoctor(s, tx, books[0], key)}, nil
	}
	var list []*doctor
	if s.o.Book == "" {
		list = append(list, newDoctor(s, tx, "", ""))
	}
	for _, b := range books {
		list = append(list, newDoctor(s, tx, b, ""))
	}
	return list, nil
}

// patients are the books that the command is about: those that are there, and those whose state.json is gone while their
// records are not.
func (s *Session) patients(snap *repo.Snapshot) ([]schema.BookName, error) {
	entries, err := snap.List(schema.BooksDir)
	if err != nil {
		return nil, err
	}
	var books []schema.BookName
	for _, e := range entries {
		if !e.IsDir() || !schema.IsBookName(e.Name) {
			continue
		}
		name := schema.BookName(e.Name)
		_, alive, err := snap.Blob(schema.BookStatePath(name))
		if err != nil {
			return nil, err
		}
		records, err := snap.List(schema.RecordsDir(name))
		if err != nil {
			return nil, err
		}
		if alive || len(records) > 0 {
			books = append(books, name)
		}
	}
	if s.o.Book == "" {
		return books, nil
	}
	name, err := schema.StrictBookName(s.o.Book)
	if err != nil {
		return nil, err
	}
	if slices.Contains(books, name) {
		return []schema.BookName{name}, nil
	}
	_, err = s.bookName(snap)
	return nil, err
}
