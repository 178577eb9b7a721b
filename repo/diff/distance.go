package diff

import (
	"math"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EditedChars counts the inserted and deleted characters of the minimal diff of two texts, in UTF-16 units like every
// length of this program. It is exact whatever the size; the time is at most proportional to len(a)×len(b)/64, and far
// less for texts that are alike. Use EditedCharsMax where only a limit matters.
func EditedChars(a, b string) (inserted, deleted int) {
	inserted, deleted, _ = EditedCharsMax(a, b, -1)
	return inserted, deleted
}

// EditedCharsMax is EditedChars that stops once inserted plus deleted is known to exceed limit; within is then false and
// the counts are meaningless. A negative limit means none. It serves the polish rule of DESIGN 5 (limit = 15 % of the
// reviewed text).
func EditedCharsMax(a, b string, limit int) (inserted, deleted int, within bool) {
	return distance(units(a), units(b), limit)
}

// ProseEdits is EditedCharsMax over the texts without what counts 0 as a typo: the byte order mark, the kind of line
// ends, trailing blanks of lines and the line ends at the end of the text (DESIGN 5, `chapter save --typo`: at most 20).
func ProseEdits(a, b string, limit int) (inserted, deleted int, within bool) {
	return EditedCharsMax(canonical(a), canonical(b), limit)
}

// canonical drops what ProseEdits ignores.
func canonical(text string) string {
	text = strings.TrimPrefix(text, bom)
	var out strings.Builder
	out.Grow(len(text))
	pending := 0 // line ends that come out only when something follows
	for pos := 0; pos < len(text); {
		end, next := lineEnd(text, pos)
		line := strings.TrimRightFunc(text[pos:end], unicode.IsSpace)
		if line != "" {
			for range pending {
				out.WriteByte('\n')
			}
			pending = 0
			out.WriteString(line)
		}
		if next > end {
			pending++
		}
		pos = next
	}
	return out.String()
}

// units gives the UTF-16 code units; a byte that is not UTF-8 becomes a lone surrogate of its own, which valid text never
// contains, so that two different bad bytes differ.
func units(s string) []uint16 {
	out := make([]uint16, 0, len(s)/2+8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, 0xdc00|uint16(s[i]))
		default:
			out = utf16.AppendRune(out, r)
		}
		i += n
	}
	return out
}

func distance(a, b []uint16, limit int) (inserted, deleted int, within bool) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if limit < 0 {
		limit = math.MaxInt
	}
	diff := len(b) - len(a)
	if max(diff, -diff) > limit {
		return 0, 0, false
	}
	d, ok := len(a)+len(b), true
	if len(a) > 0 && len(b) > 0 {
		d, ok = editScript(a, b, limit)
	}
	if !ok || d > limit {
		return 0, 0, false
	}
	// d = inserted + deleted, and len(b) - len(a) = inserted - deleted.
	return (d + diff) / 2, (d - diff) / 2, true
}

// editScript is the length of the shortest script of insertions and deletions. The greedy algorithm costs d², the
// bit-parallel one len(a)×len(b)/64 whatever d is: the second takes over where it becomes the cheaper one.
func editScript(a, b []uint16, limit int) (d int, ok bool) {
	cells := float64(len(a)) * float64(len(b)) / 64
	turn := min(limit, int(math.Sqrt(cells*2))+64, len(a)+len(b))
	if d, ok := greedy(a, b, turn); ok || turn == limit {
		return d, ok
	}
	return len(a) + len(b) - 2*commonLength(a, b), true
}

// greedy is Myers' O(ND) algorithm without the trace. It fails when the distance exceeds limit.
func greedy(a, b []uint16, limit int) (int, bool) {
	// v[k] is the furthest x on diagonal k = x - y; diagonals outside the rectangle are never entered.
	v := make([]int, 2*limit+3)
	off := limit + 1
	lo, hi := 0, 0
	for d := 0; d <= limit; d++ {
		for k := -d + 2*lo; k <= d-2*hi; k += 2 {
			var x int
			if k == -d || (k != d && v[off+k-1] < v[off+k+1]) {
				x = v[off+k+1]
			} else {
				x = v[off+k-1] + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x++
				y++
			}
			v[off+k] = x
			if x >= len(a) && y >= len(b) {
				return d, true
			}
			if x >= len(a) {
				hi++
			} else if y >= len(b) {
				lo++
			}
		}
	}
	return 0, false
}

// commonLength is the length of the longest common subsequence: the bit-vector algorithm of Crochemore and Hyyrö, 64 rows
// at a time, carries kept per column, so that memory stays linear.
func commonLength(a, b []uint16) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	masks := make([]uint64, 1<<16)
	carry := make([]uint8, len(b))
	total := 0
	for lo := 0; lo < len(a); lo += 64 {
		rows := a[lo:min(lo+64, len(a))]
		for i, u := range rows {
			masks[u] |= 1 << i
		}
		v := ^uint64(0)
		for j, u := range b {
			m := masks[u]
			sum, c := bits.Add64(v, v&m, uint64(carry[j]))
			carry[j] = uint8(c)
			v = sum | v&^m
		}
		for i, u := range rows {
			masks[u] = 0
			if v&(1<<i) == 0 {
				total++
			}
		}
	}
	return total
}
