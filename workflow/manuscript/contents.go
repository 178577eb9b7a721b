package manuscript

import (
	"strconv"
	"strings"
)

// minContents is the number of headings in a row, without text between them, that may be a table of contents.
const minContents = 3

// gapRunes is how much text may stand between two entries of a table of contents: a stray word such as 正文.
const gapRunes = 4

// markContents finds tables of contents: runs of headings without text whose entries come again elsewhere. An entry is
// text of the chapter that it stands in, never a chapter.
func markContents(cs []candidate) []Span {
	seen := map[string]int{}
	for i := range cs {
		seen[cs[i].id(false)]++
	}
	var spans []Span
	for first := 0; first < len(cs); {
		end := first + 1
		for end < len(cs) && cs[end].file == cs[end-1].file && cs[end-1].bodyRunes <= gapRunes && cs[end-1].bodyLines <= 1 {
			end++
		}
		if n := contentsLength(cs[first:end], seen); n >= minContents {
			for i := first; i < first+n; i++ {
				cs[i].inContents = true
			}
			spans = append(spans, Span{First: cs[first].line, Last: cs[first+n-1].line})
		}
		first = end
	}
	return spans
}

// contentsLength is how many headings of the run, from its first, are entries. The run's last heading is often that of
// the first chapter itself.
func contentsLength(run []candidate, seen map[string]int) int {
	n := firstRepeat(run, true)
	if n == len(run) {
		n = firstRepeat(run, false)
	}
	again, total := 0, 0
	within := map[string]int{}
	for i := range run[:n] {
		within[run[i].id(false)]++
	}
	for i := range run[:n] {
		if run[i].kind == kindContents {
			again++
		} else if id := run[i].id(false); seen[id] > within[id] {
			again++
		}
		total++
	}
	if again*3 < total*2 {
		return 0
	}
	return n
}

// firstRepeat is the position of the first heading that came before in the run, the run's length when there is none.
func firstRepeat(run []candidate, title bool) int {
	have := map[string]bool{}
	for i := range run {
		id := run[i].id(title)
		if have[id] && run[i].kind != kindContents {
			return i
		}
		have[id] = true
	}
	return len(run)
}

// id is what makes two headings the same, with or without their titles.
func (c *candidate) id(title bool) string {
	s := strconv.Itoa(int(c.kind)) + "\x00"
	if c.number >= 0 {
		s += strconv.Itoa(c.number)
	} else {
		s += c.name
	}
	if title {
		s += "\x00" + squeeze(c.title)
	}
	return s
}

// squeeze drops blanks, so that 风起 云涌 and 风起云涌 are one title.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(blanks, r) {
			return -1
		}
		return r
	}, s)
}

// repeatRunes is how much text may stand between a heading and its repetition: 更新时间 and word counts.
const repeatRunes = 120

// markRepeated finds headings that are printed twice, as exports do that put the title both into the list and into the
// text. The second one is text of its chapter.
func markRepeated(cs []candidate) {
	last := -1
	body := 0
	for i := range cs {
		c := &cs[i]
		if c.inContents || c.kind != kindChapter && c.kind != kindNamed && c.kind != kindSection {
			if last >= 0 {
				body += c.bodyRunes + 1
			}
			continue
		}
		if last >= 0 && cs[last].file == c.file && cs[last].id(false) == c.id(false) && sameTitle(&cs[last], c, body) {
			c.repeated = true
			body += c.bodyRunes
			continue
		}
		last, body = i, c.bodyRunes
	}
}

func sameTitle(a, b *candidate, body int) bool {
	x, y := squeeze(a.title), squeeze(b.title)
	if body == 0 {
		return strings.Contains(x, y) || strings.Contains(y, x)
	}
	return body <= repeatRunes && x == y && (x != "" || body <= gapRunes)
}
