package diff

import (
	"cmp"
	"slices"
	"strings"
)

// Schema names the JSON form of a Result.
const Schema = "novel-diff/v1"

// Class says what kind of edit an author made.
type Class string

// The classes of edits (DESIGN 12).
const (
	Typo             Class = "typo"        // one character, or two that changed places
	Punctuation      Class = "punctuation" // marks and blanks only
	Wording          Class = "wording"
	SentenceAdded    Class = "sentence-added"
	SentenceRemoved  Class = "sentence-removed"
	SentenceMoved    Class = "sentence-moved"
	ParagraphAdded   Class = "paragraph-added"
	ParagraphRemoved Class = "paragraph-removed"
	ParagraphMoved   Class = "paragraph-moved"
)

// Classes lists every Class in the order in which statistics show them.
func Classes() []Class {
	return []Class{
		Typo, Punctuation, Wording, SentenceAdded, SentenceRemoved, SentenceMoved, ParagraphAdded, ParagraphRemoved,
		ParagraphMoved,
	}
}

// Kind says what kind of layout changed.
type Kind string

// The kinds of layout changes: what stands between paragraphs and sentences and is no prose.
const (
	ByteOrderMark  Kind = "byte-order-mark"
	LineEnd        Kind = "line-end" // LF, CR LF or CR
	TrailingBlanks Kind = "trailing-blanks"
	Indentation    Kind = "indentation"
	EmptyLines     Kind = "empty-lines"
	FinalLineEnd   Kind = "final-line-end"
	ParagraphBreak Kind = "paragraph-break" // a paragraph was divided or two were joined
	Blanks         Kind = "blanks"          // between two sentences
)

// Kinds lists every Kind in the order in which statistics show them.
func Kinds() []Kind {
	return []Kind{
		ParagraphBreak, EmptyLines, Indentation, Blanks, TrailingBlanks, LineEnd, FinalLineEnd, ByteOrderMark,
	}
}

// Place is where an edit lies in one of the texts. Paragraph and Sentence count from 1, sentences within their
// paragraph; 0 means that the edit has none on this side. Start and End are byte offsets.
type Place struct {
	Paragraph int `json:"paragraph,omitempty"`
	Sentence  int `json:"sentence,omitempty"`
	Start     int `json:"start"`
	End       int `json:"end"`
}

func (p Place) span() span { return span{p.Start, p.End} }

// Edit is one change of the prose: Old at A became New at B. A moved part has two edits with the same Move, one that
// takes it away (New is empty) and one that puts it (Old is empty); the latter's Changes say what was edited in it as well.
type Edit struct {
	Class    Class  `json:"class"`
	A        Place  `json:"a"`
	B        Place  `json:"b"`
	Old      string `json:"old"`
	New      string `json:"new"`
	Deleted  int    `json:"deleted"`  // UTF-16 units of Old, blanks around a whole sentence or paragraph not counted
	Inserted int    `json:"inserted"` // the same of New
	Move     int    `json:"move,omitempty"`
	Changes  []Edit `json:"changes,omitempty"`
}

// Layout is one change of what stands between the prose.
type Layout struct {
	Kind Kind   `json:"kind"`
	A    Place  `json:"a"` // Paragraph is the one before
	B    Place  `json:"b"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Result is the difference of two texts. Edits and Layout ascend on both sides and together turn the first text into the
// second exactly (Apply), and back (Revert).
type Result struct {
	Schema    string   `json:"schema"`
	Identical bool     `json:"identical"`
	Stat      Stat     `json:"stat"`
	Edits     []Edit   `json:"edits"`
	Layout    []Layout `json:"layout"`

	a, b   string
	blocks []Block
	ends   map[int]ends
}

// ends are the paragraphs that a moved part left and reached.
type ends struct{ from, to int }

// Op says what became of a piece of text.
type Op uint8

// The operations of a Seg.
const (
	Equal Op = iota
	Delete
	Insert
	MoveFrom // is elsewhere in the second text
	MoveTo   // was elsewhere in the first text
)

// Seg is a piece of a paragraph. Edit is the index of its edit in the Result, -1 for equal text and for the sign ¶ that
// shows where a paragraph was divided or joined.
type Seg struct {
	Op   Op
	Text string
	Edit int
}

// Block is one paragraph of the first text, of the second, or of both, in reading order. A and B are paragraph numbers
// from 1, 0 where there is none; ATo and BTo are the last ones of a paragraph that was divided or joined.
type Block struct {
	A, ATo, B, BTo int
	Segs           []Seg
}

// Changed reports whether the block holds anything but equal text.
func (b Block) Changed() bool {
	return slices.ContainsFunc(b.Segs, func(s Seg) bool { return s.Op != Equal })
}

// Blocks gives the paragraphs of both texts side by side, for a renderer. A Result that was read from JSON has none.
func (r *Result) Blocks() []Block { return r.blocks }

// hunk is one replacement, of prose or of layout.
type hunk struct {
	a, b     span
	old, new string
}

func (r *Result) hunks() []hunk {
	hs := make([]hunk, 0, len(r.Edits)+len(r.Layout))
	for _, e := range r.Edits {
		hs = append(hs, hunk{e.A.span(), e.B.span(), e.Old, e.New})
	}
	for _, l := range r.Layout {
		hs = append(hs, hunk{l.A.span(), l.B.span(), l.Old, l.New})
	}
	// Both sides ascend, so the sum orders an insertion and a deletion at the same place as well.
	slices.SortFunc(hs, func(x, y hunk) int { return cmp.Compare(x.a.start+x.b.start, y.a.start+y.b.start) })
	return hs
}

// Apply turns the first text into the second. It fails when the text is not the one that was compared.
func (r *Result) Apply(a string) (string, bool) { return replay(a, r.hunks()) }

// Revert turns the second text into the first.
func (r *Result) Revert(b string) (string, bool) {
	hs := r.hunks()
	for i, h := range hs {
		hs[i] = hunk{h.b, h.a, h.new, h.old}
	}
	return replay(b, hs)
}

func replay(text string, hs []hunk) (string, bool) {
	var out strings.Builder
	pos := 0
	for _, h := range hs {
		if h.a.start < pos || h.a.end < h.a.start || h.a.end > len(text) || h.a.of(text) != h.old {
			return "", false
		}
		out.WriteString(text[pos:h.a.start])
		out.WriteString(h.new)
		pos = h.a.end
	}
	out.WriteString(text[pos:])
	return out.String(), true
}
