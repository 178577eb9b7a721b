package workflow

import (
	"context"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// Board is where everything in a library stands.
type Board struct {
	Root   string        `json:"root"`
	Branch string        `json:"branch"`
	Books  []BookBoard   `json:"books"`
	Backup BackupFacts   `json:"backup"`
	Notes  []schema.Text `json:"notes,omitempty"`
}

// BookBoard is where one book stands.
type BookBoard struct {
	Book       string         `json:"book"`
	Current    int            `json:"current_chapter"`
	Counts     Counts         `json:"counts"`
	Chapters   []ChapterRow   `json:"chapters"`
	Debt       []string       `json:"debt"` // chapters whose write-back is owed
	Foreign    []string       `json:"foreign"`
	Others     []string       `json:"others"` // files that are no chapters and travel with the book
	Faults     []schema.Fault `json:"faults"`
	DraftsDue  []string       `json:"drafts_due"` // mirrors with segments that are not in git yet
	Next       []state.Action `json:"next"`
	AllAdopted bool           `json:"all_adopted"`
}

// Counts are the numbers of a book. Foreign files are not counted.
type Counts struct {
	Chapters  int `json:"chapters"`
	Chars     int `json:"chars"` // UTF-16 units
	Drafted   int `json:"drafted"`
	Reviewed  int `json:"reviewed"`
	Committed int `json:"committed"`
	Adopted   int `json:"adopted"`
	Stale     int `json:"stale"`
	Blocked   int `json:"blocked"`
}

// Status gives the board. It reads only; a book that cannot be read is shown with its fault, and the others stay readable.
func (s *Session) Status(_ context.Context) (*Board, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	head, err := s.lib.Store().Head()
	if err != nil {
		return nil, err
	}
	books, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	b := &Board{Root: s.lib.Root(), Branch: shortRef(head.Ref), Books: []BookBoard{}}
	if head.Detached {
		b.Notes = append(b.Notes, schema.Textf("HEAD is detached: nothing can be committed until a branch is checked out (git switch BRANCH)"))
	}
	if op, busy := s.lib.Store().Busy(); busy {
		b.Notes = append(b.Notes, schema.Textf("a %s is under way: finish it first", op))
	}
	var unsaved []string
	for _, name := range books {
		if s.o.Book != "" && string(name) != s.o.Book {
			continue
		}
		w, err := s.gatherBook(snap, name, false)
		if err != nil {
			b.Books = append(b.Books, brokenBoard(name, err))
			continue
		}
		board, err := w.board(len(books) > 1)
		if err != nil {
			return nil, err
		}
		b.Books = append(b.Books, board)
		unsaved = append(unsaved, w.unsaved()...)
	}
	if s.o.Book != "" && len(b.Books) == 0 {
		_, err := s.bookName(snap)
		return nil, err
	}
	folders, err := s.lib.Folders(snap)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		b.Notes = append(b.Notes, schema.Textf("%s/%s is no book yet: `git novel init` takes it in", schema.NovelsDir, f))
	}
	b.Backup, err = s.backupFacts(unsaved)
	return b, err
}

func (w *work) board(several bool) (BookBoard, error) {
	w.rules.NeedsFlag = several
	b := BookBoard{
		Book: string(w.name), Current: w.rules.Current(), Chapters: make([]ChapterRow, 0, len(w.rules.Chapters)), Debt: []string{}, Foreign: []string{},
		Others: w.others(), Faults: append([]schema.Fault{}, w.fileFaults()...), DraftsDue: w.draftsDue(), AllAdopted: w.rules.AllAdopted(),
	}
	for _, c := range w.rules.Chapters {
		row := w.row(c)
		b.Chapters = append(b.Chapters, row)
		b.Counts.add(row)
		if row.Foreign {
			b.Foreign = append(b.Foreign, row.Path)
		}
	}
	for _, c := range w.rules.Debts() {
		b.Debt = append(b.Debt, string(c.Key))
	}
	b.Next = state.NextForBook(w.rules)
	damaged, repair, err := w.damagedFiles()
	if err != nil {
		return BookBoard{}, err
	}
	b.Faults = append(b.Faults, damaged...)
	if repair {
		b.Next = append([]state.Action{recoverAction(w.name)}, b.Next...)
	}
	return b, nil
}

func (n *Counts) add(r ChapterRow) {
	if r.State == nil {
		return
	}
	n.Chapters++
	n.Chars += r.Chars
	switch *r.State {
	case schema.StateDrafted:
		n.Drafted++
	case schema.StateReviewed:
		n.Reviewed++
	case schema.StateCommitted:
		n.Committed++
	case schema.StateNone:
	}
	if r.Adopted {
		n.Adopted++
	}
	if r.Stale {
		n.Stale++
	}
	if r.Blocked {
		n.Blocked++
	}
}

// brokenBoard shows a book whose state cannot be read.
func brokenBoard(name schema.BookName, err error) BookBoard {
	return BookBoard{
		Book: string(name), Chapters: []ChapterRow{}, Debt: []string{}, Foreign: []string{}, Others: []string{}, DraftsDue: []string{},
		Faults: faultsOf(err),
		Next:   []state.Action{recoverAction(name)},
	}
}

func recoverAction(name schema.BookName) state.Action {
	return state.Action{
		Kind: state.KindRecover, Command: "git novel recover --book " + state.ShellWord(string(name)), Why: schema.Textf("brings back the last good state"), Owed: true,
	}
}
