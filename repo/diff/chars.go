package diff

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// cell is a pair of texts, usually one sentence on each side, whose characters are compared.
type cell struct {
	a, b    span // in the texts
	ta, tb  tokens
	regions []change // what differs, ascending; between two there is at least one common character
}

// change says that clusters [a0, a1) became [b0, b1).
type change struct{ a0, a1, b0, b1 int }

func (c change) size() int  { return max(c.a1-c.a0, c.b1-c.b0) }
func (c change) marks() int { return c.a1 - c.a0 + c.b1 - c.b0 }

// limits of compareTokens: sentences are far shorter than the first, so their comparison is exact.
const (
	charLimit = 1024
	unitLimit = 512
)

func newCell(m *myers, textA, textB string, a, b span) *cell {
	var tk tokenizer
	c := &cell{a: a, b: b, ta: tk.split(a.of(textA)), tb: tk.split(b.of(textB))}
	del, ins := m.run(c.ta.ids, c.tb.ids, charLimit)
	for i, j := 0, 0; i < len(del) || j < len(ins); {
		r := change{i, i, j, j}
		for r.a1 < len(del) && del[r.a1] {
			r.a1++
		}
		for r.b1 < len(ins) && ins[r.b1] {
			r.b1++
		}
		i, j = r.a1, r.b1
		if r.marks() > 0 {
			c.regions = append(c.regions, r)
			continue
		}
		i++
		j++
	}
	c.slide(textA, textB)
	return c
}

func (c *cell) marks() int {
	n := 0
	for _, r := range c.regions {
		n += r.marks()
	}
	return n
}

func (c *cell) old(text string, r change) string {
	return text[c.a.start+c.ta.offs[r.a0] : c.a.start+c.ta.offs[r.a1]]
}

func (c *cell) new(text string, r change) string {
	return text[c.b.start+c.tb.offs[r.b0] : c.b.start+c.tb.offs[r.b1]]
}

// slide moves pure insertions and deletions to where a reader would set them: 「雨，[+夜，+]灯」 and not 「雨[+，夜+]，灯」.
// It costs no mark.
func (c *cell) slide(textA, textB string) {
	for k := range c.regions {
		r := &c.regions[k]
		t, text, s, e := c.tb, c.b.of(textB), r.b0, r.b1
		if r.b0 == r.b1 {
			t, text, s, e = c.ta, c.a.of(textA), r.a0, r.a1
		} else if r.a0 != r.a1 {
			continue
		}
		// Common characters before and behind it, of which at least one must stay next to another region.
		back, ahead := min(r.a0, r.b0), min(len(c.ta.ids)-r.a1, len(c.tb.ids)-r.b1)
		if k > 0 {
			back = r.a0 - c.regions[k-1].a1 - 1
		}
		if k+1 < len(c.regions) {
			ahead = c.regions[k+1].a0 - r.a1 - 1
		}
		best, at := t.edge(text, s)+t.edge(text, e), 0
		for n := 1; n <= back && t.ids[s-n] == t.ids[e-n]; n++ {
			if v := t.edge(text, s-n) + t.edge(text, e-n); v > best {
				best, at = v, -n
			}
		}
		for n := 1; n <= ahead && t.ids[s+n-1] == t.ids[e+n-1]; n++ {
			if v := t.edge(text, s+n) + t.edge(text, e+n); v > best {
				best, at = v, n
			}
		}
		r.a0, r.a1, r.b0, r.b1 = r.a0+at, r.a1+at, r.b0+at, r.b1+at
	}
}

// edge says how natural a division before cluster i is.
func (t tokens) edge(text string, i int) int {
	if i == 0 || i == len(t.ids) {
		return 5
	}
	before, _ := utf8.DecodeLastRuneInString(text[:t.offs[i]])
	after, _ := utf8.DecodeRuneInString(text[t.offs[i]:])
	switch {
	case (isStop(before) || isEllipsis(before)) && !isCloser(after), isCloser(before) && !isMark(after):
		return 4
	case isClauseMark(before) && !isCloser(after):
		return 3
	case isOpener(after) || isCloser(before):
		return 2
	case unicode.IsSpace(before) && !unicode.IsSpace(after):
		return 2
	case isMark(after) || unicode.IsSpace(after):
		return 1
	case isLatin(before) && isLatin(after):
		return -2
	}
	return 0
}

func isOpener(r rune) bool {
	switch r {
	case '“', '‘', '「', '『', '（', '《', '【', '〔', '〈', '〖', '(', '[', '«', '｢':
		return true
	}
	return false
}

func isMark(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

func isLatin(r rune) bool { return unicode.IsLetter(r) && !isWide(r) }

// tidy joins edits that are divided by a trivially short common run, cell by cell, as long as what it marks in addition
// is within the budget (in clusters, both sides counted).
func tidy(cells []*cell, textA string, budget int) {
	for length := 1; length <= 3; length++ {
		for _, c := range cells {
			budget = c.join(c.a.of(textA), length, budget)
		}
	}
	for _, c := range cells {
		budget = c.joinClauses(c.a.of(textA), budget)
	}
}

// join joins neighbours that are divided by exactly length common clusters when both are larger than that run. A mark
// between two edits keeps them apart: it is where a reader divides them too.
func (c *cell) join(text string, length, budget int) int {
	out := c.regions[:0:0]
	for _, r := range c.regions {
		if len(out) > 0 {
			l := &out[len(out)-1]
			worth := min(l.size(), r.size()) >= length && l.size()+r.size() >= 3*length+1
			if r.a0-l.a1 == length && budget >= 2*length && (worth || c.swapped(*l, r)) &&
				(length > 1 || !c.hasMark(text, l.a1, r.a0)) {
				l.a1, l.b1 = r.a1, r.b1
				budget -= 2 * length
				continue
			}
		}
		out = append(out, r)
	}
	c.regions = out
	return budget
}

// swapped reports two characters that changed places, 「觉感」 for 「感觉」, which compares as one that went and one that came.
func (c *cell) swapped(l, r change) bool {
	if l.marks() != 1 || r.marks() != 1 || r.a0-l.a1 != 1 {
		return false
	}
	switch {
	case l.a1 > l.a0 && r.b1 > r.b0:
		return c.ta.ids[l.a0] == c.tb.ids[r.b0]
	case l.b1 > l.b0 && r.a1 > r.a0:
		return c.tb.ids[l.b0] == c.ta.ids[r.a0]
	}
	return false
}

func (c *cell) hasMark(text string, i, j int) bool {
	for _, r := range text[c.ta.offs[i]:c.ta.offs[j]] {
		if isMark(r) {
			return true
		}
	}
	return false
}

// joinClauses makes one edit of the edits in a clause that was largely rewritten.
func (c *cell) joinClauses(text string, budget int) int {
	out := c.regions[:0:0]
	for i := 0; i < len(c.regions); {
		j, changed := i+1, c.regions[i].size()
		for j < len(c.regions) && !c.hasMark(text, c.regions[j-1].a1, c.regions[j].a0) {
			changed += c.regions[j].size()
			j++
		}
		first, last := c.regions[i], c.regions[j-1]
		whole := change{first.a0, last.a1, first.b0, last.b1}
		common := whole.size() - changed
		cost := whole.marks()
		for _, r := range c.regions[i:j] {
			cost -= r.marks()
		}
		if j-i > 1 && changed >= 3 && 2*common <= changed && cost <= budget {
			budget -= cost
			out = append(out, whole)
		} else {
			out = append(out, c.regions[i:j]...)
		}
		i = j
	}
	c.regions = out
	return budget
}

// classify names the kind of an edit inside a sentence; heavy says that much of the sentence changed.
func (c *cell) classify(textA, textB string, r change, heavy bool) Class {
	before, after := c.old(textA, r), c.new(textB, r)
	if onlyMarks(before) && onlyMarks(after) {
		return Punctuation
	}
	if heavy || hasDigit(before) || hasDigit(after) {
		return Wording
	}
	del, ins := r.a1-r.a0, r.b1-r.b0
	if c.inLatinWord(textA, r) {
		if del <= 2 && ins <= 2 || del <= 6 && c.reordered(r) {
			return Typo
		}
		return Wording
	}
	if del <= 1 && ins <= 1 || del <= 3 && c.reordered(r) {
		return Typo
	}
	return Wording
}

// inLatinWord reports an edit with a letter right before or behind it, hence of a part of a word.
func (c *cell) inLatinWord(textA string, r change) bool {
	text := c.a.of(textA)
	before, _ := utf8.DecodeLastRuneInString(text[:c.ta.offs[r.a0]])
	after, _ := utf8.DecodeRuneInString(text[c.ta.offs[r.a1]:])
	return isLatin(before) || isLatin(after)
}

func onlyMarks(s string) bool {
	for _, r := range s {
		if !isMark(r) && !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

func hasDigit(s string) bool {
	for _, r := range s {
		if unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// reordered reports an edit after which the same characters stand in another order.
func (c *cell) reordered(r change) bool {
	a, b := slices.Clone(c.ta.ids[r.a0:r.a1]), slices.Clone(c.tb.ids[r.b0:r.b1])
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
