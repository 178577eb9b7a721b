package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// OutlineDoc is what a document of outlines holds: volumes and chapter outlines in the order of the document.
type OutlineDoc struct {
	Title    string // of the document, "" when it has none
	Markdown bool   // it came in the Markdown form, which says nothing of exposure
	Volumes  []Volume
	Outlines []PlacedOutline
}

// PlacedOutline is an outline and the line of the document that it begins at.
type PlacedOutline struct {
	*Outline

	Line int
}

// ParseOutlineMarkdown reads the Markdown form of volume outlines (reference harness 1.5): sections `### 第N章：题` of any
// heading level with lines `- 标签：值`, and headings `# 第N卷 题（1-40章）`. profiles are the names of strand profiles: a
// label Strand that gives one of them means the profile. A line that cannot be read is a fault with its line; the error is
// CodeInvalid with all of them at once. Nothing is passed over but blank lines, rules and HTML comments.
func ParseOutlineMarkdown(file string, data []byte, profiles []string) (*OutlineDoc, error) {
	p := mdParser{file: file, profiles: profiles, doc: &OutlineDoc{Markdown: true}, chapters: map[string]int{}, volumes: map[int]int{}, labels: labelTable()}
	switch data = trimBOM(data); {
	case len(data) > MaxJSON:
		p.fault(0, "larger than %d bytes", MaxJSON)
	case !utf8.Valid(data):
		p.fault(1+bytes.Count(data[:firstInvalid(data)], []byte("\n")), "this is not UTF-8 text")
	default:
		p.read(string(data))
		p.finish()
	}
	if p.more > 0 {
		p.faults = append(p.faults, Fault{File: file, Rule: "outline", Msg: Textf("and %d more faults", p.more)})
	}
	if len(p.faults) > 0 {
		return nil, Errorf(CodeInvalid, "%s cannot be read as outlines", file).WithDetails(p.faults...).
			WithHint("a chapter is `### 第N章：题` with lines `- 标签：值`; what is no outline goes into <!-- -->, remarks behind 备注")
	}
	return p.doc, nil
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return 0
}

// mdLabel is what a label stands for.
type mdLabel struct {
	field *outlineField // nil for the others
	kind  mdKind
}

type mdKind uint8

const (
	mdField mdKind = iota
	mdTitle
	mdNote
	mdGroup // a heading over other labels
	mdRange // chapters of a volume
)

func labelTable() map[string]mdLabel {
	t := map[string]mdLabel{}
	fields := outlineFields()
	for i := range fields {
		for _, l := range append([]string{fields[i].name}, fields[i].labels...) {
			t[strings.ReplaceAll(plainLabel(l), "_", "")] = mdLabel{field: &fields[i]}
		}
	}
	for kind, words := range map[mdKind][]string{
		mdTitle: {"标题", "章名", "章节标题", "卷名"},
		mdNote:  {"备注", "灵感", "作者灵感"},
		mdGroup: {"节点", "剧情节点", "情节节点", "情节结构", "章纲", "本章章纲"},
		mdRange: {"章节范围", "本卷章节范围", "章节", "范围"},
	} {
		for _, w := range words {
			t[plainLabel(w)] = mdLabel{kind: kind}
		}
	}
	for w, as := range map[string]string{
		"卷目标": "目标", "本卷目标": "目标", "卷叙事功能": "叙事功能", "卷叙事角色": "叙事功能", "本卷叙事功能": "叙事功能", "本卷叙事角色": "叙事功能",
	} {
		t[w] = t[as]
	}
	return t
}

type mdParser struct {
	file     string
	profiles []string
	doc      *OutlineDoc
	faults   []Fault
	more     int
	chapters map[string]int // id → line
	volumes  map[int]int    // number → line
	labels   map[string]mdLabel

	outline *Outline // of the section that is read, nil in a volume's
	line    int      // where the section begins
	volume  int      // position of the volume that is read plus 1
	given   map[string]int
	open    mdOpen // the label whose value is read
	skipped bool   // a section whose heading is a fault: its lines are not looked at
}

// mdOpen is the label that following lines may belong to.
type mdOpen struct {
	mdLabel

	set     bool
	line    mdLine
	heading bool
	bare    bool // no value stands on the label's own line
	values  int  // pieces read
}

func (p *mdParser) fault(line int, format string, args ...any) {
	if len(p.faults) >= maxHandFaults {
		p.more++
		return
	}
	f := Fault{File: p.file, Line: line, Rule: "outline", Msg: Textf(format, args...)}
	if line > 0 {
		f.Col = 1
	}
	p.faults = append(p.faults, f)
}

func (p *mdParser) read(text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	first, last := unfenced(lines)
	comment := 0
	for i := first; i < last; i++ {
		s := lines[i]
		if s, comment = uncommented(s, comment, i+1); comment > 0 && strings.TrimSpace(s) == "" {
			continue
		}
		if strings.TrimSpace(s) == "" || isRule(s) {
			continue
		}
		if mark := strings.TrimSpace(s); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			p.fault(i+1, "a code block begins here; an outline has none")
			for i++; i < last && !strings.HasPrefix(strings.TrimSpace(lines[i]), mark[:3]); {
				i++
			}
			continue
		}
		p.take(parseMDLine(i+1, s))
	}
	if comment > 0 {
		p.fault(comment, "this comment is not closed")
	}
}

// unfenced leaves out a code fence around the whole text: models answer so.
func unfenced(lines []string) (first, last int) {
	last = len(lines)
	for last > 0 && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	for first < last && strings.TrimSpace(lines[first]) == "" {
		first++
	}
	if last-first >= 2 && strings.HasPrefix(lines[first], "```") && strings.TrimSpace(lines[last-1]) == "```" {
		return first + 1, last - 1
	}
	return first, last
}

// uncommented takes HTML comments off a line. open is the line that a comment began at which is still open, 0 for none.
func uncommented(s string, open, no int) (rest string, still int) {
	for {
		if open > 0 {
			_, after, closed := strings.Cut(s, "-->")
			if !closed {
				return rest, open
			}
			s, open = after, 0
			continue
		}
		before, after, opens := strings.Cut(s, "<!--")
		rest += before
		if !opens {
			return rest, 0
		}
		s, open = after, no
	}
}

// take reads one line that says something.
func (p *mdParser) take(l mdLine) {
	if l.level > 0 {
		p.heading(l)
		return
	}
	if p.skipped {
		return
	}
	inside := p.outline != nil || p.volume > 0
	if !inside {
		p.fault(l.no, "this line stands before the first chapter or volume")
		return
	}
	if label, value, ok := p.label(l); ok && !p.inside(l) {
		p.begin(label, l, value)
		return
	}
	if p.nested(l) {
		p.add(l)
		return
	}
	if label, _, ok := cutLabel(l.text); ok && looksLikeLabel(label) {
		p.unknown(l, label)
		return
	}
	if strings.HasPrefix(l.text, "|") {
		p.fault(l.no, "a table cannot be read; write one line `- 标签：值` for each of its rows")
		return
	}
	p.fault(l.no, "%s is neither a label with its value nor part of the value before it", (&inNode{kind: inString, text: l.text}).describe())
}

func (p *mdParser) unknown(l mdLine, label string) {
	known := []string{"卷目标", "叙事功能", "章节范围", "标题"} // of a volume
	if p.outline != nil {
		known = nil
		for _, f := range outlineFields() {
			known = append(known, f.labels[0])
		}
		known = append(known, "标题", "备注")
	}
	p.fault(l.no, "unknown label %q; the labels are: %s", strings.TrimSpace(label), strings.Join(known, ", "))
}

// heading begins a chapter, a volume or a label's lines.
func (p *mdParser) heading(l mdLine) {
	if n, title, ok := chapterHeading(l.text); ok {
		if n < 0 {
			p.fault(l.no, "%q has no chapter number from 0 to %d", l.text, MaxNumber)
			p.section(nil, l.no)
			p.skipped = true
			return
		}
		p.chapter(NumberKey(n), title, l.no)
		return
	}
	if v, ok := volumeHeading(l.text); ok {
		if _, _, both := chapterHeading(v.Title); both { // 第一卷 第3章 雨夜
			p.heading(mdLine{no: l.no, level: l.level, text: v.Title})
			return
		}
		p.beginVolume(v, l)
		return
	}
	if key, title, ok := extraHeading(l.text); ok {
		if k, err := ParseChapterKey(key); err == nil {
			p.chapter(k, title, l.no)
			return
		}
	}
	if label, ok := p.labels[strings.ReplaceAll(plainLabel(strings.TrimRight(l.text, "：:")), "_", "")]; ok && (p.outline != nil || p.volume > 0) {
		p.begin(label, l, "")
		return
	}
	if label, value, ok := p.label(l); ok && (p.outline != nil || p.volume > 0) {
		p.begin(label, l, value)
		return
	}
	if p.outline == nil && p.volume == 0 && p.doc.Title == "" && !p.skipped {
		p.doc.Title = l.text
		return
	}
	if !p.skipped {
		p.fault(l.no, "the heading %q is neither a chapter's, nor a volume's, nor a label", l.text)
	}
}

// section ends the section before and begins another.
func (p *mdParser) section(o *Outline, line int) {
	p.endSection()
	p.outline, p.line, p.given, p.open, p.skipped = o, line, map[string]int{}, mdOpen{}, false
}

func (p *mdParser) endSection() {
	if p.outline == nil || p.skipped {
		return
	}
	if p.outline.Content.Goal == "" {
		p.fault(p.line, "chapter %s has no 目标", string(KeyOfID(p.outline.Chapter)))
	}
	p.refer(&p.outline.Content)
}

func (p *mdParser) chapter(k ChapterKey, title string, line int) {
	o := &Outline{Schema: SchemaOutline, Chapter: k.ID(), Title: title, Exposure: DefaultExposure()}
	for _, f := range outlineFields() {
		if f.always {
			*f.texts(&o.Content) = []string{}
		}
	}
	p.section(o, line)
	if was, twice := p.chapters[o.Chapter]; twice {
		p.fault(line, "chapter %s is given twice; it began at line %d", string(k), was)
		p.skipped = true
		return
	}
	p.chapters[o.Chapter] = line
	p.doc.Outlines = append(p.doc.Outlines, PlacedOutline{o, line})
	if n, numbered := k.Number(); numbered && p.volume > 0 {
		p.intoVolume(n, line)
	}
}

// intoVolume holds a chapter against the volume that it stands under; a volume without a range gets it from its chapters.
func (p *mdParser) intoVolume(n, line int) {
	v := &p.doc.Volumes[p.volume-1]
	_, ranged := p.volumes[-v.Number]
	switch {
	case ranged && !v.Holds(n):
		p.fault(line, "chapter %d stands under volume %d, which holds chapters %d to %d", n, v.Number, v.First, v.Last)
	case ranged:
	case v.Empty():
		v.First, v.Last = n, n
	default:
		v.First, v.Last = min(v.First, n), max(v.Last, n)
	}
}

func (p *mdParser) beginVolume(v Volume, l mdLine) {
	p.section(nil, l.no)
	if v.Number < 0 {
		p.fault(l.no, "%q has no volume number", l.text)
		p.volume, p.skipped = 0, true
		return
	}
	if was, twice := p.volumes[v.Number]; twice {
		p.fault(l.no, "volume %d is given twice; it began at line %d", v.Number, was)
		p.volume, p.skipped = 0, true
		return
	}
	p.volumes[v.Number] = l.no
	first, last := v.First, v.Last
	v.First, v.Last = 0, 0
	p.doc.Volumes = append(p.doc.Volumes, v)
	p.volume = len(p.doc.Volumes)
	if first != 0 || last != 0 {
		p.setRange(first, last, l.no)
	}
}

func (p *mdParser) setRange(first, last, line int) {
	v := &p.doc.Volumes[p.volume-1]
	if first < 0 || last < first {
		p.fault(line, "the range of chapters of volume %d cannot be read", v.Number)
		return
	}
	v.First, v.Last = first, last
	p.volumes[-v.Number] = line // the range is given, not gathered
}

// finish ends the last section and holds the volumes against each other.
func (p *mdParser) finish() {
	p.endSection()
	if len(p.faults) == 0 && len(p.doc.Outlines) == 0 && len(p.doc.Volumes) == 0 {
		p.fault(0, "there is no chapter heading `第N章` in it")
	}
	all := Volumes{Volumes: p.doc.Volumes}
	for _, f := range all.Validate(p.file) {
		var i int
		if _, err := fmt.Sscanf(f.Field, "volumes[%d]", &i); err == nil {
			f.Line, f.Col, f.Field = p.volumes[p.doc.Volumes[i].Number], 1, ""
		}
		p.faults = append(p.faults, f)
	}
	slices.SortStableFunc(p.faults, func(a, b Fault) int { return a.Line - b.Line })
}
