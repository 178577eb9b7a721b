package manuscript

import (
	"strings"
	"unicode/utf8"
)

// candidate is a line of the text that may be a heading, with what surrounds it.
type candidate struct {
	heading
	text         string // the line, trimmed
	file         int
	line         int // in its file, from 1
	start        int // byte offset of the line
	next         int // byte offset behind it
	blankBefore  bool
	blankAfter   bool
	bodyIndented bool // the next line with text is indented
	bodyRunes    int  // runes of text up to the next candidate, blanks not counted
	bodyLines    int  // lines with text up to the next candidate
	inContents   bool
	fills        bool // a section whose number fills the hole between two chapters
	repeated     bool // the heading is printed twice; this is the second time
	bare         bool // a bare numeral that counts as a chapter
	volumeOnly   bool // a volume that counts as a chapter
	score        int
	doubt        []doubtReason
}

// scan finds every line that could be a heading. Offsets count from base, so that files can be put together.
func scan(text string, file, base int) []candidate {
	var out []candidate
	blank := true // the line before
	for start, n := 0, 1; start < len(text); n++ {
		end := strings.IndexByte(text[start:], '\n')
		next := len(text)
		if end >= 0 {
			next = start + end + 1
		}
		raw := strings.TrimSuffix(text[start:next], "\n")
		trimmed := strings.Trim(raw, blanks)
		last := len(out) - 1
		switch h, ok := readHeading(raw); {
		case trimmed == "":
			if last >= 0 && out[last].next == base+start {
				out[last].blankAfter = true
			}
		case ok:
			out = append(out, candidate{
				heading: h, text: trimmed, file: file, line: n, start: base + start, next: base + next, blankBefore: blank,
				blankAfter: next == len(text),
			})
		case last >= 0:
			if out[last].bodyLines == 0 {
				out[last].bodyIndented = strings.IndexAny(raw, blanks) == 0
			}
			out[last].bodyLines++
			out[last].bodyRunes += utf8.RuneCountInString(trimmed)
		}
		blank = trimmed == ""
		start = next
	}
	return out
}

// fold drops candidates; what they were becomes text of the candidate before them.
func fold(cs []candidate, keep func(*candidate) bool) []candidate {
	out := cs[:0]
	for i := range cs {
		if keep(&cs[i]) {
			out = append(out, cs[i])
			continue
		}
		if len(out) == 0 || out[len(out)-1].file != cs[i].file {
			continue
		}
		last := &out[len(out)-1]
		if last.bodyLines == 0 {
			last.bodyIndented = cs[i].indent
		}
		last.bodyLines += 1 + cs[i].bodyLines
		last.bodyRunes += utf8.RuneCountInString(cs[i].text) + cs[i].bodyRunes
	}
	return out
}
