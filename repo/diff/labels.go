package diff

import "strings"

// Labels are the words that renderings use. The front end supplies them in the reader's language: it takes English and
// maps every word through its catalogue with Map. Formats take their arguments in the order of the English ones, or by index.
type Labels struct {
	Lang      string // for HTML, e.g. "en" or "zh-CN"; not mapped
	Title     string // of the HTML page
	Old       string // names of the two texts
	New       string
	Identical string
	OnlyIn    string // no edit of the prose, layout only

	Typo             string
	Punctuation      string
	Wording          string
	SentenceAdded    string
	SentenceRemoved  string
	SentenceMoved    string
	ParagraphAdded   string
	ParagraphRemoved string
	ParagraphMoved   string

	ByteOrderMark  string
	LineEnd        string
	TrailingBlanks string
	Indentation    string
	EmptyLines     string
	FinalLineEnd   string
	ParagraphBreak string
	Blanks         string

	Paragraph  string // %d
	Paragraphs string // %d, %d: from, to
	Unchanged  string // %d paragraphs
	MovedTo    string // %d paragraph
	MovedFrom  string // %d paragraph
	Layout     string // heading
	Count      string // %d
	Summary    string // %d edits, %d paragraphs, %d inserted, %d deleted
	Moved      string // %d characters
	Sizes      string // %d, %d characters, %d, %d paragraphs
}

// English gives the labels in English.
func English() Labels {
	return Labels{
		Lang: "en", Title: "Changes", Old: "before", New: "after", Identical: "the texts are identical",
		OnlyIn: "the prose is identical; only its layout changed",
		Typo:   "typo", Punctuation: "punctuation", Wording: "wording",
		SentenceAdded: "sentence added", SentenceRemoved: "sentence removed", SentenceMoved: "sentence moved",
		ParagraphAdded: "paragraph added", ParagraphRemoved: "paragraph removed", ParagraphMoved: "paragraph moved",
		ByteOrderMark: "byte order mark", LineEnd: "line end", TrailingBlanks: "trailing blanks",
		Indentation: "indentation", EmptyLines: "empty lines", FinalLineEnd: "line end of the last line",
		ParagraphBreak: "paragraph break", Blanks: "blanks between sentences",
		Paragraph: "paragraph %d", Paragraphs: "paragraphs %d–%d", Unchanged: "unchanged paragraphs: %d",
		MovedTo: "moved to paragraph %d", MovedFrom: "moved from paragraph %d", Layout: "layout", Count: "%d×",
		Summary: "edits: %d, paragraphs changed: %d, characters inserted: %d, deleted: %d", Moved: "characters moved: %d",
		Sizes: "characters: %d → %d, paragraphs: %d → %d",
	}
}

// Map gives the labels with every word and format replaced by what f makes of it; Lang becomes lang.
func (l Labels) Map(lang string, f func(string) string) Labels {
	for _, p := range l.fields() {
		*p = f(*p)
	}
	l.Lang = lang
	return l
}

// Formats lists the words and formats, for the catalogue's completeness test.
func (l Labels) Formats() []string {
	var out []string
	for _, p := range l.fields() {
		out = append(out, *p)
	}
	return out
}

func (l *Labels) fields() []*string {
	return []*string{
		&l.Title, &l.Old, &l.New, &l.Identical, &l.OnlyIn, &l.Typo, &l.Punctuation, &l.Wording, &l.SentenceAdded,
		&l.SentenceRemoved, &l.SentenceMoved, &l.ParagraphAdded, &l.ParagraphRemoved, &l.ParagraphMoved, &l.ByteOrderMark,
		&l.LineEnd, &l.TrailingBlanks, &l.Indentation, &l.EmptyLines, &l.FinalLineEnd, &l.ParagraphBreak, &l.Blanks,
		&l.Paragraph, &l.Paragraphs, &l.Unchanged, &l.MovedTo, &l.MovedFrom, &l.Layout, &l.Count, &l.Summary, &l.Moved,
		&l.Sizes,
	}
}

// Class is the word for a class of edits.
func (l Labels) Class(c Class) string {
	switch c {
	case Typo:
		return l.Typo
	case Punctuation:
		return l.Punctuation
	case Wording:
		return l.Wording
	case SentenceAdded:
		return l.SentenceAdded
	case SentenceRemoved:
		return l.SentenceRemoved
	case SentenceMoved:
		return l.SentenceMoved
	case ParagraphAdded:
		return l.ParagraphAdded
	case ParagraphRemoved:
		return l.ParagraphRemoved
	case ParagraphMoved:
		return l.ParagraphMoved
	}
	return string(c)
}

// Kind is the word for a kind of layout.
func (l Labels) Kind(k Kind) string {
	switch k {
	case ByteOrderMark:
		return l.ByteOrderMark
	case LineEnd:
		return l.LineEnd
	case TrailingBlanks:
		return l.TrailingBlanks
	case Indentation:
		return l.Indentation
	case EmptyLines:
		return l.EmptyLines
	case FinalLineEnd:
		return l.FinalLineEnd
	case ParagraphBreak:
		return l.ParagraphBreak
	case Blanks:
		return l.Blanks
	}
	return string(k)
}

// visible makes control characters visible, so that a text can neither drive a terminal nor reorder the page around it.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r == '\r':
			return '␍'
		case r == '\t':
			return ' '
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return '␡'
		case hidden(r):
			return '�'
		}
		return r
	}, s)
}

func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x061c, r == 0x200e, r == 0x200f, r == '\u2028', r == '\u2029', r == '\ufeff',
		r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
