package workflow

import (
	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// lookAt finds one chapter for a question about its text. A chapter that has a number, a state and one file is looked at
// alone (DESIGN 5, Notice); for every other word the book is gathered. What the rules would say of other chapters is not
// known in the first case: it is for reading only.
func (s *Session) lookAt(arg string) (*work, *state.Chapter, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	name, err := s.bookName(snap)
	if err != nil {
		return nil, nil, err
	}
	key, err := schema.ParseChapterKey(arg)
	if err != nil {
		return nil, nil, err
	}
	if _, numbered := key.Number(); numbered {
		if w, c, ok := s.lookAtFile(snap, name, key); ok {
			return w, c, nil
		}
	}
	w, err := s.gatherBook(snap, name, false)
	if err != nil {
		return nil, nil, err
	}
	c, err := w.resolve(arg)
	return w, c, err
}

// lookAtFile is false when the chapter is not as plain as that.
func (s *Session) lookAtFile(snap *repo.Snapshot, name schema.BookName, key schema.ChapterKey) (*work, *state.Chapter, bool) {
	f, err := repo.LoadChapter(s.lib, snap, name, key)
	if err != nil || f.Foreign() || f.Missing || f.Duplicate {
		return nil, nil, false
	}
	commit, err := repo.CommitRecord(snap, name, key)
	if err != nil {
		return nil, nil, false
	}
	c := &state.Chapter{Key: key, State: f.State, Path: f.Path, Text: f.WorkBlob, Unsaved: f.Edited, Commit: state.CommitOf(commit)}
	w := &work{s: s, snap: snap, name: name, titles: map[schema.ChapterKey]string{key: f.Title}}
	w.rules = state.NewBook(name, state.DefaultRules(), []*state.Chapter{c})
	return w, c, true
}
