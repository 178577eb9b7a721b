package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const bom = "\ufeff"

// span is a byte range [start, end) of a text.
type span struct{ start, end int }

func (s span) of(text string) string { return text[s.start:s.end] }

// paragraphs gives the bodies of a text: its lines without the blanks around them, empty ones left out.
func paragraphs(text string) []span {
	out := make([]span, 0, len(text)/120+1)
	pos := 0
	if strings.HasPrefix(text, bom) {
		pos = len(bom)
	}
	for pos < len(text) {
		end, next := lineEnd(text, pos)
		s := trimSpan(text, span{pos, end})
		if s.start < s.end {
			out = append(out, s)
		}
		pos = next
	}
	return out
}

// lineEnd gives the end of the line that starts at pos, and the start of the next one. LF, CR LF and a lone CR end a line.
func lineEnd(text string, pos int) (end, next int) {
	i := strings.IndexAny(text[pos:], "\r\n")
	if i < 0 {
		return len(text), len(text)
	}
	end = pos + i
	next = end + 1
	if text[end] == '\r' && next < len(text) && text[next] == '\n' {
		next++
	}
	return end, next
}

// trimSpan drops blanks from both ends.
func trimSpan(text string, s span) span {
	for s.start < s.end {
		r, n := utf8.DecodeRuneInString(text[s.start:s.end])
		if !unicode.IsSpace(r) {
			break
		}
		s.start += n
	}
	for s.start < s.end {
		r, n := utf8.DecodeLastRuneInString(text[s.start:s.end])
		if !unicode.IsSpace(r) {
			break
		}
		s.end -= n
	}
	return s
}

// longSentence is the length in runes from which a sentence is also divided at commas: serial authors chain dozens of
// clauses, and a unit that long makes every comparison of it a comparison of everything.
const longSentence = 240

// sentences divides a body. The blanks between two sentences belong to neither.
func sentences(text string, body span) []span {
	var out []span
	start, runes := body.start, 0
	i := body.start
	for i < body.end {
		r, n := utf8.DecodeRuneInString(text[i:body.end])
		i += n
		runes++
		switch {
		case isStop(r):
			i = skipStops(text, i, body.end)
		case r == '.' && latinStop(text, start, i, body.end):
			i = skipStops(text, i, body.end)
		case isEllipsis(r):
			// An ellipsis ends a sentence only before a closing quote: 「我……我不知道」 is one.
			j := i
			for j < body.end {
				r, n := utf8.DecodeRuneInString(text[j:body.end])
				if !isEllipsis(r) {
					break
				}
				j += n
			}
			k := skipClosers(text, j, body.end)
			i = j
			if k == j && k < body.end {
				continue
			}
			i = k
		case runes >= longSentence && isClauseMark(r):
		default:
			continue
		}
		if s := trimSpan(text, span{start, i}); s.start < s.end {
			out = append(out, s)
		}
		start, runes = i, 0
	}
	if s := trimSpan(text, span{start, body.end}); s.start < s.end {
		out = append(out, s)
	}
	return out
}

func isStop(r rune) bool {
	switch r {
	case '。', '！', '？', '!', '?', '．', '｡', '‼', '⁇', '⁈', '⁉':
		return true
	}
	return false
}

func isEllipsis(r rune) bool { return r == '…' || r == '⋯' }

func isClauseMark(r rune) bool {
	switch r {
	case '，', ',', '；', ';', '：', ':', '、':
		return true
	}
	return false
}

func isCloser(r rune) bool {
	switch r {
	case '”', '’', '」', '』', '）', '》', '】', '〕', '〉', '〗', '"', '\'', ')', ']', '»', '｣', '＂', '＇', '*', '_':
		return true
	}
	return false
}

// skipStops moves over further stops and closing marks after a stop.
func skipStops(text string, i, end int) int {
	for i < end {
		r, n := utf8.DecodeRuneInString(text[i:end])
		if !isStop(r) && !isEllipsis(r) && r != '.' {
			break
		}
		i += n
	}
	return skipClosers(text, i, end)
}

func skipClosers(text string, i, end int) int {
	for i < end {
		r, n := utf8.DecodeRuneInString(text[i:end])
		if !isCloser(r) {
			break
		}
		i += n
	}
	return i
}

// isAbbreviation reports a word whose full stop does not end a sentence.
func isAbbreviation(word string) bool {
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "st", "prof", "capt", "col", "gen", "lt", "sgt", "rev", "hon", "vs", "no", "vol", "cf",
		"mme", "mlle", "messrs":
		return true
	}
	return false
}

// latinStop reports whether the full stop that ends at i is the end of a sentence: blanks or the end follow, the word
// before is neither an abbreviation nor an initial, and the next word does not start with a small letter.
func latinStop(text string, start, i, end int) bool {
	j := skipStops(text, i, end)
	if j < end {
		r, _ := utf8.DecodeRuneInString(text[j:end])
		if !unicode.IsSpace(r) && !isWide(r) {
			return false
		}
		rest := strings.TrimLeftFunc(text[j:end], unicode.IsSpace)
		if r, _ := utf8.DecodeRuneInString(rest); unicode.IsLower(r) {
			return false
		}
	}
	if j == end || j > i {
		return true // nothing follows, or more stops or closing marks do
	}
	before := text[start : i-1]
	w := before[strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	if utf8.RuneCountInString(w) == 1 && w != "I" {
		r, _ := utf8.DecodeRuneInString(w)
		return !unicode.IsUpper(r)
	}
	return len(w) > 8 || !isAbbreviation(w)
}

// isWide reports a rune of East Asian text, where no blank follows a stop.
func isWide(r rune) bool { return r >= 0x2e80 && r < 0xfffe }

// simple reports a rune that never joins with a neighbour of the same kind into one grapheme cluster. Between two simple
// runes there is a boundary, so ordinary prose needs no table lookup of the segmentation algorithm.
func simple(r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f:
		return true
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3400 && r <= 0x4dbf:
		return true
	case r >= 0x3000 && r <= 0x3029, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fe:
		return true
	case r >= 0xff01 && r <= 0xff9d:
		return true
	case r >= 0x2010 && r <= 0x2027:
		return true
	}
	return false
}

// nextGrapheme gives the length in bytes of the grapheme cluster at the start of s, which is not empty. A byte that is
// not UTF-8 is a cluster of its own.
func nextGrapheme(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 1
	}
	if n == len(s) {
		return n
	}
	if simple(r) {
		if q, _ := utf8.DecodeRuneInString(s[n:]); simple(q) {
			return n
		}
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	// The algorithm reads an invalid byte as U+FFFD, which may take combining marks; cut before any invalid byte.
	for i := n; i < len(cluster); {
		r, m := utf8.DecodeRuneInString(cluster[i:])
		if r == utf8.RuneError && m == 1 {
			return i
		}
		i += m
	}
	return max(len(cluster), n)
}

// utf16Len counts UTF-16 units, as a JavaScript string would; a byte that is not UTF-8 counts one.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// Sentences is the text with one sentence a line and an empty line between paragraphs: what a git textconv prints, so
// that plain `git diff` is readable for chapters whose paragraphs are single long lines (DESIGN 12). Indentation, line
// ends and the byte order mark are not shown.
func Sentences(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/32)
	for i, p := range paragraphs(text) {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, s := range sentences(text, p) {
			b.WriteString(s.of(text))
			b.WriteByte('\n')
		}
	}
	return b.String()
}
