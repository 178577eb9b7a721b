package diff

import (
	"slices"
	"unicode/utf8"
)

// tokens is a text as a sequence of grapheme clusters.
type tokens struct {
	ids  []int32 // equal clusters have equal ids
	offs []int   // byte offset of each cluster, and the end
}

// tokenizer gives ids to clusters: the rune itself where a cluster is one rune, else a number beyond Unicode.
type tokenizer struct{ wide map[string]int32 }

const firstWide = 0x110000

func (t *tokenizer) split(text string) tokens {
	n := utf8.RuneCountInString(text)
	out := tokens{ids: make([]int32, 0, n), offs: make([]int, 0, n+1)}
	for i := 0; i < len(text); {
		size := nextGrapheme(text[i:])
		out.ids = append(out.ids, t.id(text[i:i+size]))
		out.offs = append(out.offs, i)
		i += size
	}
	out.offs = append(out.offs, len(text))
	return out
}

func (t *tokenizer) id(cluster string) int32 {
	r, n := utf8.DecodeRuneInString(cluster)
	if n == len(cluster) && (r != utf8.RuneError || n != 1) {
		return r
	}
	id, ok := t.wide[cluster]
	if !ok {
		if t.wide == nil {
			t.wide = map[string]int32{}
		}
		id = firstWide + int32(len(t.wide))
		t.wide[cluster] = id
	}
	return id
}

// compareTokens marks what a shortest edit script deletes from a and inserts into b: Myers' algorithm in linear space.
// Where more than limit edits would have to be looked at in one go, it goes on from the furthest point reached instead,
// which bounds the work by (len(a)+len(b))×limit and may mark more than the minimum.
func compareTokens(a, b []int32, limit int) (deleted, inserted []bool) {
	var m myers
	return m.run(a, b, limit)
}

// run is compareTokens with work space that later runs use again; its result is valid until the next one.
func (m *myers) run(a, b []int32, limit int) (deleted, inserted []bool) {
	m.a, m.b, m.limit = a, b, limit
	n := len(a) + len(b)
	m.marks = slices.Grow(m.marks[:0], n)[:n]
	clear(m.marks)
	m.ca, m.cb = m.marks[:len(a)], m.marks[len(a):]
	m.compare(0, len(a), 0, len(b))
	return m.ca, m.cb
}

type myers struct {
	a, b   []int32
	ca, cb []bool // parts of marks
	marks  []bool
	fw, bw []int
	limit  int
}

func (m *myers) compare(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
			a0++
			b0++
		}
		for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
			a1--
			b1--
		}
		if a0 == a1 || b0 == b1 {
			break
		}
		x, y := m.middle(a0, a1, b0, b1)
		m.compare(a0, x, b0, y)
		a0, b0 = x, y
	}
	for i := a0; i < a1; i++ {
		m.ca[i] = true
	}
	for j := b0; j < b1; j++ {
		m.cb[j] = true
	}
}

// middle finds a point on a shortest path through the rectangle, which has no common prefix or suffix, or beyond the limit
// the furthest point that was reached. Diagonals that left the rectangle are not followed: a path beyond its edge could
// seem to meet the other.
func (m *myers) middle(a0, a1, b0, b1 int) (x, y int) {
	n, k := a1-a0, b1-b0
	half := min((n+k+1)/2, m.limit)
	off := half + 1
	fw, bw := m.buffers(2*half + 3)
	fw[off+1], bw[off+1] = 0, 0
	delta := n - k
	odd := delta&1 != 0
	var fwLo, fwHi, bwLo, bwHi int
	for d := 0; d <= half; d++ {
		for q := -d + fwLo; q <= d-fwHi; q += 2 {
			u := step(fw, off, q, d)
			v := u - q
			for u < n && v < k && m.a[a0+u] == m.b[b0+v] {
				u++
				v++
			}
			fw[off+q] = u
			switch p := off + delta - q; {
			case u > n:
				fwHi += 2
			case v > k:
				fwLo += 2
			case odd && p >= 0 && p < len(bw) && bw[p] >= 0 && u >= n-bw[p]:
				return a0 + u, b0 + v
			}
		}
		for q := -d + bwLo; q <= d-bwHi; q += 2 {
			u := step(bw, off, q, d)
			v := u - q
			for u < n && v < k && m.a[a1-1-u] == m.b[b1-1-v] {
				u++
				v++
			}
			bw[off+q] = u
			switch p := off + delta - q; {
			case u > n:
				bwHi += 2
			case v > k:
				bwLo += 2
			case !odd && p >= 0 && p < len(fw) && fw[p] >= 0 && fw[p] >= n-u:
				return a0 + fw[p], b0 + fw[p] - (delta - q)
			}
		}
	}
	for q := -half; q <= half; q++ {
		if u := fw[off+q]; u >= 0 && u <= n && u-q >= 0 && u-q <= k && 2*u-q > x+y {
			x, y = u, u-q
		}
	}
	return a0 + x, b0 + y
}

func (m *myers) buffers(size int) (fw, bw []int) {
	if len(m.fw) < size {
		m.fw, m.bw = make([]int, 2*size), make([]int, 2*size)
	}
	fw, bw = m.fw[:size], m.bw[:size]
	for i := range fw {
		fw[i], bw[i] = -1, -1
	}
	return fw, bw
}

func step(v []int, off, q, d int) int {
	if q == -d || (q != d && v[off+q-1] < v[off+q+1]) {
		return v[off+q+1]
	}
	return v[off+q-1] + 1
}
