package manuscript

import (
	"strconv"
	"strings"

	"git-novel/schema"
)

// settle gives the chapters their numbers, volumes, keys and places.
func settle(p *Plan, o Options) {
	assignVolumes(p)
	checkNumbers(p)
	checkZero(p)
	if o.Renumber && len(p.Restarts)+len(p.Duplicates)+len(p.Disorder)+len(p.AfterZero) > 0 {
		renumber(p)
	}
	rangeVolumes(p)
	assignKeys(p)
	place(p)
}

// assignVolumes starts a volume at every volume heading that differs from the one before: collections repeat the volume
// in each heading.
func assignVolumes(p *Plan) {
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if v := c.pendingVolume; v != nil {
			now := len(p.Volumes) - 1
			if now < 0 || squeeze(p.Volumes[now].Name) != squeeze(v.name) || v.title != "" && squeeze(p.Volumes[now].Title) != squeeze(v.title) {
				p.Volumes = append(p.Volumes, Volume{Name: v.name, Title: v.title, Line: c.volumeLine})
				c.newVolume = true
			}
		}
		c.Volume = len(p.Volumes)
	}
}

// checkNumbers finds numbers that restart, repeat, go back or are skipped.
func checkNumbers(p *Plan) {
	numbered := make([]int, 0, len(p.Chapters))
	for i := range p.Chapters {
		if p.Chapters[i].Numbered() {
			numbered = append(numbered, i)
		}
	}
	prev := -1 // the highest number of this run
	seen := map[int]bool{}
	begins := false // a volume began since the last numbered chapter
	var gaps []Gap
	at := 0
	number := func(k int) int {
		if k < len(numbered) {
			return p.Chapters[numbered[k]].Number
		}
		return -1
	}
	for i := range p.Chapters {
		c := &p.Chapters[i]
		begins = begins || c.newVolume
		if !c.Numbered() {
			continue
		}
		at++
		next := number(at)
		n := c.Number
		switch {
		case prev < 0:
		case n > next && n > prev+1 && (next == prev+2 || next == prev+1 && number(at+1) == next+1):
			p.Disorder = append(p.Disorder, i) // 101, 1002, 103: a slip of the pen
			begins = false
			continue
		case n > prev+1:
			gaps = append(gaps, Gap{From: prev + 1, To: n - 1})
		case n > prev:
		case begins && (n <= 1 || n < prev), n <= 1 && prev > 1 && (next < 0 || next == n+1):
			p.Restarts = append(p.Restarts, i)
			p.Gaps = append(p.Gaps, open(gaps, seen)...)
			gaps = nil
			clear(seen)
		case seen[n]:
			p.Duplicates = append(p.Duplicates, i)
			begins = false
			continue
		default:
			p.Disorder = append(p.Disorder, i)
			seen[n] = true
			begins = false
			continue
		}
		for k := n; k <= max(n, c.last); k++ {
			seen[k] = true
		}
		prev = max(n, c.last)
		begins = false
	}
	p.Gaps = append(p.Gaps, open(gaps, seen)...)
}

// checkZero finds unnumbered chapters right behind a chapter 0.
func checkZero(p *Plan) {
	after := false
	for i := range p.Chapters {
		switch c := &p.Chapters[i]; {
		case c.Numbered():
			after = c.Number == 0
		case after:
			p.AfterZero = append(p.AfterZero, i)
		}
	}
}

// open is what remains of the gaps when chapters out of order have filled some of them.
func open(gaps []Gap, seen map[int]bool) []Gap {
	var out []Gap
	for _, g := range gaps {
		for n := g.From; n <= g.To; n++ {
			switch {
			case seen[n]:
			case len(out) > 0 && out[len(out)-1].To == n-1:
				out[len(out)-1].To = n
			default:
				out = append(out, Gap{From: n, To: n})
			}
		}
	}
	return out
}

// renumber counts the numbered chapters through the book and makes a volume of every run of numbers.
func renumber(p *Plan) {
	p.Renumbered = true
	inferVolumes(p)
	next := 1
	first := true
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if !c.Numbered() {
			continue
		}
		if first && c.Number == 0 && len(p.AfterZero) == 0 {
			next = 0
		}
		first = false
		c.Number = next
		next++
	}
	p.Gaps = nil
}

// inferVolumes adds a volume at each restart that has no volume heading, so that the ranges of the source are kept.
func inferVolumes(p *Plan) {
	restart := map[int]bool{}
	for _, i := range p.Restarts {
		restart[i] = true
	}
	if len(restart) == 0 {
		return
	}
	var vs []Volume
	seenNumbered := false
	had := 0      // volume of the source that the last chapter was in
	fresh := true // no numbered chapter came since the last volume began
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if c.Volume != had {
			had = c.Volume
			vs = append(vs, p.Volumes[had-1])
			fresh = true
		}
		if c.Numbered() {
			if !seenNumbered && len(vs) == 0 || restart[i] && !fresh {
				vs = append(vs, Volume{})
			}
			seenNumbered, fresh = true, false
		}
		c.Volume = len(vs)
	}
	p.Volumes = vs
}

// rangeVolumes sets the numbers that each volume holds.
func rangeVolumes(p *Plan) {
	for v := range p.Volumes {
		p.Volumes[v].Number, p.Volumes[v].First, p.Volumes[v].Last = v+1, -1, -1
	}
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if c.Volume == 0 || !c.Numbered() {
			continue
		}
		v := &p.Volumes[c.Volume-1]
		if v.First < 0 {
			v.First = c.Number
		}
		v.Last = c.Number
	}
}

// titleUnits is how much of a title goes into the key of an unnumbered chapter, as in file names (seed novel_draft's
// plugin cuts there too).
const titleUnits = 24

// assignKeys gives every chapter a key that no other has. An unnumbered chapter is called by its name; when several have
// one name, their titles tell them apart, and where there is none a count does.
func assignKeys(p *Plan) {
	names := map[string]int{}
	for i := range p.Chapters {
		if c := &p.Chapters[i]; !c.Numbered() {
			names[foldKey(c.baseName())]++
		}
	}
	taken := map[string]bool{}
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if c.Numbered() && c.Number <= MaxNumber {
			c.Key = schema.NumberKey(c.Number)
			continue
		}
		if c.Key == "" && c.Source < 0 && c.Number < 0 && strings.HasPrefix(c.name, "第") && c.joint != "·" && numeralTooHigh(c.name) {
			c.Doubt = append(c.Doubt, schema.Textf("its number is above %d", MaxNumber))
		}
		base := c.baseName()
		options := []string{base}
		if names[foldKey(base)] > 1 && c.Title != "" {
			options = []string{base + "·" + schema.TrimJS(schema.CutUTF16(c.Title, titleUnits)), base}
		}
		c.Key = freeKey(options, taken)
		taken[foldKey(string(c.Key))] = true
		if c.joint == "·" {
			c.Title = ""
		}
	}
}

func numeralTooHigh(name string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(name, "第"), blanks)
	n, plain := numeralSpan(rest)
	return n > 0 && numeralValue(plain) < 0
}

// baseName is what an unnumbered chapter is called before names are told apart.
func (c *Chapter) baseName() string {
	switch {
	case c.Key != "":
		return string(c.Key)
	case c.joint == "·" && c.Title != "":
		return c.name + "·" + schema.TrimJS(schema.CutUTF16(c.Title, titleUnits))
	}
	return c.name
}

func freeKey(options []string, taken map[string]bool) schema.ChapterKey {
	for _, o := range options {
		if k, ok := unnumberedKey(o); ok && !taken[foldKey(string(k))] {
			return k
		}
	}
	base, ok := unnumberedKey(options[len(options)-1])
	if !ok {
		base = "未命名章"
	}
	for n := 2; ; n++ {
		k := base + schema.ChapterKey(" ("+strconv.Itoa(n)+")")
		if !taken[foldKey(string(k))] {
			return k
		}
	}
}

// unnumberedKey gives the key of a name, not ok when the name would read as a number.
func unnumberedKey(s string) (schema.ChapterKey, bool) {
	k, err := schema.ParseChapterKey(s)
	if err != nil {
		return "", false
	}
	_, numbered := k.Number()
	return k, !numbered
}

func foldKey(s string) string { return schema.FoldName(s) }

// place chains every unnumbered chapter to the one before it, so that the order of the source is the order of the book.
// "0000" is the front of the book even when it has a chapter 0, so nothing can stand right behind that chapter.
func place(p *Plan) {
	prev := frontID
	for i := range p.Chapters {
		c := &p.Chapters[i]
		if !c.Numbered() {
			c.After = prev
		}
		prev = c.Key.ID()
	}
}

// frontID is the place before the first chapter (DESIGN 4, "Order").
const frontID = "0000"
