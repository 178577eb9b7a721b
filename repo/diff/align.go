package diff

import (
	"cmp"
	"slices"
)

// row pairs a[a0:a1] with b[b0:b1]. Both ranges are non-empty; rows of an alignment ascend on both sides.
type row struct{ a0, a1, b0, b1 int }

// aligner pairs the units of two sequences of texts: equal ones that are unique first (patience) where they make up most
// of a region, then, between those, alike ones, then equal ones that are not unique. It serves paragraphs and sentences alike.
type aligner struct {
	a, b     []string
	ida, idb []int32 // equal texts have equal ids
	match    []int32 // for each a its b, or -1
	back     []int32 // for each b its a, or -1
	feats    featureCache
	cnt      []int32 // work space per id, see unique
	posA     []int32
	posB     []int32
}

// anchorDepth bounds the nesting of the search for unique equal units; deeper regions go straight to similarity.
const anchorDepth = 24

// region is a part of both sequences that holds no pair yet.
type region struct{ a0, a1, b0, b1, depth int }

func newAligner(a, b []string) *aligner {
	al := &aligner{a: a, b: b, ida: make([]int32, len(a)), idb: make([]int32, len(b))}
	ids := make(map[string]int32, len(a)+len(b))
	intern := func(texts []string, out []int32) {
		for i, t := range texts {
			id, ok := ids[t]
			if !ok {
				id = int32(len(ids))
				ids[t] = id
			}
			out[i] = id
		}
	}
	intern(a, al.ida)
	intern(b, al.idb)
	al.match, al.back = filled(len(a)), filled(len(b))
	al.cnt = make([]int32, 2*len(ids))
	al.posA, al.posB = make([]int32, len(ids)), make([]int32, len(ids))
	return al
}

func filled(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
	}
	return out
}

// align gives the rows that pair a with b; units outside every row have no partner.
func align(a, b []string) []row {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	al := newAligner(a, b)
	al.run()
	return al.merged()
}

func (al *aligner) pair(i, j int) { al.match[i], al.back[j] = int32(j), int32(i) }

func (al *aligner) run() {
	todo := []region{{0, len(al.a), 0, len(al.b), 0}}
	for len(todo) > 0 {
		r := al.trim(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if r.a0 == r.a1 || r.b0 == r.b1 {
			continue
		}
		equal, single := al.unique(r)
		if al.parallel(r, equal) {
			continue
		}
		if chain := heaviestChain(equal); r.depth < anchorDepth && carries(chain, single) {
			todo = al.divide(todo, r, chain)
			continue
		}
		al.similar(r, equal)
	}
}

// parallel pairs a region unit by unit when both sides have as many, each is alike to its counterpart, and no equal pair
// says otherwise: a text with edits in place, which is most of what an author compares, needs no search.
func (al *aligner) parallel(r region, equal []pairing) bool {
	n := r.a1 - r.a0
	if n != r.b1-r.b0 {
		return false
	}
	for _, p := range equal {
		if p.i-r.a0 != p.j-r.b0 {
			return false
		}
	}
	for k := range n {
		if !sameUnit(al.a[r.a0+k], al.b[r.b0+k]) {
			return false
		}
	}
	for k := range n {
		al.pair(r.a0+k, r.b0+k)
	}
	return true
}

// carries reports whether a chain of equal units makes up most of a region, whose units without an equal one or with just
// one weigh single. Where it does not, one paragraph that only moved would keep all the edited ones around it from being
// paired, so equal and alike units are weighed against each other.
func carries(chain []pairing, single float64) bool {
	held := 0.0
	for _, p := range chain {
		held += p.weight
	}
	return len(chain) > 0 && held > 0.4*single
}

// unitWeight lets length decide between chains, and number where lengths are small.
func unitWeight(text string) float64 { return float64(len(text) + 8) }

// divide pairs the chain and appends the regions between its links.
func (al *aligner) divide(todo []region, r region, chain []pairing) []region {
	a0, b0 := r.a0, r.b0
	for _, p := range chain {
		al.pair(p.i, p.j)
		todo = append(todo, region{a0, p.i, b0, p.j, r.depth + 1})
		a0, b0 = p.i+1, p.j+1
	}
	return append(todo, region{a0, r.a1, b0, r.b1, r.depth + 1})
}

// trim pairs equal units at both ends of a region.
func (al *aligner) trim(r region) region {
	for r.a0 < r.a1 && r.b0 < r.b1 && al.ida[r.a0] == al.idb[r.b0] {
		al.pair(r.a0, r.b0)
		r.a0++
		r.b0++
	}
	for r.a0 < r.a1 && r.b0 < r.b1 && al.ida[r.a1-1] == al.idb[r.b1-1] {
		r.a1--
		r.b1--
		al.pair(r.a1, r.b1)
	}
	return r
}

// unique gives the pairs of equal units that occur once on each side of the region, in the order of a, and the weight of
// the lighter side without the equal units that occur more often.
func (al *aligner) unique(r region) (out []pairing, single float64) {
	for i := r.a0; i < r.a1; i++ {
		al.cnt[2*al.ida[i]]++
		al.posA[al.ida[i]] = int32(i)
	}
	for j := r.b0; j < r.b1; j++ {
		al.cnt[2*al.idb[j]+1]++
		al.posB[al.idb[j]] = int32(j)
	}
	var sumA, sumB float64
	for i := r.a0; i < r.a1; i++ {
		id := al.ida[i]
		once := al.cnt[2*id] == 1 && al.cnt[2*id+1] == 1
		if once {
			out = append(out, pairing{i, int(al.posB[id]), unitWeight(al.a[i])})
		}
		if once || al.cnt[2*id+1] == 0 {
			sumA += unitWeight(al.a[i])
		}
	}
	for j := r.b0; j < r.b1; j++ {
		id := al.idb[j]
		if al.cnt[2*id] == 0 || al.cnt[2*id] == 1 && al.cnt[2*id+1] == 1 {
			sumB += unitWeight(al.b[j])
		}
	}
	for i := r.a0; i < r.a1; i++ {
		al.cnt[2*al.ida[i]] = 0
	}
	for j := r.b0; j < r.b1; j++ {
		al.cnt[2*al.idb[j]+1] = 0
	}
	return out, min(sumA, sumB)
}

// similar pairs a region whose equal units do not carry it: equal and alike ones, then what is left between them.
func (al *aligner) similar(r region, equal []pairing) {
	chain := heaviestChain(append(al.candidates(r), equal...))
	a0, b0 := r.a0, r.b0
	for _, p := range chain {
		al.pair(p.i, p.j)
		al.rest(region{a0, p.i, b0, p.j, r.depth})
		a0, b0 = p.i+1, p.j+1
	}
	al.rest(region{a0, r.a1, b0, r.b1, r.depth})
}

// rest handles a region without similar units. Equal units may be left because they are too frequent for the index.
func (al *aligner) rest(r region) {
	r = al.trim(r)
	n, m := r.a1-r.a0, r.b1-r.b0
	if n == 0 || m == 0 {
		return
	}
	if n*m <= 1024 {
		al.short(r)
		return
	}
	ca, cb := compareTokens(al.ida[r.a0:r.a1], al.idb[r.b0:r.b1], unitLimit)
	i, j := 0, 0
	for i < n && j < m {
		switch {
		case ca[i]:
			i++
		case cb[j]:
			j++
		default:
			al.pair(r.a0+i, r.b0+j)
			i++
			j++
		}
	}
}

// short pairs units too short to share character pairs, such as 「走吧。」 and 「走了。」, by their common characters.
func (al *aligner) short(r region) {
	n, m := r.a1-r.a0, r.b1-r.b0
	best := make([]float64, (n+1)*(m+1))
	sims := make([]float64, n*m)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			s := shortSimilarity(al.a[r.a0+i], al.b[r.b0+j])
			if s < 0.5 {
				s = 0
			}
			sims[i*m+j] = s
			v := max(best[(i+1)*(m+1)+j], best[i*(m+1)+j+1])
			if s > 0 {
				v = max(v, s+best[(i+1)*(m+1)+j+1])
			}
			best[i*(m+1)+j] = v
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		s, here := sims[i*m+j], best[i*(m+1)+j]
		switch {
		case s > 0 && here == s+best[(i+1)*(m+1)+j+1]:
			al.pair(r.a0+i, r.b0+j)
			i++
			j++
		case here == best[(i+1)*(m+1)+j]:
			i++
		default:
			j++
		}
	}
}

// maxJoin is how many units of one side one unit of the other side may have been divided into.
const maxJoin = 4

// merged turns the one-to-one pairs into rows and lets a row take in neighbours without a partner whose text is found in
// the row's other side: a unit that was divided, or two that were joined.
func (al *aligner) merged() []row {
	var rows []row
	for i, j := range al.match {
		if j >= 0 {
			rows = append(rows, row{i, i + 1, int(j), int(j) + 1})
		}
	}
	loA, loB := 0, 0 // first units that no earlier row holds
	for k := range rows {
		r := &rows[k]
		hiA, hiB := len(al.a), len(al.b)
		if k+1 < len(rows) {
			hiA, hiB = rows[k+1].a0, rows[k+1].b0
		}
		if al.ida[r.a0] != al.idb[r.b0] {
			al.widen(r, loA, hiA, loB, hiB)
		}
		loA, loB = r.a1, r.b1
	}
	return rows
}

func (al *aligner) widen(r *row, loA, hiA, loB, hiB int) {
	for r.a1-r.a0 < maxJoin && r.b1-r.b0 == 1 {
		switch {
		case r.a1 < hiA && al.within(al.a[r.a1], al.b[r.b0], al.a[r.a0:r.a1]):
			r.a1++
			continue
		case r.a0 > loA && al.within(al.a[r.a0-1], al.b[r.b0], al.a[r.a0:r.a1]):
			r.a0--
			continue
		}
		break
	}
	for r.b1-r.b0 < maxJoin && r.a1-r.a0 == 1 {
		switch {
		case r.b1 < hiB && al.within(al.b[r.b1], al.a[r.a0], al.b[r.b0:r.b1]):
			r.b1++
			continue
		case r.b0 > loB && al.within(al.b[r.b0-1], al.a[r.a0], al.b[r.b0:r.b1]):
			r.b0--
			continue
		}
		break
	}
}

// within reports whether most of part is in whole and not already in the units that are paired with whole.
func (al *aligner) within(part, whole string, taken []string) bool {
	p := al.feats.of(part)
	if len(p) == 0 {
		return false
	}
	w := al.feats.of(whole)
	found := 0
	for _, f := range p {
		if _, ok := slices.BinarySearch(w, f); !ok {
			continue
		}
		known := false
		for _, t := range taken {
			if _, ok := slices.BinarySearch(al.feats.of(t), f); ok {
				known = true
				break
			}
		}
		if !known {
			found++
		}
	}
	return 2*found > len(p)
}

// pairing is a possible pair with its weight.
type pairing struct {
	i, j   int
	weight float64
}

// heaviestChain gives the pairs of a chain that ascends strictly on both sides and has the greatest weight.
func heaviestChain(ps []pairing) []pairing {
	if len(ps) <= 1 {
		return ps
	}
	slices.SortFunc(ps, func(x, y pairing) int { return cmp.Or(cmp.Compare(x.i, y.i), cmp.Compare(y.j, x.j)) })
	width := 0
	for _, p := range ps {
		width = max(width, p.j+1)
	}
	// A Fenwick tree of the best chain that ends at or before j: index into ps, -1 is none.
	tree := filled(width + 1)
	score := make([]float64, len(ps))
	prev := filled(len(ps))
	last := -1
	for k, p := range ps {
		best := int32(-1)
		for x := p.j; x > 0; x &= x - 1 {
			if t := tree[x]; t >= 0 && (best < 0 || score[t] > score[best]) {
				best = t
			}
		}
		score[k], prev[k] = p.weight, best
		if best >= 0 {
			score[k] += score[best]
		}
		for x := p.j + 1; x <= width; x += x & -x {
			if t := tree[x]; t < 0 || score[k] > score[t] {
				tree[x] = int32(k)
			}
		}
		if last < 0 || score[k] > score[last] {
			last = k
		}
	}
	var chain []pairing
	for k := int32(last); k >= 0; k = prev[k] {
		chain = append(chain, ps[k])
	}
	slices.Reverse(chain)
	return chain
}
