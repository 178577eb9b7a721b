package diff

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// move is a paragraph or sentence that stands elsewhere in the second text. Parts that moved together share a number.
type move struct {
	id   int
	a, b span
}

// Shorter parts are not looked for at other places: 「他点点头。」 comes from anywhere.
const (
	leastMoved = 8  // runes of a part that moved unchanged
	leastAlike = 14 // runes of a part that was edited on the way
)

func runes(s string) int { return utf8.RuneCountInString(s) }

// loose is a paragraph or sentence without a partner.
type loose struct {
	s    *strip
	k    int // index of the paragraph in its text, or of the sentence in its strip
	span span
	text string
}

func (c *comparison) moveParagraphs() {
	var la, lb []loose
	for _, s := range c.strips {
		switch {
		case s.b0 == s.b1:
			la = append(la, loose{s, s.a0, c.pa[s.a0], c.pa[s.a0].of(c.a)})
		case s.a0 == s.a1:
			lb = append(lb, loose{s, s.b0, c.pb[s.b0], c.pb[s.b0].of(c.b)})
		}
	}
	c.link(la, lb, func(x, y loose) bool { return y.k == x.k+1 }, func(x, y loose, m *move) {
		x.s.whole, y.s.whole = m, m
	})
}

func (c *comparison) moveSentences() {
	var la, lb []loose
	for _, s := range c.strips {
		if s.equal || s.whole != nil {
			continue
		}
		usedA, usedB := s.used()
		for i, sp := range s.sa {
			if !usedA[i] {
				la = append(la, loose{s, i, sp, sp.of(c.a)})
			}
		}
		for j, sp := range s.sb {
			if !usedB[j] {
				lb = append(lb, loose{s, j, sp, sp.of(c.b)})
			}
		}
	}
	c.link(la, lb, func(x, y loose) bool { return x.s == y.s && y.k == x.k+1 }, func(x, y loose, m *move) {
		if x.s.movA == nil {
			x.s.movA = map[int]*move{}
		}
		if y.s.movB == nil {
			y.s.movB = map[int]*move{}
		}
		x.s.movA[x.k], y.s.movB[y.k] = m, m
	})
}

// link pairs loose parts: equal ones that are unique, the equal neighbours of those, then alike ones. next says that a
// part directly follows another of the same side.
func (c *comparison) link(la, lb []loose, next func(x, y loose) bool, set func(x, y loose, m *move)) {
	if len(la) == 0 || len(lb) == 0 {
		return
	}
	match, back := filled(len(la)), filled(len(lb))
	pair := func(i, j int) { match[i], back[j] = int32(j), int32(i) }
	linkEqual(la, lb, pair)
	extend := func(i, j, d int) {
		for i+d >= 0 && j+d >= 0 && i+d < len(la) && j+d < len(lb) && match[i+d] < 0 && back[j+d] < 0 &&
			la[i+d].text == lb[j+d].text {
			i, j = i+d, j+d
			pair(i, j)
		}
	}
	for i := range la {
		if j := match[i]; j >= 0 {
			extend(i, int(j), 1)
			extend(i, int(j), -1)
		}
	}
	linkAlike(la, lb, match, back, pair)
	last, lastJ := -1, -1
	for i, j := range match {
		if j < 0 {
			continue
		}
		together := last == i-1 && lastJ == int(j)-1 && last >= 0 && next(la[last], la[i]) && next(lb[lastJ], lb[j])
		if !together {
			c.moves++
		}
		last, lastJ = i, int(j)
		set(la[i], lb[j], &move{c.moves, la[i].span, lb[j].span})
	}
}

func linkEqual(la, lb []loose, pair func(i, j int)) {
	type seen struct{ n, m, i, j int }
	at := map[string]*seen{}
	for i, l := range la {
		if runes(l.text) < leastMoved {
			continue
		}
		if at[l.text] == nil {
			at[l.text] = &seen{}
		}
		at[l.text].n++
		at[l.text].i = i
	}
	for j, l := range lb {
		if s := at[l.text]; s != nil {
			s.m++
			s.j = j
		}
	}
	for i, l := range la {
		if s := at[l.text]; s != nil && s.n == 1 && s.m == 1 {
			pair(i, s.j)
		}
	}
}

func linkAlike(la, lb []loose, match, back []int32, pair func(i, j int)) {
	pick := func(ls []loose, taken []int32) (texts []string, at []int) {
		for i, l := range ls {
			if taken[i] < 0 && runes(l.text) >= leastAlike {
				texts, at = append(texts, l.text), append(at, i)
			}
		}
		return texts, at
	}
	ta, ia := pick(la, match)
	tb, ib := pick(lb, back)
	if len(ta) == 0 || len(tb) == 0 {
		return
	}
	ps := alikePairs(ta, tb, &featureCache{}, alikeMoved, func(i, j int, sim float64) pairing {
		return pairing{ia[i], ib[j], sim}
	})
	slices.SortFunc(ps, func(x, y pairing) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.i, y.i), cmp.Compare(x.j, y.j))
	})
	for _, p := range ps {
		if match[p.i] < 0 && back[p.j] < 0 {
			pair(p.i, p.j)
		}
	}
}
