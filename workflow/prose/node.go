package prose

import (
	"slices"
	"strings"
)

// Match is where and how a node stands in a text.
type Match struct {
	Found     bool
	Exact     bool    // word for word, or every term of a bar node
	Share     float64 // share of the node's content that was found, 1 when Exact
	Paragraph int     // 第N段, 0 when not found
	Quote     string  // the sentences that show it
}

// Finder looks for outline nodes in one text.
type Finder struct {
	Text *Text
	// Names gives other names of a person or thing (its canonical name and aliases). May be nil.
	Names func(term string) []string
	// Span is how many letters may lie between the first and the last term of a bar node, 240 when zero.
	Span int
	// Strict wants the first term (主体) inside the span too. Otherwise it may stand up to three spans away, because prose
	// goes on with 他 once it has named a person.
	Strict bool
}

const (
	defaultSpan = 240
	freeShare   = 0.5
	freeMin     = 3
)

// Find looks for a node. See the package comment for what counts.
func (f Finder) Find(node string) Match {
	if m := f.exact(node); m.Found {
		return m
	}
	if terms := Terms(node); terms != nil {
		return f.bars(terms)
	}
	if f.Strict {
		return Match{}
	}
	return f.free(node)
}

// Terms takes a bar node apart: each term with its alternatives. nil when the node has no bars.
func Terms(node string) [][]string {
	node = strings.ReplaceAll(node, "｜", "|")
	if !strings.Contains(node, "|") {
		return nil
	}
	var terms [][]string
	for part := range strings.SplitSeq(node, "|") {
		var alts []string
		for alt := range strings.SplitSeq(strings.ReplaceAll(part, "／", "/"), "/") {
			if alt = Fold(alt); alt != "" {
				alts = append(alts, alt)
			}
		}
		if alts != nil {
			terms = append(terms, alts)
		}
	}
	return terms
}

func (f Finder) span() int {
	if f.Span > 0 {
		return f.Span
	}
	return defaultSpan
}

func (f Finder) exact(node string) Match {
	want := []rune(Fold(node))
	if len(want) < 2 || strings.ContainsAny(node, "|｜") {
		return Match{}
	}
	if at := f.Text.positions(want); len(at) > 0 {
		return f.match(at[0], at[0]+len(want)-1, 1, true)
	}
	return Match{}
}

// hit is one occurrence of one term.
type hit struct{ pos, end, term int }

// bars finds the narrowest window that holds every term.
func (f Finder) bars(terms [][]string) Match {
	hits, seen := f.hits(terms)
	if len(terms) == 0 {
		return Match{}
	}
	first := 0
	if !f.Strict && len(terms) > 2 {
		first = 1 // the subject is looked for afterwards, in a wider window
	}
	if seen < len(terms) {
		return Match{Share: float64(seen) / float64(len(terms))}
	}
	inside := slices.DeleteFunc(slices.Clone(hits), func(h hit) bool { return h.term < first })
	best, ok := narrowest(inside, len(terms)-first, func(w hit) bool {
		return w.end-w.pos <= f.span() && (first == 0 || slices.ContainsFunc(hits, func(h hit) bool {
			return h.term == 0 && h.pos >= w.pos-3*f.span() && h.end <= w.end+f.span()
		}))
	})
	if !ok {
		return Match{Share: float64(seen-1) / float64(len(terms))}
	}
	return f.match(best.pos, best.end, 1, true)
}

// hits lists every occurrence of every term by position, and how many terms occur at all.
func (f Finder) hits(terms [][]string) (hits []hit, seen int) {
	for i, alts := range terms {
		n := len(hits)
		for _, alt := range f.widen(alts) {
			want := []rune(alt)
			for _, at := range f.Text.positions(want) {
				hits = append(hits, hit{at, at + len(want) - 1, i})
			}
		}
		if len(hits) > n {
			seen++
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return a.pos - b.pos })
	return hits, seen
}

func (f Finder) widen(alts []string) []string {
	if f.Names == nil {
		return alts
	}
	out := slices.Clone(alts)
	for _, a := range alts {
		for _, n := range f.Names(a) {
			if n = Fold(n); n != "" && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// narrowest gives the shortest stretch of hits that holds `want` different terms and is good enough.
func narrowest(hits []hit, want int, good func(hit) bool) (hit, bool) {
	count := map[int]int{}
	best, ok := hit{}, false
	left := 0
	for right, h := range hits {
		count[h.term]++
		for len(count) == want {
			w := hit{pos: hits[left].pos, end: h.end}
			for _, x := range hits[left:right] {
				w.end = max(w.end, x.end)
			}
			if (!ok || w.end-w.pos < best.end-best.pos) && good(w) {
				best, ok = w, true
			}
			l := hits[left].term
			if count[l]--; count[l] == 0 {
				delete(count, l)
			}
			left++
		}
	}
	return best, ok
}

// function words: a bigram with one of them says nothing about what happens.
const function = "的了在是着和与把被他她它这那一不也就都而及其于之为以到从对向让给将得地我你们个上下里中来去说要会有没过吗呢吧啊"

func content(s string) []string {
	r := []rune(Fold(s))
	var out []string
	for i := 0; i+1 < len(r); i++ {
		if strings.ContainsRune(function, r[i]) || strings.ContainsRune(function, r[i+1]) {
			continue
		}
		if b := string(r[i : i+2]); !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	return out
}

// free looks for a window with enough of the node's content bigrams.
func (f Finder) free(node string) Match {
	grams := content(node)
	if len(grams) < freeMin {
		return Match{}
	}
	var hits []hit
	for i, g := range grams {
		for _, at := range f.Text.positions([]rune(g)) {
			hits = append(hits, hit{at, at + 1, i})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return a.pos - b.pos })
	count := map[int]int{}
	best, where := 0, hit{}
	left := 0
	for _, h := range hits {
		count[h.term]++
		for h.end-hits[left].pos > f.span() {
			l := hits[left].term
			if count[l]--; count[l] == 0 {
				delete(count, l)
			}
			left++
		}
		if len(count) > best {
			best, where = len(count), hit{pos: hits[left].pos, end: h.end}
		}
	}
	share := float64(best) / float64(len(grams))
	if best < freeMin || share < freeShare {
		return Match{Share: share}
	}
	return f.match(where.pos, where.end, share, false)
}

func (f Finder) match(from, to int, share float64, exact bool) Match {
	t := f.Text
	a, b := t.place[from], t.place[to]
	quote := t.sentence(a, from, to)
	if a != b {
		quote += "……" + t.sentence(b, from, to)
	}
	return Match{Found: true, Exact: exact, Share: share, Paragraph: t.Paragraphs[a].Index, Quote: Cut(quote, 120)}
}

// sentence gives the sentences of paragraph p that hold some of the folded positions from..to.
func (t *Text) sentence(p, from, to int) string {
	start, _ := slices.BinarySearch(t.place, p)
	var out strings.Builder
	pos := start
	for _, s := range Sentences(t.Paragraphs[p].Text) {
		end := pos + len([]rune(Fold(s)))
		if end > from && pos <= to {
			out.WriteString(s)
		}
		pos = end
	}
	return out.String()
}

// positions lists where want stands in the folded text.
func (t *Text) positions(want []rune) []int {
	if len(want) == 0 {
		return nil
	}
	t.fold()
	var at []int
	for i := 0; i+len(want) <= len(t.folded); i++ {
		if t.folded[i] == want[0] && slices.Equal(t.folded[i:i+len(want)], want) {
			at = append(at, i)
		}
	}
	return at
}

// Mentions counts how often any of the names stands in the text, and gives the first paragraph that has one (0: none).
// Overlapping names (沈砚, 沈砚之) count once at each place.
func (t *Text) Mentions(names ...string) (n, paragraph int) {
	taken := map[int]bool{}
	for _, name := range names {
		want := []rune(Fold(name))
		if len(want) < 2 {
			continue // a single character is no name that can be told from the words around it
		}
		for _, at := range t.positions(want) {
			if taken[at] {
				continue
			}
			taken[at] = true
			n++
			if i := t.Paragraphs[t.place[at]].Index; paragraph == 0 || i < paragraph {
				paragraph = i
			}
		}
	}
	return n, paragraph
}
