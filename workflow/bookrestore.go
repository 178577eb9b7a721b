package workflow

import (
	"context"
	"path"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// BookRestoration says what came back.
type BookRestoration struct {
	Book      string         `json:"book"`
	From      string         `json:"from"` // the book's name in the trash branch
	Branch    string         `json:"branch"`
	Commit    string         `json:"commit"`
	Files     int            `json:"files"`
	Untracked []string       `json:"untracked,omitempty"` // untracked again, the ignored ones included
	Edited    []string       `json:"edited,omitempty"`    // with the edits that were not saved
	Notes     []schema.Text  `json:"notes,omitempty"`
	Next      []state.Action `json:"next,omitempty"`
}

// BookRestore brings a deleted book back, every byte of it: what was saved in one commit, edits that were not saved as
// edits, untracked files untracked (DESIGN 12, Trash). It overwrites nothing. With a name, the book comes back under that
// name, in its records too. The trash branch stays.
func (s *Session) BookRestore(ctx context.Context, branch, as string) (*BookRestoration, error) {
	t, err := s.lib.FindTrash(branch)
	if err != nil {
		return nil, err
	}
	if t.Kind != schema.TrashBook {
		return nil, notABook(t)
	}
	from, err := schema.StrictBookName(t.Book)
	if err != nil {
		return nil, err
	}
	to := from
	if as != "" {
		if to, err = schema.StrictBookName(as); err != nil {
			return nil, err
		}
	}
	lk, err := s.lib.LockBook(ctx, string(to))
	if err != nil {
		return nil, err
	}
	defer lk.Release()
	r := &BookRestoration{Book: string(to), From: string(from), Branch: t.Name}
	m := &mover{s: s, from: from, to: to}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		if err := s.restore(tx, t, m, r); err != nil {
			return err
		}
		msg := schema.Message{Verb: schema.VerbRestore, Book: string(to), Subject: "从 " + t.Name + " 还原"}
		msg.Extra = append(msg.Extra, schema.Trailer{Key: schema.TrailerFrom, Value: t.Commit.String()})
		tx.Message(s.message(msg))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	if err := m.finish(ctx); err != nil {
		return nil, err
	}
	if err := s.makeFolder(schema.BookDir(to)); err != nil {
		return nil, err
	}
	r.Next, err = s.bookNext(to)
	return r, err
}

// notABook tells what a trash branch holds instead.
func notABook(t *repo.TrashBranch) error {
	switch t.Kind {
	case schema.TrashChapter:
		return schema.Errorf(schema.CodeUsage, "%s holds chapter %s of %s, not a book", t.Name, t.Chapter, t.Book).
			WithHint("`git show %s` shows all of it; its text can be entered again with `git novel chapter new`", state.ShellWord(t.Name))
	case schema.TrashOther:
		return schema.Errorf(schema.CodeUsage, "%s was not made by git-novel and holds no book", t.Name).
			WithHint("`git show %s` shows it", state.ShellWord(t.Name))
	case schema.TrashBook, schema.TrashDamaged:
	}
	return schema.Errorf(schema.CodeUsage, "%s holds the bytes of damaged records, not a book", t.Name).
		WithHint("`git show %s` shows them", state.ShellWord(t.Name))
}

func (s *Session) restore(tx *repo.Tx, t *repo.TrashBranch, m *mover, r *BookRestoration) error {
	files, lost, err := s.lib.TrashFiles(t)
	if err != nil {
		return err
	}
	if err := s.freeFor(tx, m, files); err != nil {
		return err
	}
	if lost > 0 {
		r.Notes = append(r.Notes, schema.Textf("%d ignored files are not here: only the library where the book was deleted holds them", lost))
	}
	store := s.lib.Store()
	var plan []move
	for _, f := range files {
		mv := move{from: f.Path, mode: f.Mode, untracked: f.Untracked}
		if size, err := store.BlobSize(f.ID); err != nil {
			return err
		} else if size > repo.MaxFile {
			return schema.Errorf(schema.CodeInvalid, "%s has %d bytes; %d are allowed", f.Path, size, int64(repo.MaxFile))
		}
		if mv.data, err = store.Blob(f.ID); err != nil {
			return err
		}
		if !f.Saved.IsZero() {
			mv.edit, mv.work, mv.workMode, mv.mode = true, mv.data, f.Mode, f.Saved.Mode
			if mv.data, err = store.Blob(f.Saved.ID); err != nil {
				return err
			}
		}
		if f.Missing {
			r.Notes = append(r.Notes, schema.Textf("%s had been deleted on disk and is back as it was saved", f.Path))
		}
		plan = append(plan, mv)
	}
	if err := m.place(tx, plan); err != nil {
		return err
	}
	r.Files, r.Untracked, r.Edited = len(files), m.untracked, m.edited
	return nil
}

// freeFor refuses to restore over anything: a book of the name, or one that means the same; a folder that has anything in
// it; a file.
func (s *Session) freeFor(tx *repo.Tx, m *mover, files []repo.TrashFile) error {
	books, err := repo.Books(tx.Snapshot())
	if err != nil {
		return err
	}
	var faults []schema.Fault
	for _, b := range books {
		if b != m.to && schema.SameBook(b, m.to) {
			faults = append(faults, schema.Fault{File: schema.BookDir(b), Rule: "book-name", Msg: schema.Textf("is a book of the same name")})
		}
	}
	seen := map[string]bool{}
	for _, f := range files {
		p, err := m.path(f.Path)
		if err != nil {
			return err
		}
		// A folder of the book counts as a whole: old and new drafts must not mix.
		top := p
		if dir, ok := bookFolder(p, m.to); ok {
			top = dir
		}
		if seen[top] {
			continue
		}
		seen[top] = true
		taken, err := s.taken(tx, top)
		if err != nil {
			return err
		}
		if taken {
			faults = append(faults, schema.Fault{File: top, Rule: "exists", Msg: schema.Textf("is there already")})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeConflict, "%s cannot be restored as %s: something of that name is there, and nothing is overwritten", string(m.from), string(m.to)).
		WithHint("bring it back under another name with --as NAME, or move what is there away").WithDetails(faults...)
}

// bookFolder gives the folder of a book that a path lies in.
func bookFolder(p string, name schema.BookName) (string, bool) {
	for _, dir := range []string{
		schema.BookDir(name), schema.MaterialDir + "/" + string(name), schema.BookDataDir(name), schema.DraftDir(name), schema.TmpDir + "/" + string(name),
	} {
		if strings.HasPrefix(p, dir+"/") {
			return dir, true
		}
	}
	return "", false
}

// taken reports that a path, or anything below it, is on disk or in git. An empty folder is nothing.
func (s *Session) taken(tx *repo.Tx, p string) (bool, error) {
	if _, ok, err := tx.Snapshot().Blob(p); err != nil || ok {
		return ok, err
	}
	entries, err := tx.Snapshot().List(p)
	if err != nil || len(entries) > 0 {
		return len(entries) > 0, err
	}
	items, faults, err := s.lib.Items(tx.Snapshot(), nil, []string{p})
	if err == nil && len(items)+len(faults) == 0 {
		items, faults, err = s.lib.Items(tx.Snapshot(), []string{p}, nil)
	}
	return len(items)+len(faults) > 0, err
}

// move is one file that goes from the book's old place to its new one.
type move struct {
	from      string
	mode      gitstore.Mode
	data      []byte // as saved
	untracked bool
	edit      bool
	work      []byte // as it lies on disk, with edit
	workMode  gitstore.Mode
}

// mover puts the files of a book in place under its name, which may be another one than before.
type mover struct {
	s         *Session
	from, to  schema.BookName
	untracked []string
	edited    []string
	later     []repo.Placed // edits that need a second step
}

// path is where a file lies under the new name.
func (m *mover) path(p string) (string, error) {
	// Also under the same name: a branch from elsewhere must not bring files of other places along.
	next, ok := schema.RenameBookPath(p, m.from, m.to)
	if !ok {
		return "", schema.Errorf(schema.CodeInvalid, "%s is no file of the book %s", p, string(m.from))
	}
	return next, repo.CheckPath(next)
}

// content gives a record with the new name in it; texts, drafts and the author's notes stay as they are.
func (m *mover) content(p string, data []byte) ([]byte, error) {
	if m.from == m.to || path.Ext(p) != ".json" || !strings.HasPrefix(p, schema.DataDir+"/") || strings.HasPrefix(p, schema.DraftsDir+"/") {
		return data, nil
	}
	return schema.RenameBookIn(data, m.from, m.to)
}

func (m *mover) place(tx *repo.Tx, plan []move) error {
	var paths []string
	for _, mv := range plan {
		p, err := m.path(mv.from)
		if err != nil {
			return err
		}
		paths = append(paths, p)
	}
	edits := slices.ContainsFunc(plan, func(mv move) bool { return mv.edit })
	apart := edits && tx.Apart(paths)
	for i, mv := range plan {
		p := repo.Placed{Path: paths[i], Mode: mv.mode, Untracked: mv.untracked, Edit: mv.edit, WorkMode: mv.workMode}
		var err error
		if p.Data, err = m.content(mv.from, mv.data); err != nil {
			return err
		}
		if mv.edit {
			if p.Work, err = m.content(mv.from, mv.work); err != nil {
				return err
			}
			m.edited = append(m.edited, p.Path)
		}
		if mv.untracked {
			m.untracked = append(m.untracked, p.Path)
		}
		if apart && p.Edit {
			m.later = append(m.later, p)
			p.Edit = false
		}
		if err := tx.Place(p); err != nil {
			return err
		}
	}
	return nil
}

// finish puts edits on disk that could not go with the commit.
func (m *mover) finish(ctx context.Context) error {
	if len(m.later) == 0 {
		return nil
	}
	_, err := m.s.lib.Update(ctx, func(tx *repo.Tx) error {
		for _, p := range m.later {
			if err := tx.Overlay(p); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// bookNext is what may be done with a book now; for one without records, in the library.
func (s *Session) bookNext(name schema.BookName) ([]state.Action, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	books, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(books, name) {
		return s.libraryNext()
	}
	w, err := s.gatherBook(snap, name, false)
	if err != nil {
		return nil, err
	}
	return state.NextForBook(w.rules), nil
}
