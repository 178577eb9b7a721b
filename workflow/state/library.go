package state

import (
	"cmp"
	"maps"
	"slices"

	"git-novel/schema"
)

// State is what the history up to one commit amounts to: each chapter's state, and digests of the records that are its
// evidence. It is immutable: Check gives a new one that shares everything that did not change.
type State struct {
	Rules  Rules
	config schema.OID
	books  map[schema.BookName]*bookState
	// gone are the books that were deleted, as they were. One that is restored needs no evidence beyond having been here.
	gone map[schema.BookName]*bookState
}

// NewState is the state before the first commit.
func NewState() *State { return &State{Rules: DefaultRules(), books: map[schema.BookName]*bookState{}} }

// Books names the books in their order.
func (s *State) Books() []schema.BookName {
	var names []schema.BookName
	for _, n := range slices.Sorted(maps.Keys(s.books)) {
		if s.books[n].exists() {
			names = append(names, n)
		}
	}
	return names
}

// library tells that there is a library: its settings, or the state of a book.
func (s *State) library() bool { return !s.config.IsZero() || len(s.Books()) > 0 }

// Chapters lists what the fold knows of a book's chapters: numbered ones by number, then the others by key. Foreign files
// are left out. The values must not be changed.
func (s *State) Chapters(book schema.BookName) []*Chapter {
	b, ok := s.books[book]
	if !ok {
		return nil
	}
	out := make([]*Chapter, 0, len(b.numbered)+len(b.others))
	for _, list := range [][]*folded{b.numbered, b.others} {
		for _, c := range list {
			if c.State != schema.StateNone {
				out = append(out, &c.Chapter)
			}
		}
	}
	return out
}

// Current is the highest committed number of a book.
func (s *State) Current(book schema.BookName) int {
	if b, ok := s.books[book]; ok {
		return b.current()
	}
	return 0
}

// bookState is one book of a State.
type bookState struct {
	name      schema.BookName
	stateID   schema.OID  // of state.json; zero when the book does not exist
	status    *statusFile // nil when it was not read or could not be
	summaries schema.OID
	mirrors   int       // draft mirrors
	numbered  []*folded // with a state, by number
	others    []*folded // unnumbered ones, and those of state none that have a file or a record, by id
	from      Tree      // of a deleted book that Remember loaded: where its records can be looked up
}

// folded is a chapter as the checker carries it: the facts, and what they were read from. It is never changed once it
// stands in a bookState.
type folded struct {
	Chapter
	id      string
	files   []textFile
	records recordIDs
	claimed schema.State // the word in state.json, StateNone without one
	pending bool         // records and digests were not read yet (Load)
}

// textFile is a chapter file.
type textFile struct {
	path string
	id   schema.OID
}

// The record files of a chapter and their places in folded.records.
const (
	recOutline = iota
	recReview
	recRecheck
	recCommit
)

// recordIDs are the blob ids of a chapter's record files.
type recordIDs [4]schema.OID

func (b *bookState) exists() bool { return !b.stateID.IsZero() }

// empty reports that nothing of the book is left.
func (b *bookState) empty() bool {
	return !b.exists() && len(b.numbered) == 0 && len(b.others) == 0 && b.summaries.IsZero() && b.mirrors == 0
}

// clone copies the lists, which are shared with the state before.
func (b *bookState) clone() *bookState {
	c := *b
	c.numbered, c.others = slices.Clone(b.numbered), slices.Clone(b.others)
	return &c
}

func (b *bookState) highest() (n int, ok bool) {
	if len(b.numbered) == 0 {
		return 0, false
	}
	return number(b.numbered[len(b.numbered)-1]), true
}

func (b *bookState) current() int {
	for _, c := range slices.Backward(b.numbered) {
		if c.State == schema.StateCommitted {
			return number(c)
		}
	}
	return 0
}

func byID(c *folded, id string) int { return cmp.Compare(c.id, id) }

// find gives the chapter of an id.
func (b *bookState) find(id string) (*folded, bool) {
	key := schema.KeyOfID(id)
	if n, ok := key.Number(); ok {
		if i, found := search(b.numbered, n); found {
			return b.numbered[i], true
		}
	}
	if i, found := slices.BinarySearchFunc(b.others, id, byID); found {
		return b.others[i], true
	}
	return nil, false
}

// put replaces, adds or, when nothing is left of it, removes a chapter. b must be a clone.
func (b *bookState) put(c *folded) {
	n, isNumber := c.Number()
	if isNumber {
		i, found := search(b.numbered, n)
		switch in := c.State != schema.StateNone; {
		case found && in:
			b.numbered[i] = c
		case found:
			b.numbered = slices.Delete(b.numbered, i, i+1)
		case in:
			b.numbered = slices.Insert(b.numbered, i, c)
		}
	}
	i, found := slices.BinarySearchFunc(b.others, c.id, byID)
	switch in := !c.gone() && (!isNumber || c.State == schema.StateNone); {
	case found && in:
		b.others[i] = c
	case found:
		b.others = slices.Delete(b.others, i, i+1)
	case in:
		b.others = slices.Insert(b.others, i, c)
	}
}

// gone reports that nothing of the chapter is left.
func (c *folded) gone() bool {
	return c.State == schema.StateNone && c.claimed == schema.StateNone && len(c.files) == 0 && c.records == recordIDs{}
}

// evidenceLeft reports review, re-check or commit records; an outline alone is no evidence.
func (c *folded) evidenceLeft() bool {
	return !c.records[recReview].IsZero() || !c.records[recRecheck].IsZero() || !c.records[recCommit].IsZero()
}

// newFolded is a chapter that nothing is known of yet.
func newFolded(id string) *folded {
	key := schema.KeyOfID(id)
	return &folded{Chapter: Chapter{Key: key, place: placeOfKey(key)}, id: id}
}
