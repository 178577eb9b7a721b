package review

import (
	"fmt"
	"hash/fnv"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// Prints are the fingerprints of one chapter's paragraphs, kept so that a later chapter can be compared with it without
// its text.
type Prints struct {
	Chapter    string  `json:"chapter"` // as the report names it: 第01章
	Paragraphs []Print `json:"paragraphs"`
}

// Print is the fingerprint of a paragraph of at least 30 Han characters; shorter ones repeat by nature.
type Print struct {
	Index  int       `json:"index"` // 第N段
	Han    int       `json:"han"`
	Hash   uint64    `json:"hash"`   // of letters and digits: punctuation and blanks do not matter
	Sketch [8]uint32 `json:"sketch"` // minima of eight hashes over runs of four letters; alike paragraphs share most of them
}

const (
	printHan   = 30   // shorter paragraphs are not compared
	doubledHan = 40   // an exact repetition of this length blocks
	runLetters = 4    // length of a shingle
	alikeShare = 0.75 // share of common shingles that makes two paragraphs of one chapter alike
	alikeMins  = 6    // of 8, for paragraphs of earlier chapters, whose shingles are gone
)

// PrintsOf makes the prints of a chapter.
func PrintsOf(chapter, text string) Prints {
	p := Prints{Chapter: chapter}
	for _, q := range prose.Parse(text).Paragraphs {
		if pr, ok := printOf(q); ok {
			p.Paragraphs = append(p.Paragraphs, pr)
		}
	}
	return p
}

func printOf(p prose.Paragraph) (Print, bool) {
	n := prose.Han(p.Text)
	if n < printHan {
		return Print{}, false
	}
	folded := prose.Fold(p.Text)
	h := fnv.New64a()
	_, _ = h.Write([]byte(folded)) // a hash never fails
	out := Print{Index: p.Index, Han: n, Hash: h.Sum64()}
	for i := range out.Sketch {
		out.Sketch[i] = ^uint32(0)
	}
	for _, s := range shingles(folded) {
		for i := range out.Sketch {
			out.Sketch[i] = min(out.Sketch[i], uint32(mix(s+uint64(i)*0x9e3779b97f4a7c15)>>32))
		}
	}
	return out, true
}

// mix is the finaliser of splitmix64: eight independent-looking hashes from one.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func shingles(folded string) []uint64 {
	r := []rune(folded)
	var out []uint64
	for i := 0; i+runLetters <= len(r); i++ {
		h := uint64(14695981039346656037)
		for _, x := range r[i : i+runLetters] {
			h = (h ^ uint64(x)) * 1099511628211
		}
		out = append(out, mix(h))
	}
	return out
}

func common(a, b [8]uint32) int {
	n := 0
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// repeats compares the paragraphs with each other and with earlier chapters.
func (c *checker) repeats() {
	var own []Print
	for _, p := range c.text.Paragraphs {
		if pr, ok := printOf(p); ok {
			own = append(own, pr)
		}
	}
	c.repeatsInside(own)
	c.repeatsEarlier(own)
	c.stutter()
}

func (c *checker) repeatsInside(own []Print) {
	told := map[int]bool{}
	for j := range own {
		for i := range j {
			if told[own[j].Index] {
				break
			}
			same := own[i].Hash == own[j].Hash
			if !same && (common(own[i].Sketch, own[j].Sketch) < 3 || !c.alike(own[i].Index, own[j].Index)) {
				continue
			}
			told[own[j].Index] = true
			c.repeated(own[j], fmt.Sprintf("第%d段", own[i].Index), same)
		}
	}
}

func (c *checker) repeated(p Print, of string, same bool) {
	i := issue{
		severity: schema.SeverityMedium, category: schema.CategoryOther, paragraph: p.Index,
		evidence: c.text.Paragraphs[p.Index-1].Text, hint: "删去多出来的一处，或改写",
	}
	switch {
	case same && quoted(i.evidence):
		i.what = "整段引文与" + of + "相同" // a letter read again, a song, a spell: often meant
	case same && p.Han >= doubledHan:
		i.severity, i.blocking = schema.SeverityHigh, true
		i.what = "整段与" + of + "重复"
	case same:
		i.what = "整段与" + of + "重复（短段）"
	default:
		i.what = "整段与" + of + "高度相似"
	}
	c.add(i)
}

// quoted reports a paragraph that is a quotation for more than half.
func quoted(s string) bool {
	n := 0
	for _, q := range quotedSpeech().FindAllString(s, -1) {
		n += prose.Han(q)
	}
	return 2*n > prose.Han(s)
}

// alike compares two paragraphs of this chapter by their shingles.
func (c *checker) alike(a, b int) bool {
	x, y := map[uint64]bool{}, map[uint64]bool{}
	for _, s := range shingles(prose.Fold(c.text.Paragraphs[a-1].Text)) {
		x[s] = true
	}
	both := 0
	for _, s := range shingles(prose.Fold(c.text.Paragraphs[b-1].Text)) {
		if !y[s] && x[s] {
			both++
		}
		y[s] = true
	}
	all := len(x) + len(y) - both
	return all > 0 && float64(both) >= alikeShare*float64(all)
}

// repeatsEarlier looks every earlier print up in an index of this chapter's, so that its cost grows with the earlier text
// alone.
func (c *checker) repeatsEarlier(own []Print) {
	byHash := map[uint64]int{}
	byMin := map[uint32][]int{}
	for i, p := range own {
		if _, twice := byHash[p.Hash]; !twice {
			byHash[p.Hash] = i
		}
		for _, m := range p.Sketch {
			byMin[m] = append(byMin[m], i)
		}
	}
	told := map[int]bool{}
	for _, ch := range c.in.Earlier {
		for _, old := range ch.Paragraphs {
			of := fmt.Sprintf("%s第%d段", ch.Chapter, old.Index)
			if i, ok := byHash[old.Hash]; ok {
				if !told[i] {
					told[i] = true
					c.repeated(own[i], of, true)
				}
				continue
			}
			count := map[int]int{}
			for _, m := range old.Sketch {
				for _, i := range byMin[m] {
					count[i]++
				}
			}
			for i, n := range count {
				if n >= alikeMins && !told[i] && common(own[i].Sketch, old.Sketch) >= alikeMins {
					told[i] = true
					c.repeated(own[i], of, false)
				}
			}
		}
	}
}

// stutter reports a sentence of at least 12 Han characters that stands twice in a row.
func (c *checker) stutter() {
	before := ""
	for _, p := range c.text.Paragraphs {
		for _, s := range prose.Sentences(p.Text) {
			f := prose.Fold(s)
			if f == before && prose.Han(s) >= 12 {
				c.add(issue{
					severity: schema.SeverityMedium, category: schema.CategoryOther, paragraph: p.Index, what: "同一句连写了两遍",
					evidence: s, hint: "删去一遍",
				})
			}
			before = f
		}
	}
}
