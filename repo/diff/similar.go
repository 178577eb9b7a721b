package diff

import (
	"cmp"
	"slices"
	"unicode"
)

// A unit's features are its pairs of neighbouring runes, blanks left out, each once. Pairs carry word order where single
// Han characters do not, and are short enough that a changed character spoils only two of them.
type featureCache map[string][]uint64

func (c *featureCache) of(text string) []uint64 {
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
func features(text string) []uint64 {
	out := make([]uint64, 0, len(text)/3+1)
	prev := rune(-1)
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		if prev >= 0 {
			out = append(out, uint64(prev)<<21|uint64(r))
		}
		prev = r
	}
	slices.Sort(out)
	return slices.Compact(out)
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

// featureIndex lists for each feature the units that have it.
type featureIndex struct {
	at    map[uint64]span // feature → range of posts; start < 0 marks a feature that is too common
	posts []int32
	size  []int32 // features per unit that are not too common
}

func indexFeatures(units []string, cache *featureCache) *featureIndex {
	total := 0
	for _, u := range units {
		total += len(cache.of(u))
	}
	type entry struct {
		f uint64
		i int32
	}
	all := make([]entry, 0, total)
	for i, u := range units {
		for _, f := range cache.of(u) {
			all = append(all, entry{f, int32(i)})
		}
	}
	slices.SortFunc(all, func(x, y entry) int { return cmp.Or(cmp.Compare(x.f, y.f), cmp.Compare(x.i, y.i)) })
	common := 64
	if len(units) <= 256 {
		common = 256
	}
	ix := &featureIndex{at: make(map[uint64]span, total), posts: make([]int32, len(all)), size: make([]int32, len(units))}
	for lo := 0; lo < len(all); {
		hi := lo
		for hi < len(all) && all[hi].f == all[lo].f {
			ix.posts[hi] = all[hi].i
			hi++
		}
		if hi-lo > common {
			ix.at[all[lo].f] = span{-1, -1}
		} else {
			ix.at[all[lo].f] = span{lo, hi}
			for _, i := range ix.posts[lo:hi] {
				ix.size[i]++
			}
		}
		lo = hi
	}
	return ix
}

func (ix *featureIndex) lookup(f uint64) (posts []int32, common bool) {
	s, ok := ix.at[f]
	if !ok {
		return nil, false
	}
	if s.start < 0 {
		return nil, true
	}
	return ix.posts[s.start:s.end], false
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
