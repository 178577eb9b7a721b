package manuscript

import (
	"slices"
	"strings"

	"git-novel/schema"
)

// Split finds the chapters of a decoded text. It always gives a plan whose chapters make up the text; whether the plan
// can be imported is what Plan.Faults says.
func Split(text string, o Options) *Plan {
	p := &Plan{Text: text}
	if strings.Trim(text, blanks+"\n") == "" {
		return p
	}
	found := find(p, scan(text, 0, 0))
	p.Chapters = cut(text, 0, len(text), found, FrontKey)
	settle(p, o)
	return p
}

// found is a heading that starts a chapter, or a volume heading in front of one.
type found struct {
	candidate
	begin  int         // offset at which its chapter begins: at the volume heading when there is one
	volume *volumeLine // the volume that begins here
	vline  int
}

// find decides which candidates are headings.
func find(p *Plan, cs []candidate) []found {
	for i := range cs {
		cs[i].score, _ = weighLine(&cs[i])
	}
	cs = chooseLevel(cs)
	p.Contents = markContents(cs)
	markRepeated(cs)
	weigh(cs)
	sectionsAsVolumes(cs)
	cs = fold(cs, func(c *candidate) bool {
		switch {
		case c.inContents, c.repeated, c.kind == kindContents, c.score < accepted:
			return false
		case c.kind == kindSection:
			return c.fills
		}
		return true
	})
	return attachVolumes(cs)
}

// chooseLevel decides which kind of numbered heading makes the chapters of this text, and drops what cannot be one.
func chooseLevel(cs []candidate) []candidate {
	chapters := 0
	sections := map[string]int{}
	most := ""
	for i := range cs {
		c := &cs[i]
		switch {
		case c.score < accepted:
		case c.kind == kindChapter:
			chapters++
		case c.kind == kindSection:
			sections[c.mark]++
			if n := sections[c.mark]; n > sections[most] || n == sections[most] && c.mark < most {
				most = c.mark
			}
		}
	}
	weak := func(c *candidate) bool { return c.score < accepted-15 }
	if chapters >= 3 || chapters > 0 && chapters*5 >= sections[most] {
		return fold(cs, func(c *candidate) bool { return c.kind != kindBare && !weak(c) })
	}
	if most != "" {
		for i := range cs {
			if cs[i].kind == kindSection && cs[i].mark == most {
				cs[i].kind = kindChapter
			}
		}
		return fold(cs, func(c *candidate) bool { return c.kind != kindBare && !weak(c) })
	}
	class := bareClass(cs)
	next := -1
	cs = fold(cs, func(c *candidate) bool {
		if c.kind != kindBare {
			return !weak(c)
		}
		if class == "" || c.mark != class || next >= 0 && c.number != next || next < 0 && c.number > 1 {
			return false
		}
		next = c.number + 1
		c.kind = kindChapter
		c.bare = true
		return true
	})
	return volumesAsChapters(cs)
}

// bareClass is the kind of bare numeral that counts 1, 2, 3 … through the text with a chapter's worth of words between,
// "" when there is none: numbered lists have no such distance.
func bareClass(cs []candidate) string {
	type run struct{ next, n, others, start, words int }
	runs := map[string]*run{}
	total := 0
	for i := range cs {
		c := &cs[i]
		total += c.bodyRunes
		if c.kind != kindBare {
			continue
		}
		r := runs[c.mark]
		if r == nil {
			r = &run{next: -1}
			runs[c.mark] = r
		}
		if r.next < 0 && c.number <= 1 || r.next == c.number {
			if r.n == 0 {
				r.start = total - c.bodyRunes
			}
			r.next = c.number + 1
			r.n++
		} else {
			r.others++
		}
	}
	best := ""
	for class, r := range runs {
		r.words = (total - r.start) / max(r.n, 1)
		if r.n < 3 || r.others > r.n || r.words < 200 {
			continue
		}
		if best == "" || r.n > runs[best].n || r.n == runs[best].n && class < best {
			best = class
		}
	}
	return best
}

// volumesAsChapters splits a text that has volumes only: 卷一, 卷二 of a collection of tales.
func volumesAsChapters(cs []candidate) []candidate {
	volumes := 0
	for i := range cs {
		switch cs[i].kind {
		case kindVolume:
			volumes++
		case kindChapter:
			return cs
		case kindNone, kindSection, kindNamed, kindBare, kindContents:
		}
	}
	if volumes < 2 {
		return cs
	}
	for i := range cs {
		if c := &cs[i]; c.kind == kindVolume {
			c.kind, c.number, c.last, c.volumeOnly = kindNamed, -1, -1, true
		}
	}
	return cs
}

// sectionsAsVolumes turns 第一集 into a volume when a chapter heading follows at once.
func sectionsAsVolumes(cs []candidate) {
	for i := range cs[:max(len(cs)-1, 0)] {
		c, next := &cs[i], &cs[i+1]
		if c.kind == kindSection && !c.fills && c.mark != "节" && c.mark != "節" && next.kind == kindChapter && c.bodyRunes == 0 {
			c.kind = kindVolume
			c.score += 15
		}
	}
}

// prefaceRunes is how much text may stand between a volume heading and its first chapter and still belong to that
// chapter. More is a preface of its own.
const prefaceRunes = 200

// attachVolumes puts a volume heading in front of the chapter that follows it.
func attachVolumes(cs []candidate) []found {
	var out []found
	var pending *candidate
	begin := 0
	for i := range cs {
		c := &cs[i]
		if c.kind == kindVolume {
			if pending != nil && pending.file == c.file && pending.bodyRunes > prefaceRunes {
				out = append(out, prefaceOf(pending, begin))
				pending = nil
			}
			if pending == nil || pending.file != c.file {
				begin = c.start
			}
			pending = c
			continue
		}
		f := found{candidate: *c, begin: c.start, volume: c.heading.volume, vline: c.line}
		if pending != nil {
			v := &volumeLine{name: pending.name, title: pending.title}
			switch {
			case pending.file != c.file:
				f.volume, f.vline = v, pending.line
			case pending.bodyRunes > prefaceRunes:
				out = append(out, prefaceOf(pending, begin))
			default:
				f.begin, f.volume, f.vline = begin, v, pending.line
			}
			pending = nil
		}
		out = append(out, f)
	}
	if pending != nil && pending.bodyRunes > 0 {
		out = append(out, prefaceOf(pending, begin))
	}
	return out
}

// prefaceOf makes a chapter of its own of a volume heading with much text behind it.
func prefaceOf(v *candidate, begin int) found {
	f := found{candidate: *v, begin: begin, volume: &volumeLine{name: v.name, title: v.title}, vline: v.line}
	f.kind, f.number, f.last = kindNamed, -1, -1
	return f
}

// cut makes chapters of text[start:end] from the headings in it. What stands before the first heading becomes a chapter
// of its own when it is not blank.
func cut(text string, start, end int, fs []found, front schema.ChapterKey) []Chapter {
	var out []Chapter
	first := end
	if len(fs) > 0 {
		first = fs[0].begin
	}
	if strings.Trim(text[start:first], blanks+"\n") != "" {
		c := Chapter{Key: front, Number: -1, Source: -1, Line: 1, Start: start, End: first, Confidence: 100}
		if len(fs) == 0 {
			c.Confidence = 0
			c.Doubt = []schema.Text{schema.Textf("no chapter heading was found")}
		}
		out = append(out, c)
		start = first
	}
	for i := range fs {
		f := &fs[i]
		c := chapterOf(f)
		c.Start, c.End = f.begin, end
		if i == 0 {
			c.Start = start
		}
		if i+1 < len(fs) {
			c.End = fs[i+1].begin
		}
		if strings.Trim(text[min(f.next, c.End):c.End], blanks+"\n") == "" {
			c.Doubt = append(c.Doubt, doubtEmpty.text())
		}
		c.pendingVolume, c.volumeLine = f.volume, f.vline
		out = append(out, c)
	}
	return out
}

func chapterOf(f *found) Chapter {
	c := Chapter{
		Number: f.number, Source: f.number, Title: f.title, Heading: f.text, Line: f.line, Confidence: max(0, min(100, f.score)),
		last: f.last, name: f.name, joint: f.joint,
	}
	for _, d := range f.doubt {
		if f.score < certain || d == doubtSequence {
			c.Doubt = append(c.Doubt, d.text())
		}
	}
	switch {
	case f.bare:
		c.Doubt = append(c.Doubt, doubtBare.text())
	case f.volumeOnly:
		c.Doubt = append(c.Doubt, doubtVolumeOnly.text())
	case f.last > f.number:
		c.Doubt = append(c.Doubt, doubtRange.text())
	case len(c.Doubt) == 0 && f.score < certain:
		c.Doubt = append(c.Doubt, schema.Textf("the heading is doubtful"))
	}
	c.Doubt = slices.Clip(c.Doubt)
	return c
}
