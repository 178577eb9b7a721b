package workflow

import (
	"context"
	"fmt"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// tagChapters gives every acceptance its tag: novel/<book>/NNNN/rK at the commit of the K-th acceptance of that number in the
// history (DESIGN 12). Retracted chapters count, adopted ones have none, and a tag that is there is
// never moved.
func (s *Session) tagChapters(ctx context.Context, head schema.OID) error {
	have, err := s.lib.Store().Refs(repo.TagPrefix)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(have))
	for _, r := range have {
		known[r.Name] = true
	}
	line, err := lineOf(s.lib.Store(), head)
	if err != nil {
		return err
	}
	count := map[string]int{}
	missing := map[string]schema.OID{}
	var names []string
	parent := schema.OID{}
	for _, c := range line {
		accepted, err := s.acceptances(parent, c)
		if err != nil {
			return err
		}
		parent = c.Tree
		for _, a := range accepted {
			count[a]++
			name := fmt.Sprintf("%s/r%d", a, count[a])
			if !known[name] {
				missing[name] = c.ID
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err = s.lib.Update(ctx, func(tx *repo.Tx) error {
		for _, n := range names {
			if err := tx.Ref(n, schema.OID{}, missing[n]); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// acceptances lists the chapters, by the front of their tag names, that a commit accepted: a chapter commit of a new
// revision that is not an adoption. A commit of ours names its chapter and is asked about that one only; any other is read
// as a difference of trees.
func (s *Session) acceptances(parent schema.OID, c *gitstore.Commit) ([]string, error) {
	if m, ours := schema.ParseMessage(c.Message); ours && m.Book != "" {
		switch m.Verb {
		case schema.VerbCommit, schema.VerbRetcon:
			if m.ChapterID == "" {
				break
			}
			path := schema.CommitPath(schema.BookName(m.Book), m.ChapterID)
			old, _, err := s.lib.Store().Lookup(parent, path)
			if err != nil {
				return nil, err
			}
			now, _, err := s.lib.Store().Lookup(c.Tree, path)
			if err != nil {
				return nil, err
			}
			return s.accepted(schema.OID{}, gitstore.Change{Path: path, Old: old, New: now})
		case schema.VerbSave, schema.VerbReview, schema.VerbOverride, schema.VerbDraft, schema.VerbOutline, schema.VerbSummary,
			schema.VerbRename, schema.VerbTrash, schema.VerbRestore: // moved records are no new acceptance
			return nil, nil
		}
	}
	var out []string
	err := s.lib.Store().Diff(parent, c.Tree, schema.BooksDir, func(ch gitstore.Change) error {
		found, err := s.accepted(parent, ch)
		out = append(out, found...)
		return err
	})
	return out, err
}

// accepted judges one chapter commit that came or changed. One that comes back to a chapter which is committed was accepted
// before.
func (s *Session) accepted(parent schema.OID, ch gitstore.Change) ([]string, error) {
	p := schema.ParsePath(ch.Path)
	if p.Kind != schema.PathCommit || ch.New.IsZero() || ch.New.ID == ch.Old.ID {
		return nil, nil
	}
	now, err := s.commitAt(ch.New.ID, ch.Path)
	if err != nil || now == nil || now.Adopted() {
		return nil, err
	}
	if ch.Old.IsZero() {
		was, err := s.stateIn(parent, p.Book, p.ID)
		if err != nil || was == schema.StateCommitted {
			return nil, err
		}
	} else {
		before, err := s.commitAt(ch.Old.ID, ch.Path)
		if err != nil || before != nil && before.Revision == now.Revision {
			return nil, err
		}
	}
	return []string{repo.TagPrefix + schema.RefEscape(string(p.Book)) + "/" + schema.RefEscape(p.ID)}, nil
}

// stateIn is the word of a chapter in the state.json of a tree; none when that file cannot be read.
func (s *Session) stateIn(tree schema.OID, book schema.BookName, id string) (schema.State, error) {
	if tree.IsZero() {
		return schema.StateNone, nil
	}
	e, ok, err := s.lib.Store().Lookup(tree, schema.BookStatePath(book))
	if err != nil || !ok || !e.Mode.IsFile() {
		return schema.StateNone, err
	}
	data, err := s.lib.Store().Blob(e.ID)
	if err != nil {
		return schema.StateNone, err
	}
	var st schema.BookState
	if schema.Unmarshal(schema.BookStatePath(book), data, &st) != nil {
		return schema.StateNone, nil //nolint:nilerr // unreadable is an answer here
	}
	return st.Progress.ChapterStatus[id], nil
}

// commitAt reads a commit record from the history; nil when it cannot be read, which is verify's business.
func (s *Session) commitAt(id schema.OID, path string) (*schema.Commit, error) {
	data, err := s.lib.Store().Blob(id)
	if err != nil {
		return nil, err
	}
	rec := new(schema.Commit)
	if schema.Unmarshal(path, data, rec) != nil {
		return nil, nil //nolint:nilnil,nilerr // unreadable is an answer here
	}
	return rec, nil
}
