package diff

import (
	"cmp"
	"math/bits"
	"slices"
)

// A unit's features are its pairs of neighbouring runes, blanks left out, each once. Pairs carry word order where single
// Han characters do not, and are short enough that a changed character spoils only two of them.
// They are kept as 32-bit hashes: two pairs that share one only make two units look a little more alike.
type featureCache map[string][]uint32

func (c *featureCache) of(text string) []uint32 {
	if f, ok := (*c)[text]; ok {
		return f
	}
	if *c == nil {
		*c = featureCache{}
	}
	f := features(text)
	(*c)[text] = f
	return f
}

// features gives the sorted set of a text's rune pairs.
func features(text string) []uint32 {
	return gather(make([]uint32, 0, len(text)/3+1), text, 1<<32-1)
}

// gather appends the features up to a limit, sorted and each once.
func gather(out []uint32, text string, limit uint32) []uint32 {
	prev := rune(-1)
	for _, r := range text {
		if r <= ' ' || r == '\u3000' {
			continue
		}
		if prev >= 0 {
			h := (uint64(prev)<<21 | uint64(r)) * 0x9e3779b97f4a7c15
			if f := uint32(h >> 32); f <= limit {
				out = append(out, f)
			}
		}
		prev = r
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sameUnit reports clearly that b is a after edits in place. Where it says no the two may still be alike.
func sameUnit(a, b string) bool {
	if 2*affixes(a, b) > max(len(a), len(b)) {
		return true
	}
	if len(a)+len(b) < 400 {
		return false
	}
	// A quarter of the features of a long unit says enough.
	const quarter = 1 << 30
	var buf [2][192]uint32
	fa, fb := gather(buf[0][:0], a, quarter), gather(buf[1][:0], b, quarter)
	both := 0
	for i, j := 0, 0; i < len(fa) && j < len(fb); {
		switch {
		case fa[i] < fb[j]:
			i++
		case fa[i] > fb[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return 4*both > len(fa)+len(fb)
}

// affixes is the length in bytes of the common prefix and suffix, which do not overlap.
func affixes(a, b string) int {
	n := min(len(a), len(b))
	p := 0
	for p < n && a[p] == b[p] {
		p++
	}
	s := 0
	for s < n-p && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	return p + s
}

const (
	alike      = 0.28 // least share of common features (Dice) at which two units are the same one, edited
	alikeMoved = 0.6  // the same for units at different places
	perUnit    = 12   // candidates kept for a unit
)

// candidates gives the alike pairs of a region, found over an index of features. Features that occur in very many units
// of a say nothing and are skipped, which bounds the work by the size of the texts.
func (al *aligner) candidates(r region) []pairing {
	return alikePairs(al.a[r.a0:r.a1], al.b[r.b0:r.b1], &al.feats, alike, func(i, j int, sim float64) pairing {
		i, j = i+r.a0, j+r.b0
		return pairing{i, j, sim * min(unitWeight(al.a[i]), unitWeight(al.b[j]))}
	})
}

func alikePairs(a, b []string, cache *featureCache, least float64, pairOf func(i, j int, sim float64) pairing) []pairing {
	ix := indexFeatures(a, cache)
	var out, mine []pairing
	shared := make([]int32, len(a))
	var touched []int32
	for j, t := range b {
		touched = touched[:0]
		size := 0
		for _, f := range cache.of(t) {
			posts, common := ix.lookup(f)
			if common {
				continue
			}
			size++
			for _, i := range posts {
				if shared[i] == 0 {
					touched = append(touched, i)
				}
				shared[i]++
			}
		}
		mine = mine[:0]
		for _, i := range touched {
			sim := 2 * float64(shared[i]) / float64(size+int(ix.size[i]))
			shared[i] = 0
			if sim >= least {
				mine = append(mine, pairing{int(i), j, sim})
			}
		}
		if len(mine) > perUnit {
			slices.SortFunc(mine, func(x, y pairing) int {
				return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(distanceOf(x.i, j), distanceOf(y.i, j)), x.i-y.i)
			})
			mine = mine[:perUnit]
		}
		for _, p := range mine {
			out = append(out, pairOf(p.i, p.j, p.weight))
		}
	}
	return out
}

func distanceOf(i, j int) int { return max(i-j, j-i) }

// featureIndex lists for each feature the units that have it: a hash table with open addressing, whose keys are hashes
// already, over one array of posts.
type featureIndex struct {
	slots []slot
	shift int
	posts []int32
	size  []int32 // features per unit that are not too common
}

// slot holds the posts start … start+n of a feature; it is free when n is 0.
type slot struct {
	feature  uint32
	n, start int32
}

func indexFeatures(units []string, cache *featureCache) *featureIndex {
	total := 0
	for _, u := range units {
		total += len(cache.of(u))
	}
	width := bits.Len(uint(total + total/2))
	ix := &featureIndex{
		slots: make([]slot, 1<<width), shift: 32 - min(width, 32), posts: make([]int32, total), size: make([]int32, len(units)),
	}
	for _, u := range units {
		for _, f := range cache.of(u) {
			s := ix.find(f)
			s.feature = f
			s.n++
		}
	}
	most := int32(64)
	if len(units) <= 256 {
		most = 256
	}
	next := int32(0)
	for k := range ix.slots {
		if s := &ix.slots[k]; s.n > most {
			s.start = tooCommon
		} else {
			next += s.n
			s.start = next // moves down to the first post as they are filled in
		}
	}
	for i := len(units) - 1; i >= 0; i-- {
		for _, f := range cache.of(units[i]) {
			if s := ix.find(f); s.start != tooCommon {
				s.start--
				ix.posts[s.start] = int32(i)
				ix.size[i]++
			}
		}
	}
	return ix
}

// tooCommon is the start of a feature that occurs in too many units to say anything.
const tooCommon = -1

// find gives the slot of a feature, or the free one where it would be.
func (ix *featureIndex) find(f uint32) *slot {
	mask := len(ix.slots) - 1
	for at := int(f >> ix.shift); ; at++ {
		if s := &ix.slots[at&mask]; s.n == 0 || s.feature == f {
			return s
		}
	}
}

func (ix *featureIndex) lookup(f uint32) (posts []int32, common bool) {
	s := ix.find(f)
	if s.start == tooCommon {
		return nil, true
	}
	return ix.posts[s.start : s.start+s.n], false
}

// shortSimilarity compares two short units by their longest common subsequence of runes; long ones are not alike here,
// since their features would have shown it.
func shortSimilarity(a, b string) float64 {
	const most = 24
	if len(a) > 4*most || len(b) > 4*most {
		return 0
	}
	ra, rb := []rune(a), []rune(b)
	if len(ra) > most || len(rb) > most || len(ra) == 0 || len(rb) == 0 {
		return 0
	}
	var prev, cur [most + 1]int
	for _, x := range ra {
		for j, y := range rb {
			if x == y {
				cur[j+1] = prev[j] + 1
			} else {
				cur[j+1] = max(prev[j+1], cur[j])
			}
		}
		prev = cur
	}
	return 2 * float64(prev[len(rb)]) / float64(len(ra)+len(rb))
}
