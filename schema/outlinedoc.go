package schema

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseOutlines reads a document of chapter outlines: JSON when it begins with a bracket, else the Markdown form. profiles
// are the names of strand profiles (ParseOutlineMarkdown).
func ParseOutlines(file string, data []byte, profiles []string) (*OutlineDoc, error) {
	text := bytes.TrimLeft(trimBOM(data), " \t\r\n")
	if fence, rest, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasPrefix(fence, []byte("```")) {
		text = bytes.TrimLeft(rest, " \t\r\n")
	}
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return ParseOutlineJSON(file, data)
	}
	return ParseOutlineMarkdown(file, data, profiles)
}

// ParseOutlineOf reads the outline of the chapter with this id: JSON, or a Markdown document that holds this chapter and no
// other. markdown says which it was: that form has no exposure policy.
func ParseOutlineOf(file string, data []byte, id string, profiles []string) (o *Outline, markdown bool, err error) {
	if bytes.ContainsRune(data, '{') || !bytes.ContainsAny(data, "第#") {
		o, err = ParseOutline(file, data, id)
		return o, false, err
	}
	doc, err := ParseOutlineMarkdown(file, data, profiles)
	if err != nil {
		return nil, true, err
	}
	if len(doc.Outlines) != 1 || doc.Outlines[0].Chapter != id || len(doc.Volumes) > 0 {
		return nil, true, Errorf(CodeInvalid, "%s does not hold the outline of chapter %s and nothing else", file, string(KeyOfID(id))).
			WithHint("take in a document of several chapters with `git novel outline import FILE`")
	}
	return doc.Outlines[0].Outline, true, nil
}

// ParseOutlineJSON reads a list of outlines, or an object with "outlines" and perhaps "volumes", or one outline. Each says
// which chapter it is of. The error is CodeInvalid with every fault.
func ParseOutlineJSON(file string, data []byte) (*OutlineDoc, error) {
	h, list := openOutlines(file, data)
	doc := &OutlineDoc{}
	if list.volumes != nil {
		doc.Volumes = list.volumes.volumeList()
	}
	seen := map[string]bool{}
	for _, o := range list.outlines {
		id, ok := o.chapterOf()
		if !ok {
			continue
		}
		if seen[id] {
			o.fault(nil, "chapter", "chapter %s is given twice", string(KeyOfID(id)))
			continue
		}
		seen[id] = true
		before := len(h.faults)
		out := o.outline(id)
		line, _ := placeOf(h.data, o.n.off)
		if len(h.faults) == before {
			for _, f := range out.Validate(file) {
				f.Line, f.Field = line, o.at(f.Field)
				h.faults = append(h.faults, f)
			}
		}
		doc.Outlines = append(doc.Outlines, PlacedOutline{out, line})
	}
	all := Volumes{Volumes: doc.Volumes}
	if len(h.faults) == 0 {
		h.faults = all.Validate(file)
	}
	if err := h.err(); err != nil {
		return nil, err
	}
	return doc, nil
}

// outlineList is what the document holds, not looked into yet.
type outlineList struct {
	outlines []*inObj
	volumes  *inObj // has the list under "volumes"
}

func openOutlines(file string, data []byte) (h *handIn, list outlineList) {
	h = &handIn{file: file, data: trimBOM(data), what: "outline"}
	if len(data) <= MaxJSON && utf8.Valid(data) {
		if root, bad := bareList(h.data); root != nil {
			list.outlines = h.objects(root, "")
			return h, list
		} else if bad != nil {
			h.addText(bad.off, "", "json", bad.msg)
			return h, list
		}
	}
	h, o := openHandIn(file, "outline", data)
	if o == nil {
		return h, list
	}
	n, _ := o.get("outlines")
	if v, _ := o.get("volumes"); v != nil {
		list.volumes = o
	}
	switch {
	case n == nil && list.volumes != nil:
	case n == nil:
		list.outlines = []*inObj{o}
	case n.kind != inArray:
		o.fault(n, "outlines", "must be a list of objects, not %s", n.describe())
	default:
		o.misspelled("outlines", "volumes", "schema", "book")
		list.outlines = h.objects(n, "outlines")
	}
	return h, list
}

// bareList reads a document that is one JSON list, perhaps in a code fence. Both results are nil when it begins with
// something else.
func bareList(data []byte) (*inNode, *inSyntax) {
	at := 0
	if i := bytes.Index(data, []byte("```")); i >= 0 && len(bytes.TrimSpace(data[:i])) == 0 {
		at = i + max(bytes.IndexByte(data[i:], '\n'), 0)
	}
	var furthest *inSyntax
	for _, p := range []inParser{{}, {breaks: true}, {breaks: true, loose: true}} {
		p.data, p.pos = data, at
		if p.space(); !p.at('[') {
			return nil, nil
		}
		n, bad := p.value()
		if bad == nil && len(p.twice) > 0 {
			bad = &inSyntax{p.twice[0].off, Textf("the key %q is given twice", p.twice[0].key)}
		}
		if rest := strings.TrimSpace(string(data[p.pos:])); bad == nil && rest != "" && rest != "```" {
			bad = p.fail("more stands behind the list")
		}
		if bad == nil {
			return n, nil
		}
		if furthest == nil || bad.off > furthest.off {
			furthest = bad
		}
	}
	return nil, furthest
}

func (h *handIn) objects(n *inNode, path string) []*inObj {
	var out []*inObj
	for i, it := range n.items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if it.kind != inObject {
			h.add(it.off, at, "must be an object, not %s", it.describe())
			continue
		}
		out = append(out, &inObj{h: h, n: it, path: at})
	}
	if len(n.items) == 0 {
		h.add(n.off, path, "the list is empty")
	}
	return out
}

// chapterOf reads which chapter an outline is of: a number, an id or a key.
func (o *inObj) chapterOf() (id string, ok bool) {
	n, _ := o.get("chapter")
	if n == nil {
		o.fault(nil, "chapter", "is missing; it must be the number, id or key of the chapter")
		return "", false
	}
	if v, whole := n.integer(); whole && v >= 0 && v <= MaxNumber {
		return NumberKey(v).ID(), true
	}
	if n.kind == inString {
		if k, err := ParseChapterKey(n.text); err == nil {
			return k.ID(), true
		}
	}
	o.fault(n, "chapter", "%s is no chapter: it must be a number, an id or a key", n.describe())
	return "", false
}

func (o *inObj) volumeList() []Volume {
	n, _ := o.get("volumes")
	if n.kind != inArray {
		o.fault(n, "volumes", "must be a list of objects, not %s", n.describe())
		return nil
	}
	var out []Volume
	for _, v := range o.h.objects(n, "volumes") {
		v.misspelled("volume", "title", "first", "last", "narrative_role", "goal")
		number, _ := v.integer("volume", 1)
		first, _ := v.integer("first", 0)
		last, _ := v.integer("last", 0)
		if !v.has("volume") {
			v.fault(nil, "volume", "is missing; it must be a number")
		}
		out = append(out, Volume{
			Number: number, Title: v.str("title"), First: first, Last: last, Role: v.str("narrative_role"), Goal: v.str("goal"),
		})
	}
	return out
}
