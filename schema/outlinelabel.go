package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// label finds a known label at the front of a line. `关键实体/涉及实体` is one when both mean the same.
func (p *mdParser) label(l mdLine) (label mdLabel, value string, ok bool) {
	if name, value, ok := cutLabel(l.text); ok {
		if label, ok := p.known(name); ok {
			return label, value, true
		}
	}
	// Without a colon a word is a label only where a label can stand: not inside another one's value.
	if p.nested(l) && p.open.kind != mdGroup {
		return mdLabel{}, "", false
	}
	name, value, ok := cutBlankLabel(l.text)
	if !ok {
		return mdLabel{}, "", false
	}
	label, ok = p.known(name)
	return label, value, ok
}

func (p *mdParser) known(name string) (mdLabel, bool) {
	var found mdLabel
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '／' })
	for i, part := range parts {
		l, ok := p.labels[strings.ReplaceAll(plainLabel(part), "_", "")]
		if !ok || i > 0 && (l.kind != found.kind || l.field != found.field) {
			return mdLabel{}, false
		}
		found = l
	}
	return found, len(parts) > 0
}

// begin starts a label and takes the value on its own line.
func (p *mdParser) begin(label mdLabel, l mdLine, value string) {
	p.open = mdOpen{mdLabel: label, set: true, line: l, heading: l.level > 0, bare: value == ""}
	if p.outline == nil && !p.fitsVolume(label) {
		p.fault(l.no, "this label belongs to a chapter, not to a volume")
		p.open.set = false
		return
	}
	if label.field != nil && label.field.texts == nil || label.kind == mdTitle || label.kind == mdRange {
		name := p.open.name()
		if was, twice := p.given[name]; twice {
			p.fault(l.no, "%s is given twice; it stands at line %d too", name, was)
			p.open.set = false
			return
		}
		p.given[name] = l.no
	}
	if value != "" {
		p.value(value, l, false)
	}
}

func (o mdOpen) name() string {
	switch {
	case o.field != nil:
		return o.field.labels[0]
	case o.kind == mdRange:
		return "章节范围"
	}
	return "标题"
}

// fitsVolume says which labels a volume has: what it is for, its part in the whole, its chapters, its title.
func (p *mdParser) fitsVolume(l mdLabel) bool {
	if l.field == nil {
		return l.kind != mdNote
	}
	return l.field.name == "chapter_goal" || l.field.name == "narrative_role_in_arc"
}

// nested reports whether a line belongs to the label that is open: deeper than it, an item below a label that is none, or
// the first line of a value that does not stand on the label's own line.
func (p *mdParser) nested(l mdLine) bool {
	o := p.open
	switch {
	case o.line.no == 0 || o.kind == mdGroup:
		return false
	case o.heading:
		return !p.strange(l)
	case l.indent > o.line.indent:
		return true
	case l.indent < o.line.indent:
		return false
	case o.line.bullet: // items at the level of the label, when it has no value on its own line
		return o.bare && l.bullet && !p.strange(l)
	}
	return (l.bullet || o.values == 0) && !p.strange(l)
}

// inside reports a line that lies below a label whose value has lines of its own: a label there is only a word of that value.
func (p *mdParser) inside(l mdLine) bool {
	o := p.open
	return o.line.no > 0 && o.bare && !o.heading && o.kind != mdGroup && l.indent > o.line.indent
}

// strange reports a line at the level of the labels that has the look of one.
func (p *mdParser) strange(l mdLine) bool {
	label, _, ok := cutLabel(l.text)
	return ok && looksLikeLabel(label)
}

// add takes a line that belongs to the open label. Those of a label that is itself at fault are not looked at.
func (p *mdParser) add(l mdLine) {
	if p.open.set {
		p.value(l.text, l, true)
	}
}

// isNone reports a value that says there is none.
func isNone(s string) bool {
	return slices.Contains([]string{"无", "暂无", "無", "没有", "-", "—", "——", "/", "N/A", "n/a"}, strings.Trim(s, "。 （）()"))
}

// value puts a piece of text where the open label says. own is set for a line of its own below the label.
func (p *mdParser) value(s string, l mdLine, own bool) {
	first := p.open.values == 0
	p.open.values++
	if first && isNone(s) {
		return
	}
	if p.outline == nil {
		p.volumeValue(s, l)
		return
	}
	switch o := p.outline; {
	case p.open.kind == mdTitle && first && o.Title != "" && o.Title != s:
		p.fault(l.no, "%s is given twice; it stands at line %d too", "标题", p.line)
	case p.open.kind == mdTitle && first:
		o.Title = s
	case p.open.kind == mdTitle:
		o.Title = joinPiece(o.Title, s, l.bullet)
	case p.open.kind == mdNote:
		o.Note = strings.TrimSpace(o.Note + "\n" + s)
	case p.open.kind == mdGroup, p.open.kind == mdRange:
		p.fault(l.no, "%s is neither a label with its value nor part of the value before it", (&inNode{kind: inString, text: s}).describe())
	case p.open.field.texts == nil:
		p.text(s, l)
	default:
		p.list(s, l, own)
	}
}

func (p *mdParser) text(s string, l mdLine) {
	to := p.open.field.text(&p.outline.Content)
	if p.open.field.name == "strand" && slices.Contains(p.profiles, s) {
		to = &p.outline.Content.Strand
	}
	*to = joinPiece(*to, s, l.bullet)
}

// list adds to a list. The value on the label's line, and a list of names, is taken apart at its separators; an item that
// has a line of its own is one entry, and a line below it that is no item goes on with it.
func (p *mdParser) list(s string, l mdLine, own bool) {
	f := p.open.field
	to := f.texts(&p.outline.Content)
	switch {
	case own && !l.bullet && p.open.values > 1 && len(*to) > 0 && (l.indent > p.open.line.indent || p.open.heading):
		last := &(*to)[len(*to)-1]
		*last = joinPiece(*last, s, false)
	case own && l.bullet && f.name != "key_entities":
		*to = append(*to, s)
	default:
		*to = append(*to, splitOutlineList(s, f.nodes)...)
	}
}

// refer puts the nodes in the place of their names: a list of must-cover nodes often says CBN, CPN2.
func (p *mdParser) refer(c *OutlineContent) {
	for i, name := range c.MustCover {
		node := ""
		switch m := nodeName().FindStringSubmatch(strings.ToUpper(plainASCII(name))); {
		case m == nil:
			continue
		case m[1] == "CBN" && m[2] == "":
			node = c.CBN
		case m[1] == "CEN" && m[2] == "":
			node = c.CEN
		case m[1] == "CPN":
			if n, err := strconv.Atoi(m[2]); err == nil && n >= 1 && n <= len(c.CPNs) {
				node = c.CPNs[n-1]
			}
		}
		if strings.TrimSpace(node) == "" {
			p.fault(p.line, "必须覆盖节点 names %q, but the chapter has no such node", name)
			continue
		}
		c.MustCover[i] = node
	}
}

var nodeName = Pattern(`^(CBN|CPN|CEN)[- ]?([0-9]{0,2})$`)

// plainASCII is a name with half-width letters and digits.
func plainASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xFF00 && r < 0xFF5F {
			return r - 0xFEE0
		}
		return r
	}, strings.TrimSpace(s))
}

// joinPiece joins the lines of one value: items by ；, lines that were only broken without anything between Han characters.
func joinPiece(have, more string, item bool) string {
	switch {
	case have == "":
		return more
	case item:
		return strings.TrimRight(have, "；;。") + "；" + more
	}
	end, _ := utf8.DecodeLastRuneInString(have)
	next, _ := utf8.DecodeRuneInString(more)
	if end < 0x80 && next < 0x80 {
		return have + " " + more
	}
	return have + more
}

func (p *mdParser) volumeValue(s string, l mdLine) {
	v := &p.doc.Volumes[p.volume-1]
	switch {
	case p.open.kind == mdRange:
		rest, first, last, ok := cutRange(s)
		if !ok || strings.TrimSpace(rest) != "" {
			first = -1
		}
		p.setRange(first, last, l.no)
	case p.open.kind == mdTitle:
		v.Title = joinPiece(v.Title, s, l.bullet)
	case p.open.kind == mdGroup:
		p.fault(l.no, "%s is neither a label with its value nor part of the value before it", (&inNode{kind: inString, text: s}).describe())
	case p.open.field.name == "chapter_goal":
		v.Goal = joinPiece(v.Goal, s, l.bullet)
	default:
		v.Role = joinPiece(v.Role, s, l.bullet)
	}
}
