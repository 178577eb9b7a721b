package state

import (
	"cmp"
	"maps"
	"slices"

	"git-novel/schema"
)

// bookCheck judges what one commit did to one book.
type bookCheck struct {
	*check
	name     schema.BookName
	was, is  *bookState // is: a clone that takes up the chapters as they are judged
	change   *bookChange
	chapters map[string]*chapterCheck
	summary  []byte // the summaries file of the result, read when first asked for

	from   []*bookState // sources, once looked is true
	looked bool
}

// chapterCheck is one touched chapter: before, after, and the records that the commit changed.
type chapterCheck struct {
	was, is *folded
	carried bool   // it was in a book that was deleted or renamed, just as it is
	text    faults // what is wrong with a text that is new
	docs    docs
	changed [4]bool // which records changed
}

// docs are records as they stand in the result, where they were read.
type docs struct {
	review  *schema.Review
	recheck *schema.Recheck
	commit  *schema.Commit
}

func (c *check) book(ch *bookChange) error {
	was, ok := c.old.books[ch.name]
	if !ok {
		was = &bookState{name: ch.name}
	}
	b := &bookCheck{check: c, name: ch.name, was: was, is: was.clone(), change: ch, chapters: map[string]*chapterCheck{}}
	b.is.mirrors += ch.mirrors
	if ch.summaries != nil {
		b.is.summaries = ch.summaries.New
	}
	b.touch()
	b.status()
	for _, cc := range b.inOrder() {
		if c.derive {
			cc.is.State = b.proven(cc.is, cc.is.claimed)
			b.is.put(cc.is)
			continue
		}
		b.judge(cc)
	}
	b.whole()
	c.now.books[ch.name] = b.is
	if b.is.empty() {
		delete(c.now.books, ch.name)
	}
	if b.was.exists() && !b.is.exists() {
		c.now.remember(b.was)
	}
	return c.err
}

// chapter gives the work on a chapter, started when it is not under way yet.
func (b *bookCheck) chapter(id string) *chapterCheck {
	if cc, ok := b.chapters[id]; ok {
		return cc
	}
	was, ok := b.was.find(id)
	switch {
	case !ok:
		was = newFolded(id)
	case was.pending:
		was = b.load(was)
	}
	is := *was
	is.files = slices.Clone(was.files)
	cc := &chapterCheck{was: was, is: &is}
	b.chapters[id] = cc
	return cc
}

// touch applies the changed files and records to their chapters.
func (b *bookCheck) touch() {
	for _, id := range slices.Sorted(maps.Keys(b.change.texts)) {
		cc := b.chapter(id)
		for _, ch := range b.change.texts[id] {
			cc.is.setFile(ch)
		}
		b.takeText(cc)
	}
	for _, id := range slices.Sorted(maps.Keys(b.change.records)) {
		cc := b.chapter(id)
		for _, ch := range b.change.records[id] {
			cc.is.records[ch.which] = ch.New
			cc.changed[ch.which] = true
		}
		b.readRecords(cc)
	}
}

func (c *folded) setFile(ch Change) {
	i := slices.IndexFunc(c.files, func(f textFile) bool { return f.path == ch.Path })
	switch {
	case i >= 0 && ch.New.IsZero():
		c.files = slices.Delete(c.files, i, i+1)
	case i >= 0:
		c.files[i].id = ch.New
	case !ch.New.IsZero():
		c.files = append(c.files, textFile{path: ch.Path, id: ch.New})
		slices.SortFunc(c.files, func(x, y textFile) int { return cmp.Compare(x.path, y.path) })
	}
}

// takeText settles which file is the chapter's text, and reads it when it is new.
func (b *bookCheck) takeText(cc *chapterCheck) {
	is := cc.is
	is.Duplicate, is.Missing = len(is.files) > 1, len(is.files) == 0
	if is.Missing {
		is.Path, is.Text, is.Chars = "", schema.OID{}, 0
		return
	}
	at := max(slices.IndexFunc(is.files, func(f textFile) bool { return f.path == is.Path }), 0)
	is.Path = is.files[at].path
	if is.Text == is.files[at].id {
		return
	}
	is.Text = is.files[at].id
	if data, ok := b.read(is.Text); ok {
		is.Chars, cc.text = textFaults(is.Path, data)
	}
}

// inOrder gives the touched chapters as they must be judged: those that leave first, the highest before the others, then
// the numbered ones upwards, so that each finds the chapter below it in its final state.
func (b *bookCheck) inOrder() []*chapterCheck {
	list := slices.Collect(maps.Values(b.chapters))
	slices.SortFunc(list, func(x, y *chapterCheck) int {
		lx, ly := x.leaves(), y.leaves()
		if lx != ly {
			if lx {
				return -1
			}
			return 1
		}
		d := compareFolded(x.is, y.is)
		if lx {
			return -d
		}
		return d
	})
	return list
}

func (cc *chapterCheck) leaves() bool {
	return cc.was.State != schema.StateNone && cc.is.claimed == schema.StateNone
}

// compareFolded orders numbered chapters by number and before the others.
func compareFolded(x, y *folded) int {
	nx, okX := x.Number()
	ny, okY := y.Number()
	switch {
	case okX && okY:
		return cmp.Compare(nx, ny)
	case okX:
		return -1
	case okY:
		return 1
	}
	return cmp.Compare(x.id, y.id)
}

// status reads what state.json says now, and touches the chapters whose word is not what the fold has.
func (b *bookCheck) status() {
	ch := b.change.state
	if ch == nil {
		return
	}
	b.is.stateID = ch.New
	if ch.New.IsZero() {
		b.is.status = nil
		b.claimAll(nil)
		return
	}
	if next, ok := b.expected(ch.New); ok {
		b.is.status = next
		return
	}
	data, ok := b.read(ch.New)
	if !ok {
		return
	}
	s, list := readStatus(ch.Path, data)
	b.faults = append(b.faults, list...)
	if s == nil {
		b.is.status = nil
		return
	}
	if s.Book != string(b.name) {
		b.faults.addAt(ch.Path, "state-owner", schema.Textf("the file speaks of book %q", s.Book))
	}
	b.is.status = newStatusFile(data, s.Progress.CurrentChapter)
	b.claimAll(s.Progress.ChapterStatus)
}

// claimAll compares the words of a state.json with those before. A word that was wrong already and stays is not told again.
func (b *bookCheck) claimAll(words map[string]schema.State) {
	for _, list := range [][]*folded{b.was.numbered, b.was.others} {
		for _, c := range list {
			if w := words[c.id]; w != c.claimed {
				b.chapter(c.id).is.claimed = w
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(words)) {
		if _, known := b.was.find(id); !known && schema.IsChapterID(id) {
			b.chapter(id).is.claimed = words[id]
		}
	}
	for id, cc := range b.chapters {
		cc.is.claimed = words[id]
	}
}

// expected works out the state.json of an honest commit and compares its blob id with the one that is there.
func (b *bookCheck) expected(id schema.OID) (*statusFile, bool) {
	if b.was.status == nil || len(b.chapters) == 0 || len(b.chapters) > 8 {
		return nil, false
	}
	words := make(map[string]schema.State, len(b.chapters))
	current := b.was.current()
	for cid, cc := range b.chapters {
		if cc.was.claimed != cc.was.State {
			return nil, false
		}
		words[cid] = b.guess(cc)
		if n, ok := cc.is.Number(); ok && words[cid] == schema.StateCommitted {
			current = max(current, n)
		} else if ok && n == current {
			return nil, false // the highest committed one leaves
		}
	}
	next, ok := b.was.status.with(words, current)
	if !ok || schema.HashBlob(next.raw) != id {
		return nil, false
	}
	for cid, cc := range b.chapters {
		cc.is.claimed = words[cid]
	}
	return next, true
}

// guess is the state that the records of a chapter suggest.
func (b *bookCheck) guess(cc *chapterCheck) schema.State {
	is := cc.is
	switch {
	case len(is.files) == 0 && !is.evidenceLeft():
		return schema.StateNone
	case is.Commit != nil:
		return schema.StateCommitted
	case is.State.Rank() >= schema.StateReviewed.Rank():
		return is.State
	case is.Review != nil && len(b.reviewedGaps(is)) == 0:
		return schema.StateReviewed
	}
	return schema.StateDrafted
}

// whole judges what concerns the book and not one chapter.
func (b *bookCheck) whole() {
	// Drafts may stay: they are gated by nothing, and a book need not exist to have some.
	if b.was.exists() && !b.is.exists() && !b.is.summaries.IsZero() {
		b.faults.addAt(schema.BookStatePath(b.name), "book-delete-incomplete",
			schema.Textf("book %q was taken away, but its summaries are still there", string(b.name)))
	}
}
