package state

import (
	"cmp"
	"slices"

	"git-novel/schema"
)

// Chapter is what is known of one chapter. A chapter of state none with a text is a foreign file: listed, never counted.
type Chapter struct {
	Key       schema.ChapterKey
	State     schema.State
	Path      string
	Text      schema.OID // on disk now; zero when there is no file
	Chars     int        // of that text, in UTF-16 units
	Missing   bool       // has a state and no file
	Duplicate bool       // a second file has the same number or name
	Unsaved   bool       // the text on disk is not the text in git
	Damaged   bool       // a record of the chapter cannot be read

	Review     *ReviewEvidence
	Recheck    *RecheckEvidence
	Commit     *CommitEvidence
	Polish     Edits // from the reviewed text to Text; looked at only when they differ
	Typo       Edits // from the base of the commit to Text; looked at only when they differ
	HasSummary bool

	place place
}

// place is the number of a chapter, read once: a board sorts 9,999 of them.
type place struct {
	known, numbered bool
	n               int
}

func placeOfKey(k schema.ChapterKey) place {
	n, ok := k.Number()
	return place{known: true, numbered: ok, n: n}
}

// Number is the chapter's number; ok is false for an unnumbered chapter.
func (c *Chapter) Number() (n int, ok bool) {
	if c.place.known {
		return c.place.n, c.place.numbered
	}
	return c.Key.Number()
}

// Foreign reports a chapter-like file that never entered the book.
func (c *Chapter) Foreign() bool { return c.State == schema.StateNone && !c.Text.IsZero() }

// Adopted reports a chapter that entered as it was (DESIGN 5, Adopted).
func (c *Chapter) Adopted() bool {
	return c.State == schema.StateCommitted && c.Commit != nil && c.Commit.Adopted
}

// Debt reports a chapter whose write-back is owed (DESIGN 5, Debt).
func (c *Chapter) Debt() bool { return c.State == schema.StateReviewed }

// Open reports a chapter on its way: drafted or reviewed.
func (c *Chapter) Open() bool {
	return c.State == schema.StateDrafted || c.State == schema.StateReviewed
}

// Edited reports a committed chapter whose text is no longer the committed one: a hand edit that waits for retcon or typo.
func (c *Chapter) Edited() bool {
	return c.State == schema.StateCommitted && !c.Missing && c.Commit != nil && c.Commit.Text != c.Text
}

// Stale reports that the chapter's evidence speaks of another text (DESIGN 5, Bound to the text). The state stays.
func (c *Chapter) Stale() bool {
	if !c.Open() || c.Missing || c.Review == nil && c.Recheck == nil {
		return false
	}
	return (c.Review == nil || c.Review.Text != c.Text) && (c.Recheck == nil || c.Recheck.Text != c.Text)
}

// Blocked reports that the newest full review, or a re-check of the current text, has an open blocking issue.
func (c *Chapter) Blocked() bool {
	if !c.Open() {
		return false
	}
	if c.Review != nil && len(c.Review.Open) > 0 {
		return true
	}
	return c.Recheck != nil && c.Recheck.Text == c.Text && len(c.Recheck.Open) > 0
}

// Gaps names everything that is missing before the text on disk counts as reviewed; none when the evidence is complete
// and fresh.
func (c *Chapter) Gaps(r Rules) []schema.Fault { return c.evidence(r).gaps() }

func (c *Chapter) evidence(r Rules) evidence {
	return evidence{rules: r, text: c.Text, review: c.Review, recheck: c.Recheck, polish: c.Polish}
}

// Book is what is known of one book. Make it with NewBook.
type Book struct {
	Name       schema.BookName
	Rules      Rules
	Chapters   []*Chapter // as given: in the order of the book
	HasDraft   bool       // a draft mirror of the book exists
	NeedsFlag  bool       // commands need --book, because the library has several
	numbered   []*Chapter // with a state, by number
	unnumbered []*Chapter
	byKey      map[schema.ChapterKey]*Chapter
	unadopted  int
}

// NewBook indexes the chapters, which the caller gives in the order of the book. The chapters must not change afterwards.
func NewBook(name schema.BookName, rules Rules, chapters []*Chapter) *Book {
	b := &Book{Name: name, Rules: rules, Chapters: chapters, byKey: make(map[schema.ChapterKey]*Chapter, len(chapters))}
	for _, c := range chapters {
		c.place = placeOfKey(c.Key)
		if _, twice := b.byKey[c.Key]; !twice {
			b.byKey[c.Key] = c
		}
		_, isNumber := c.Number()
		switch {
		case c.State == schema.StateNone:
		case isNumber:
			b.numbered = append(b.numbered, c)
		default:
			b.unnumbered = append(b.unnumbered, c)
		}
		if c.State != schema.StateNone && !c.Adopted() {
			b.unadopted++
		}
	}
	byNumber := func(x, y *Chapter) int { return cmp.Compare(number(x), number(y)) }
	if !slices.IsSortedFunc(b.numbered, byNumber) {
		slices.SortStableFunc(b.numbered, byNumber)
	}
	return b
}

// Find gives the chapter of a key.
func (b *Book) Find(key schema.ChapterKey) (*Chapter, bool) {
	if c, ok := b.byKey[key]; ok {
		return c, true
	}
	for _, c := range b.unnumbered {
		if schema.SameKey(c.Key, key) {
			return c, true
		}
	}
	return nil, false
}

// chapter gives the chapter of a key, or an empty one of state none.
func (b *Book) chapter(key schema.ChapterKey) *Chapter {
	if c, ok := b.Find(key); ok {
		return c
	}
	return &Chapter{Key: key}
}

// Highest is the highest number that has a state; ok is false when no numbered chapter has one.
func (b *Book) Highest() (n int, ok bool) {
	if len(b.numbered) == 0 {
		return 0, false
	}
	return number(b.numbered[len(b.numbered)-1]), true
}

// Current is the highest committed number, 0 when there is none: what state.json calls current_chapter.
func (b *Book) Current() int {
	for _, c := range slices.Backward(b.numbered) {
		if c.State == schema.StateCommitted {
			return number(c)
		}
	}
	return 0
}

// Lower gives the numbered chapter with the nearest lower number that has a state.
func (b *Book) Lower(n int) (*Chapter, bool) { return lower(b.numbered, n) }

// InAdoptedGap reports a free number between two adopted chapters: adoption left the hole, so it may be filled.
func (b *Book) InAdoptedGap(n int) bool { return inAdoptedGap(b.numbered, n) }

// AllAdopted reports that no chapter of the book was written here.
func (b *Book) AllAdopted() bool { return b.unadopted == 0 }

// Debts lists the chapters whose write-back is owed, in the order of the book.
func (b *Book) Debts() []*Chapter {
	var out []*Chapter
	for _, c := range b.Chapters {
		if c.Debt() {
			out = append(out, c)
		}
	}
	return out
}
