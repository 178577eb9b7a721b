package prose

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Paragraph is one line of prose. Index starts at 1 and does not count the heading; Line is its line in the file, from 1.
type Paragraph struct {
	Index int
	Line  int
	Text  string // without the blanks around it
}

// Text is a chapter taken apart. Make it with Parse.
type Text struct {
	Heading     string // the heading line without the blanks around it, "" when there is none
	HeadingLine int
	Paragraphs  []Paragraph

	once   sync.Once // the following two are made when first asked for: prints of a whole serial never do
	folded []rune    // letters and digits of all paragraphs, case and width folded, a newline after each paragraph
	place  []int     // place[i] is the position in Paragraphs of folded[i]
}

// Parse takes a chapter apart. It accepts any text: a BOM, CRLF and odd blanks are dropped.
func Parse(text string) *Text {
	t := &Text{}
	text = strings.TrimPrefix(text, "\ufeff")
	line := 0
	for raw := range strings.SplitSeq(text, "\n") {
		line++
		s := strings.TrimFunc(raw, blank)
		if s == "" {
			continue
		}
		if t.Heading == "" && len(t.Paragraphs) == 0 && IsHeading(s) {
			t.Heading, t.HeadingLine = s, line
			continue
		}
		t.Paragraphs = append(t.Paragraphs, Paragraph{Index: len(t.Paragraphs) + 1, Line: line, Text: s})
	}
	return t
}

func (t *Text) fold() {
	t.once.Do(func() {
		for i, p := range t.Paragraphs {
			for _, r := range Fold(p.Text) {
				t.folded, t.place = append(t.folded, r), append(t.place, i)
			}
			t.folded, t.place = append(t.folded, '\n'), append(t.place, i)
		}
	})
}

// Body is the paragraphs, one a line, without the heading.
func (t *Text) Body() string {
	var b strings.Builder
	for _, p := range t.Paragraphs {
		b.WriteString(p.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func blank(r rune) bool { return unicode.IsSpace(r) || r == '\u3000' || r == '\u200b' || r == '\ufeff' }

// Han counts the Han characters of the block U+4E00–U+9FFF, the count that seed batch_writer takes (`[一-鿿]`).
func Han(s string) int {
	n := 0
	for _, r := range s {
		if IsHan(r) {
			n++
		}
	}
	return n
}

// IsHan reports a character that Han counts.
func IsHan(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

// Fold keeps letters and digits only, in lower case and normal width, so that punctuation, blanks and full-width forms do
// not hide that two texts are the same.
func Fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xff00 && r <= 0xffef {
			if f := width.LookupRune(r).Folded(); f != 0 {
				r = f
			}
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// Sentences cuts a paragraph after 。！？!?… and the closing marks that follow them. Joined together they are the paragraph.
func Sentences(s string) []string {
	var out []string
	start, ended := 0, false
	for i, r := range s {
		switch {
		case strings.ContainsRune("。！？!?…", r):
			ended = true
		case ended && !strings.ContainsRune("”’」』）)》\"'", r):
			out = append(out, s[start:i])
			start, ended = i, false
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// Cut shortens s to at most n runes and marks the cut with an ellipsis.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:max(n-1, 0)]) + "…"
}

// Around gives what stands around the bytes from..to of s: up to n runes on each side, cuts marked.
func Around(s string, from, to, n int) string {
	a, b := from, to
	for range n {
		_, w := utf8.DecodeLastRuneInString(s[:a])
		a -= w
		_, w = utf8.DecodeRuneInString(s[b:])
		b += w
	}
	out := s[a:b]
	if a > 0 {
		out = "…" + out
	}
	if b < len(s) {
		out += "…"
	}
	return out
}
