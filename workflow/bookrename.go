package workflow

import (
	"context"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// renamedFrom begins the subject of a rename's commit; the old name follows.
const renamedFrom = "原名 "

// BookRenaming says what a rename moved.
type BookRenaming struct {
	Book      string         `json:"book"`
	From      string         `json:"from"`
	Commit    string         `json:"commit"`
	Files     int            `json:"files"`
	Untracked []string       `json:"untracked,omitempty"`
	Edited    []string       `json:"edited,omitempty"` // edits that were not saved and still are not
	Next      []state.Action `json:"next,omitempty"`
}

// BookRename gives a book another name: its folders, its records, its summaries and its drafts, in one commit. States and
// evidence stay. Drafts that git had not taken yet go with the commit; other edits stay unsaved. Chapter tags keep the old
// name: they never move.
func (s *Session) BookRename(ctx context.Context, from, to string) (*BookRenaming, error) {
	old, err := schema.StrictBookName(from)
	if err != nil {
		return nil, err
	}
	name, err := schema.StrictBookName(to)
	if err != nil {
		return nil, err
	}
	if old == name {
		return nil, schema.Errorf(schema.CodeUsage, "the book is called %s already", string(name))
	}
	if schema.SameBook(old, name) {
		return nil, schema.Errorf(schema.CodeUsage, "%s and %s are one name: they differ by case, width or composition only", string(old), string(name)).
			WithHint("rename it to something else first")
	}
	for _, b := range []schema.BookName{old, name} {
		lk, err := s.lib.LockBook(ctx, string(b))
		if err != nil {
			return nil, err
		}
		defer lk.Release()
	}
	r := &BookRenaming{Book: string(name), From: string(old)}
	m := &mover{s: s, from: old, to: name}
	var entries []PlanEntry
	var staged []string
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) (err error) {
		entries, staged, err = s.renameBook(tx, m, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Commit, r.Untracked, r.Edited = res.Commit.String(), m.untracked, m.edited
	if err := m.finish(ctx); err != nil {
		return nil, err
	}
	s.lib.Unstage(staged)
	s.lib.RemoveEmptyDirs(entryDirs(entries))
	if err := s.lib.MoveDraftJournals(ctx, old, name); err != nil {
		return nil, err
	}
	if err := s.makeFolder(schema.BookDir(name)); err != nil {
		return nil, err
	}
	if s.o.Book == string(old) {
		s.o.Book = string(name)
	}
	r.Next, err = s.bookNext(name)
	return r, err
}

func (s *Session) renameBook(tx *repo.Tx, m *mover, r *BookRenaming) (entries []PlanEntry, staged []string, err error) {
	if _, err := repo.ReadBookState(s.lib, tx.Snapshot(), m.from); err != nil {
		return nil, nil, err
	}
	entries, faults, err := s.bookItems(tx.Snapshot(), m.from)
	if err != nil {
		return nil, nil, err
	}
	if err := cannotMove(m.from, faults); err != nil {
		return nil, nil, err
	}
	var items []repo.Item
	var targets []repo.TrashFile
	for _, e := range entries {
		items = append(items, e.items...)
		for i := range e.items {
			targets = append(targets, repo.TrashFile{Path: e.items[i].Path})
		}
	}
	if err := s.freeFor(tx, m, targets); err != nil {
		return nil, nil, renameTaken(err, m)
	}
	plan, err := s.movesOf(tx, items)
	if err != nil {
		return nil, nil, err
	}
	if staged, err = repo.TakeAway(tx, items); err != nil {
		return nil, nil, err
	}
	if err := m.place(tx, plan); err != nil {
		return nil, nil, err
	}
	r.Files = len(items)
	tx.Message(s.message(schema.Message{Verb: schema.VerbRename, Book: string(m.to), Subject: renamedFrom + string(m.from)}))
	return entries, staged, nil
}

func renameTaken(err error, m *mover) error {
	if schema.CodeOf(err) != schema.CodeConflict {
		return err
	}
	return schema.Errorf(schema.CodeConflict, "%s cannot be renamed to %s: something of that name is there, and nothing is overwritten", string(m.from), string(m.to)).
		WithHint("choose another name, or move what is there away").WithDetails(faultsOf(err)...)
}

// movesOf reads the files that move: what is saved, and what lies on disk where that differs. A draft goes as it lies there.
func (s *Session) movesOf(tx *repo.Tx, items []repo.Item) ([]move, error) {
	plan := make([]move, 0, len(items))
	for i := range items {
		it := &items[i]
		mv := move{from: it.Path, mode: it.Mode, untracked: !it.Tracked()}
		var err error
		if !it.Missing() {
			if mv.data, err = s.lib.ReadFile(it.Path); err != nil {
				return nil, err
			}
		}
		kind := schema.ParsePath(it.Path).Kind
		switch {
		case kind == schema.PathMirror || kind == schema.PathLedger:
			mv.untracked = mv.untracked && it.Ignored
		case it.Edited():
			mv.edit, mv.work, mv.workMode = true, mv.data, it.Mode
		}
		if it.Missing() || mv.edit {
			mv.mode = it.Head.Mode
			if mv.data, _, err = tx.Snapshot().Read(it.Path); err != nil {
				return nil, err
			}
		}
		if mv.mode == 0 {
			mv.mode = gitstore.ModeFile
		}
		plan = append(plan, mv)
	}
	return plan, nil
}
