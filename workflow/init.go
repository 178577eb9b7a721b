package workflow

import (
	"context"
	"fmt"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/manuscript"
	"git-novel/workflow/review"
	"git-novel/workflow/state"
)

// AdoptedBook is a book that `init` took in as it was.
type AdoptedBook struct {
	Book     string `json:"book"`
	Chapters int    `json:"chapters"`
	Chars    int    `json:"chars"` // UTF-16 units
}

// InitResult says what `init` did.
type InitResult struct {
	Root     string         `json:"root"`
	Branch   string         `json:"branch"`
	Created  bool           `json:"repository_created"`
	Books    []AdoptedBook  `json:"books"`
	Commit   string         `json:"commit,omitempty"`
	Warnings []schema.Text  `json:"warnings,omitempty"`
	Next     []state.Action `json:"next"`
	Notices  []schema.Text  `json:"-"`
}

// Init makes a library in a folder, or adopts what is there, in one commit. Running it again does nothing. A non-empty
// sub-folder of somebody's repository is refused.
func Init(ctx context.Context, o Options, dir string) (*InitResult, error) {
	s := &Session{o: o}
	lib, made, err := repo.InitWith(ctx, dir, repo.InitOptions{Options: o.repo(s.notice)})
	if err != nil {
		return nil, err
	}
	s.lib = lib
	defer lib.Close()
	r := &InitResult{Root: lib.Root(), Created: made.Created, Books: []AdoptedBook{}}
	res, err := lib.Update(ctx, func(tx *repo.Tx) error { return s.initialise(tx, r) })
	if err != nil {
		lib.UndoInit(made)
		return nil, err
	}
	if res.Changed {
		r.Commit = res.Commit.String()
	}
	head, err := lib.Store().Head()
	if err != nil {
		return nil, err
	}
	r.Branch, r.Notices = shortRef(head.Ref), s.notices
	r.Next, err = s.libraryNext()
	return r, err
}

// initialise writes what a library needs and adopts every folder of novels/ that is no book yet.
func (s *Session) initialise(tx *repo.Tx, r *InitResult) error {
	if err := tx.TakeBlocks(); err != nil {
		return err
	}
	for path, data := range map[string][]byte{
		schema.ConfigPath:       []byte(initialConfig),
		schema.LibraryStatePath: []byte("{}\n"),
		schema.AIFlavorPath:     []byte(review.DefaultFlavorText),
	} {
		if err := s.ensure(tx, path, data); err != nil {
			return err
		}
	}
	folders, err := s.lib.Folders(tx.Snapshot())
	if err != nil {
		return err
	}
	var books []*intake
	var faults []schema.Fault
	for _, f := range folders {
		a, bad, err := s.intake(tx.Snapshot(), f, r)
		if err != nil {
			return err
		}
		faults = append(faults, bad...)
		if a != nil {
			books = append(books, a)
		}
	}
	if len(faults) > 0 {
		return schema.Errorf(schema.CodeInvalid, "what lies in %s cannot be adopted as it is", schema.NovelsDir).WithDetails(faults...).
			WithHint("keep one UTF-8 text file for each chapter and no links, then run `git novel init` again; `git novel import` reads other encodings")
	}
	for _, a := range books {
		if err := s.adoptBook(tx, a, r); err != nil {
			return err
		}
	}
	m := schema.Message{Verb: schema.VerbInit, Subject: "书库"}
	if len(r.Books) > 0 {
		chapters := 0
		for _, b := range r.Books {
			chapters += b.Chapters
		}
		m = schema.Message{Verb: schema.VerbAdopt, Subject: fmt.Sprintf("收入 %d 部书 %d 章", len(r.Books), chapters)}
		if len(r.Books) == 1 {
			m.Book = r.Books[0].Book
			m.Subject = fmt.Sprintf("收入 %d 章", chapters)
		}
	}
	tx.Message(m)
	return nil
}

// initialConfig is the library's first config.toml.
const initialConfig = `# git-novel: settings of this library. ` + "`git novel config list`" + ` shows them all, ` + "`config explain KEY`" + ` tells what one does.
rules = 1
`

// ensure writes a file of ours that is not there yet; one that is there, on disk or in git, is the author's and is taken
// into the commit as it is.
func (s *Session) ensure(tx *repo.Tx, path string, data []byte) error {
	if _, err := s.lib.ReadFile(path); err == nil {
		_, err = tx.Take(path)
		return err
	} else if schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	if _, ok, err := tx.Snapshot().Blob(path); err != nil || ok {
		return err
	}
	return tx.Write(path, data)
}

// intake is a folder that is about to become a book.
type intake struct {
	w        *work
	chapters []adopted
}

// intake looks at a folder: what its chapters are, and what speaks against taking them in. A folder whose name no book can
// have is left alone, with a warning.
func (s *Session) intake(snap *repo.Snapshot, folder string, r *InitResult) (*intake, []schema.Fault, error) {
	name, err := schema.StrictBookName(folder)
	if err != nil {
		r.Warnings = append(r.Warnings, schema.Textf("the folder %s/%s cannot be a book: %s", schema.NovelsDir, folder, err.Error()))
		return nil, nil, nil
	}
	w, err := s.gatherBook(snap, name, true)
	if err != nil {
		return nil, nil, err
	}
	faults := w.fileFaults()
	a := &intake{w: w}
	for _, c := range w.rules.Chapters {
		text, err := s.lib.ReadFile(c.Path)
		if err == nil {
			err = checkText(c.Path, text)
		}
		if err != nil {
			if schema.CodeOf(err) != schema.CodeInvalid {
				return nil, nil, err
			}
			faults = append(faults, faultOf(c.Path, err)...)
			continue
		}
		if blank(text) {
			r.Warnings = append(r.Warnings, schema.Textf("%s is blank and was not taken in", c.Path))
			continue
		}
		a.chapters = append(a.chapters, adopted{key: c.Key, path: c.Path, text: text})
	}
	return a, faults, nil
}

// adoptBook takes a folder in as a book, with what an older tool left for it.
func (s *Session) adoptBook(tx *repo.Tx, a *intake, r *InitResult) error {
	b := AdoptedBook{Book: string(a.w.name), Chapters: len(a.chapters)}
	for _, c := range a.chapters {
		b.Chars += schema.UTF16Len(string(c.text))
	}
	a.w.places(a.chapters)
	if err := adopt(tx, a.w, a.chapters); err != nil {
		return err
	}
	if err := s.takeOld(tx, a.w); err != nil {
		return err
	}
	r.Books = append(r.Books, b)
	return nil
}

// places gives the unnumbered chapters of an adopted folder their places: those that open a book by their nature before the
// first chapter, the others behind the last, each kind in its order.
func (w *work) places(chapters []adopted) {
	front, back := repo.FrontID, repo.FrontID
	for _, c := range chapters {
		if _, numbered := c.key.Number(); numbered {
			back = c.key.ID()
		}
	}
	for _, c := range chapters {
		if _, numbered := c.key.Number(); numbered {
			continue
		}
		last := &back
		if manuscript.IsFront(string(c.key)) {
			last = &front
		}
		w.state.Order[c.key.ID()] = schema.Place{After: *last}
		*last = c.key.ID()
	}
}

// takeOld brings what an older tool left for the book into git: summaries, mirrors and ledgers.
func (s *Session) takeOld(tx *repo.Tx, w *work) error {
	paths := []string{schema.SummariesPath(w.name)}
	drafts, err := s.lib.ListFiles(schema.DraftDir(w.name))
	if err != nil {
		return err
	}
	for _, p := range append(paths, drafts...) {
		if _, err := s.lib.FileBlob(p); err != nil {
			if schema.CodeOf(err) == schema.CodeNotFound {
				continue
			}
			return err
		}
		if _, err := tx.Take(p); err != nil {
			return err
		}
	}
	return nil
}

// libraryNext is what may be done in the library as a whole.
func (s *Session) libraryNext() ([]state.Action, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	books, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	if len(books) == 1 {
		w, err := s.gatherBook(snap, books[0], false)
		if err != nil {
			return nil, err
		}
		return state.NextForBook(w.rules), nil
	}
	if len(books) > 1 {
		return []state.Action{{Command: "git novel status", Why: schema.Textf("shows every book")}}, nil
	}
	return []state.Action{
		{Kind: state.KindStart, Command: "git novel book new NAME", Why: schema.Textf("starts an empty book")},
		{Kind: state.KindAdopt, Command: "git novel import PATH --book NAME", Why: schema.Textf("takes in a whole novel")},
	}, nil
}

func shortRef(ref string) string {
	const heads = "refs/heads/"
	if len(ref) > len(heads) && ref[:len(heads)] == heads {
		return ref[len(heads):]
	}
	return ref
}
