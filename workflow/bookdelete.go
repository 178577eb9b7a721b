package workflow

import (
	"context"
	"slices"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// BookDeleteInput is one deletion of a book, or of parts of it.
type BookDeleteInput struct {
	Book  string
	Keys  []string // of plan entries; none is everything
	Apply bool     // false: only show what would go
}

// BookDeletion says what goes, or went, to the trash.
type BookDeletion struct {
	Book    string         `json:"book"`
	Applied bool           `json:"applied"`
	Entries []PlanEntry    `json:"entries"`        // that go
	Kept    []string       `json:"kept,omitempty"` // keys that were not chosen
	Files   int            `json:"files"`
	Size    int64          `json:"size"` // bytes
	Unsaved []string       `json:"unsaved"`
	Faults  []schema.Fault `json:"faults,omitempty"` // what cannot be moved; a deletion is refused for it
	Branch  string         `json:"branch,omitempty"`
	Trash   string         `json:"trash_commit,omitempty"`
	Local   string         `json:"local_ref,omitempty"` // of the ignored files
	Commit  string         `json:"commit,omitempty"`
	Next    []state.Action `json:"next,omitempty"`
}

// BookDelete shows what belongs to a book, and with Apply moves it to a trash branch in one transaction (DESIGN 12, Trash).
// Unsaved and untracked files go along; ignored ones to a ref that is never pushed. Nothing of another book is touched,
// whatever its name.
func (s *Session) BookDelete(ctx context.Context, in BookDeleteInput) (*BookDeletion, error) {
	name, err := schema.StrictBookName(in.Book)
	if err != nil {
		return nil, err
	}
	if !in.Apply {
		snap, err := s.lib.Snapshot()
		if err != nil {
			return nil, err
		}
		return s.planDeletion(snap, name, in.Keys)
	}
	lk, err := s.lib.LockBook(ctx, string(name))
	if err != nil {
		return nil, err
	}
	defer lk.Release()
	var r *BookDeletion
	var moved *repo.TrashedItems
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) (err error) {
		if r, err = s.planDeletion(tx.Snapshot(), name, in.Keys); err != nil {
			return err
		}
		if err := cannotMove(name, r.Faults); err != nil {
			return err
		}
		moved, err = s.trashBook(tx, name, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.lib.Unstage(moved.Staged)
	s.lib.RemoveEmptyDirs(entryDirs(r.Entries))
	r.Applied, r.Branch, r.Local = true, moved.Branch, moved.Local
	r.Commit, r.Trash = res.Commit.String(), res.Sides["refs/heads/"+moved.Branch].String()
	if s.o.Book == string(name) {
		s.o.Book = ""
	}
	r.Next, err = s.libraryNext()
	return r, err
}

func (s *Session) trashBook(tx *repo.Tx, name schema.BookName, r *BookDeletion) (*repo.TrashedItems, error) {
	var items []repo.Item
	for _, e := range r.Entries {
		items = append(items, e.items...)
	}
	m := schema.Message{Verb: schema.VerbTrash, Book: string(name), Subject: "整书移入回收分支"}
	if len(r.Kept) > 0 {
		m.Subject = "移入回收分支：" + joined(keysOf(r.Entries))
	}
	moved, err := repo.TrashItems(tx, repo.TrashInput{
		Name: string(name), Kind: schema.TrashBook, At: s.lib.Now(), Message: s.message(m).String(),
	}, items)
	if err != nil {
		return nil, err
	}
	m.Subject = "移至 " + moved.Branch
	tx.Message(s.message(m))
	return moved, nil
}

// planDeletion lists what goes.
func (s *Session) planDeletion(snap *repo.Snapshot, name schema.BookName, keys []string) (*BookDeletion, error) {
	all, faults, err := s.bookItems(snap, name)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(e PlanEntry) bool { return e.Files > e.Ignored }) {
		known, err := s.bookNames(snap)
		if err != nil {
			return nil, err
		}
		return nil, schema.Errorf(schema.CodeNotFound, "there is no book %s", string(name)).
			WithHint("the books are: %s; deleted ones are listed by `git novel book trash`", joinNames(known))
	}
	r := &BookDeletion{Book: string(name), Entries: all, Unsaved: []string{}, Faults: faults}
	if len(keys) > 0 {
		if err := r.choose(keys); err != nil {
			return nil, err
		}
	}
	for _, e := range r.Entries {
		r.Files += e.Files
		r.Size += e.Size
		r.Unsaved = append(r.Unsaved, e.Unsaved...)
	}
	return r, nil
}

// choose leaves the entries of these keys. The texts, the records and the summaries of a book that has records prove each
// other, so they only go together; drafts and what an older tool left go by themselves.
func (r *BookDeletion) choose(keys []string) error {
	var unknown []schema.Fault
	for _, k := range keys {
		if !slices.Contains(keysOf(r.Entries), k) {
			unknown = append(unknown, schema.Fault{Field: k, Rule: "plan-key", Msg: schema.Textf("is no part of this book")})
		}
	}
	if len(unknown) > 0 {
		return schema.Errorf(schema.CodeUsage, "some keys are not in the plan").WithDetails(unknown...).
			WithHint("the keys are: %s", joined(keysOf(r.Entries)))
	}
	core := []string{EntryBook, EntryRecords, "data:summaries"}
	var going, staying []string
	var rest []PlanEntry
	for _, e := range r.Entries {
		chosen := slices.Contains(keys, e.Key)
		switch {
		case !slices.Contains(core, e.Key):
		case chosen:
			going = append(going, e.Key)
		default:
			staying = append(staying, e.Key)
		}
		if chosen {
			rest = append(rest, e)
		} else {
			r.Kept = append(r.Kept, e.Key)
		}
	}
	proven := slices.Contains(going, EntryRecords) || slices.Contains(staying, EntryRecords)
	if proven && len(going) > 0 && len(staying) > 0 {
		return schema.Errorf(schema.CodeRule, "%s cannot go without %s: texts, records and summaries prove each other", joined(going), joined(staying)).
			WithHint("leave out --key to delete the whole book, or choose among: %s", joined(apart(r.Kept, rest, core)))
	}
	r.Entries = rest
	return nil
}

// apart lists the keys that may go by themselves.
func apart(kept []string, rest []PlanEntry, core []string) []string {
	var out []string
	for _, k := range append(slices.Clone(kept), keysOf(rest)...) {
		if !slices.Contains(core, k) {
			out = append(out, k)
		}
	}
	return out
}
