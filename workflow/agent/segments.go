package agent

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// Pair is two draft segments that look like one text and its correction. Numbers start at 1, A is the earlier one.
type Pair struct {
	A     int     `json:"a"`
	B     int     `json:"b"`
	Share float64 `json:"share"` // of the shorter one's letter pairs that the other has too, 0..1
}

const (
	similarShare  = 0.55
	similarPairs  = 10  // a shorter segment ("他笑了。") is like too many others
	maxSegmentNum = 1e6 // bounds the numbers that are parsed
)

// SimilarSegments finds pairs in which the later segment may correct the earlier one: at least 55 % of the shorter one's
// letter pairs stand in the other.
func SimilarSegments(segs []string) []Pair {
	sets := make([]map[[2]rune]bool, len(segs))
	holders := map[[2]rune][]int{} // so that only segments with something in common are compared
	for i, s := range segs {
		sets[i] = map[[2]rune]bool{}
		r := []rune(prose.Fold(s))
		for k := 0; k+1 < len(r); k++ {
			g := [2]rune{r[k], r[k+1]}
			if !sets[i][g] {
				sets[i][g] = true
				holders[g] = append(holders[g], i)
			}
		}
	}
	var out []Pair
	for b := range segs {
		if len(sets[b]) < similarPairs {
			continue
		}
		shared := map[int]int{}
		for g := range sets[b] {
			for _, a := range holders[g] {
				if a >= b {
					break
				}
				shared[a]++
			}
		}
		for a, n := range shared {
			least := min(len(sets[a]), len(sets[b]))
			most := max(len(sets[a]), len(sets[b]))
			// A sentence quoted in a long segment is no correction of it: the sizes must be comparable too.
			if share := float64(n) / float64(least); least >= similarPairs && share >= similarShare && most <= 3*least {
				out = append(out, Pair{A: a + 1, B: b + 1, Share: share})
			}
		}
	}
	slices.SortFunc(out, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return out
}

// ParseSegments reads a choice such as "1,3-5" of n segments, numbers from 1. The order is kept as written; a number
// that is named twice, out of range or no number is CodeUsage, all such faults at once.
func ParseSegments(choice string, n int) ([]int, error) {
	var out []int
	var faults []schema.Fault
	bad := func(part, format string, args ...any) {
		faults = append(faults, schema.Fault{Field: "--segments", Rule: "segments", Msg: schema.Textf(format, append([]any{part}, args...)...)})
	}
	choice = strings.NewReplacer("，", ",", "、", ",", "－", "-", "—", "-", "–", "-").Replace(choice)
	for part := range strings.SplitSeq(choice, ",") {
		part = strings.TrimSpace(part)
		from, to, span := strings.Cut(part, "-")
		a, okA := segmentNumber(from)
		b, okB := a, true
		if span {
			b, okB = segmentNumber(to)
		}
		switch {
		case !okA || !okB:
			bad(part, "%q is neither a number nor a range such as 3-5")
		case a > b:
			bad(part, "%q runs backwards")
		case a < 1 || b > n:
			bad(part, "%q is outside of the %d segments there are", n)
		default:
			for i := a; i <= b; i++ {
				if slices.Contains(out, i) {
					bad(part, "%q names segment %d a second time", i)
					continue
				}
				out = append(out, i)
			}
		}
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeUsage, "the choice of segments %q cannot be used", choice).
			WithHint("write the numbers in the order of the text, e.g. --segments 1,3-5").WithDetails(faults...)
	}
	return out, nil
}

func segmentNumber(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil && n >= 0 && n <= maxSegmentNum
}
