package diff

import (
	"sort"
	"strings"
)

// breakSign stands for the end of a paragraph inside a block.
const breakSign = "¶"

// gap records how the text between two bodies changed. outer says that it lies between paragraphs and not between
// sentences, where equal and changed blanks are part of the paragraph that is shown.
func (e *emitter) gap(a, b span, outer bool) {
	ga, gb := a.of(e.c.a), b.of(e.c.b)
	if !outer {
		switch was, is := hasLineEnd(ga), hasLineEnd(gb); {
		case was && !is:
			e.seg(Delete, breakSign, -1)
		case is && !was:
			e.seg(Insert, breakSign, -1)
		case is:
			e.seg(Equal, breakSign, -1)
		default:
			e.seg(Equal, gb, -1)
		}
	}
	if ga == gb {
		return
	}
	place := func(paras []span, s span) Place {
		n := sort.Search(len(paras), func(i int) bool { return paras[i].start > s.start })
		return Place{Paragraph: n, Start: s.start, End: s.end}
	}
	add := func(k Kind, pa, pb span) {
		old, now := pa.of(e.c.a), pb.of(e.c.b)
		if old != now {
			e.res.Layout = append(e.res.Layout, Layout{k, place(e.c.pa, pa), place(e.c.pb, pb), old, now})
		}
	}
	atEnd := a.end == len(e.c.a) && b.end == len(e.c.b)
	if !outer {
		if hasLineEnd(ga) != hasLineEnd(gb) {
			add(ParagraphBreak, a, b)
			return
		}
		if !hasLineEnd(ga) {
			add(Blanks, a, b)
			return
		}
	}
	la, lb := splitGap(e.c.a, a), splitGap(e.c.b, b)
	add(ByteOrderMark, la.bom, lb.bom)
	na, nb := len(la.lines), len(lb.lines)
	switch {
	case na == nb:
		for i := range la.lines {
			kind := EmptyLines
			if i == 0 {
				kind = TrailingBlanks
			}
			add(kind, la.lines[i].blanks, lb.lines[i].blanks)
			add(LineEnd, la.lines[i].end, lb.lines[i].end)
		}
	case atEnd && min(na, nb) == 0 && max(na, nb) == 1:
		add(FinalLineEnd, la.all, lb.all)
	case na > 0 && nb > 0 && a.start > 0 && b.start > 0:
		// The line end of the paragraph itself, then the empty lines.
		add(TrailingBlanks, la.lines[0].blanks, lb.lines[0].blanks)
		add(LineEnd, la.lines[0].end, lb.lines[0].end)
		add(EmptyLines, span{la.lines[0].end.end, la.all.end}, span{lb.lines[0].end.end, lb.all.end})
	default:
		add(EmptyLines, la.all, lb.all)
	}
	last := Indentation
	if atEnd {
		last = TrailingBlanks
	}
	add(last, la.indent, lb.indent)
}

func hasLineEnd(s string) bool { return strings.ContainsAny(s, "\r\n") }

// gapParts are the parts of a gap: a byte order mark, lines that hold only blanks, and the blanks before the next body.
type gapParts struct {
	bom    span
	lines  []gapLine
	all    span // of the lines
	indent span
}

type gapLine struct{ blanks, end span }

func splitGap(text string, g span) gapParts {
	p := gapParts{bom: span{g.start, g.start}}
	pos := g.start
	if g.start == 0 && strings.HasPrefix(g.of(text), bom) {
		p.bom.end = len(bom)
		pos = len(bom)
	}
	p.all = span{pos, pos}
	for {
		end, next := lineEnd(text[:g.end], pos)
		if next == end {
			break
		}
		p.lines = append(p.lines, gapLine{span{pos, end}, span{end, next}})
		pos = next
	}
	p.all.end = pos
	p.indent = span{pos, g.end}
	return p
}
