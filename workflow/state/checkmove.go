package state

import (
	"bytes"
	"maps"
	"slices"

	"git-novel/schema"
)

// remember keeps a book that was deleted, as it was before. Check's State shares what did not change, so the map is copied.
func (s *State) remember(b *bookState) {
	gone := maps.Clone(s.gone)
	if gone == nil {
		gone = map[schema.BookName]*bookState{}
	}
	gone[b.name] = b
	s.gone = gone
}

// Remember takes the books of a tree that one of the commits before deleted into a State that Load made: whoever judges a
// restore without folding the whole history must show the checker what was deleted.
func (s *State) Remember(tree Tree, blobs Blobs) error {
	old, _, err := Load(tree, blobs)
	if err != nil {
		return err
	}
	for _, b := range old.books {
		if b.exists() {
			b.from = tree
			s.remember(b)
		}
	}
	return nil
}

// carries reports a chapter of a book that comes into being which is, text, state and evidence, a chapter of a book that
// this very commit takes away (`book rename`) or that was deleted before (`book restore`). Its state was proven then: what
// the rules or the author changed since takes nothing from it. Only the name of the book may differ in its records.
func (b *bookCheck) carries(cc *chapterCheck, claim schema.State) bool {
	if b.was.exists() || cc.was.State != schema.StateNone || b.audit {
		return false
	}
	return slices.ContainsFunc(b.sources(), func(old *bookState) bool {
		f, ok := old.find(cc.is.id)
		return ok && f.State == claim && f.Text == cc.is.Text && b.sameRecords(old, f, cc.is)
	})
}

// sources are the books that this one may have been. A commit can bring in thousands of chapters, and each asks.
func (b *bookCheck) sources() []*bookState {
	if b.looked {
		return b.from
	}
	b.looked = true
	for _, name := range slices.Sorted(maps.Keys(b.old.gone)) {
		b.from = append(b.from, b.old.gone[name])
	}
	for _, ch := range b.step.Changes {
		p := schema.ParsePath(ch.Path)
		if p.Kind == schema.PathBookState && ch.New.IsZero() && p.Book != b.name {
			if old, ok := b.old.books[p.Book]; ok {
				b.from = append(b.from, old)
			}
		}
	}
	return b.from
}

// sameRecords reports that a chapter has the records that it had in another book.
func (b *bookCheck) sameRecords(old *bookState, was, is *folded) bool {
	before, ok := b.recordsOf(old, was)
	if !ok {
		return false
	}
	for which := range is.records {
		x, y := before[which], is.records[which]
		if x == y {
			continue
		}
		if x.IsZero() || y.IsZero() || old.name == b.name {
			return false
		}
		a, okA := b.read(x)
		c, okC := b.read(y)
		if !okA || !okC {
			return false
		}
		if renamed, err := schema.RenameBookIn(a, old.name, b.name); err != nil || !bytes.Equal(renamed, c) {
			return false
		}
	}
	return true
}

// recordsOf gives the records of a chapter before the commit, looked up when it comes from Load.
func (b *bookCheck) recordsOf(book *bookState, f *folded) (recordIDs, bool) {
	if !f.pending {
		return f.records, true
	}
	tree := b.step.Parent
	if book.from != nil {
		tree = book.from
	}
	if tree == nil || b.err != nil {
		return recordIDs{}, false
	}
	var out recordIDs
	for which := range out {
		id, ok, err := tree.Blob(recordPath(book.name, f.id, which))
		if err != nil {
			b.err = err
			return recordIDs{}, false
		}
		if ok {
			out[which] = id
		}
	}
	return out, true
}
