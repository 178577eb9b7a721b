package schema

import (
	"fmt"
	"strings"
	"unicode"
)

// The four artifacts of a chapter commit are read with the field names, aliases and error texts of reference harness 4.3
// to 4.5, but nothing is guessed: an unknown event type, a wrapper key or another chapter's data are faults (DESIGN 7).

// require faults the keys that are absent or null, in one fault as the reference has it.
func (o *inObj) require(keys ...string) {
	var missing []string
	for _, k := range keys {
		if n, _ := o.get(k); n == nil {
			missing = append(missing, k)
		}
	}
	if missing != nil {
		o.h.add(o.n.off, "", "%s missing required top-level fields: %s", o.h.what, strings.Join(missing, ", "))
	}
}

// openArtifact opens the file and checks what the artifacts have in common. The object is nil when nothing further in it
// can be judged.
func openArtifact(file, what, wrapper string, data []byte, chapter int) (*handIn, *inObj) {
	h, o := openHandIn(file, what, data)
	if o == nil {
		return h, nil
	}
	if n, _ := o.get(wrapper); n != nil {
		if what == ArtifactExtraction {
			o.fault(n, wrapper, "extraction_result must expose accepted_events/state_deltas/entity_deltas as top-level fields, not nested under extraction")
		} else {
			o.fault(n, wrapper, "%s fields must be top-level, not nested under %s", what, wrapper)
		}
		return h, nil
	}
	o.chapterNumber(chapter)
	return h, o
}

// chapterNumber is chapter for data of a numbered chapter. That of an unnumbered one (0) may name 0 or its key, which only
// the caller knows, but no numbered chapter.
func (o *inObj) chapterNumber(want int) {
	const key = "chapter"
	if want > 0 {
		o.chapter(fmt.Sprintf("%04d", want))
		return
	}
	n, _ := o.get(key)
	if n == nil {
		return
	}
	v, ok := n.integer()
	if n.kind == inString {
		k, err := ParseChapterKey(n.text)
		_, numbered := k.Number()
		v, ok = 0, err == nil && !numbered
	}
	if !ok || v != 0 {
		o.fault(n, key, "%s is not this chapter: it has no number", n.describe())
	}
}

// objects reads a list of objects with the reference's texts. Present says that the key holds a list.
func (o *inObj) objects(key string) []*inObj {
	n, _ := o.get(key)
	if n == nil {
		return nil
	}
	name := o.h.what + "." + key
	if key == "accepted_events" {
		name = key
	}
	if n.kind != inArray {
		o.fault(n, key, "%s must be a list", name)
		return nil
	}
	list := make([]*inObj, 0, len(n.items))
	for i, it := range n.items {
		path := fmt.Sprintf("%s[%d]", o.at(key), i)
		if it.kind != inObject {
			o.h.add(it.off, path, "%s[%d] must be a JSON object", name, i)
			continue
		}
		list = append(list, &inObj{h: o.h, n: it, path: path, i: i})
	}
	return list
}

// ParseFulfillment reads fulfillment_result. chapter is the number of the chapter, 0 for an unnumbered one. The error is
// CodeInvalid with every fault.
func ParseFulfillment(file string, data []byte, chapter int) (*Fulfillment, error) {
	h, o := openArtifact(file, ArtifactFulfillment, "fulfillment", data, chapter)
	f := &Fulfillment{}
	if o != nil {
		keys := []string{"planned_nodes", "covered_nodes", "missed_nodes", "extra_nodes"}
		o.misspelled(append([]string{"chapter"}, keys...)...)
		o.require(keys...)
		f.Planned, f.Covered = o.nodes(keys[0]), o.nodes(keys[1])
		f.Missed, f.Extra = o.nodes(keys[2]), o.nodes(keys[3])
	}
	if err := h.err(); err != nil {
		return nil, err
	}
	return f, nil
}

func (o *inObj) nodes(key string) []Node {
	n, _ := o.get(key)
	if n == nil {
		return nil
	}
	if n.kind != inArray {
		o.fault(n, key, "%s.%s must be a list", o.h.what, key)
		return nil
	}
	list := make([]Node, 0, len(n.items))
	for i, it := range n.items {
		path := fmt.Sprintf("%s[%d]", key, i)
		node, ok := Node{}, true
		switch it.kind {
		case inString:
			node.Text = strings.TrimSpace(it.text)
		case inObject:
			node, ok = (&inObj{h: o.h, n: it, path: path}).node()
		default:
			ok = false
			o.h.add(it.off, path, "must be a string or an object with type and text, not %s", it.describe())
		}
		if ok && node.Text == "" {
			o.h.add(it.off, path, "the node has no text")
			ok = false
		}
		if ok {
			list = append(list, node)
		}
	}
	return list
}

// node reads an object node. The first of the keys that data agents use for the text counts.
func (o *inObj) node() (Node, bool) {
	text := strings.TrimSpace(o.str("text", "node", "content", "description", "name"))
	n, key := o.get("type", "node_type", "kind")
	if n == nil {
		return Node{Text: text}, true
	}
	if n.kind == inString {
		if t, ok := ParseNodeType(n.text); ok {
			return Node{Type: t, Text: text}, true
		}
	}
	o.fault(n, key, "%s is not allowed here; allowed: %s", n.describe(), strings.Join(NodeTypes(), ", "))
	return Node{}, false
}

// NodeTypes lists the kinds of outline nodes.
func NodeTypes() []string { return []string{NodeCBN, NodeCPN, NodeCEN, NodeMustCover} }

// ParseNodeType reads a node kind, in any letter case and with - for _.
func ParseNodeType(s string) (string, bool) {
	s = strings.ReplaceAll(strings.TrimSpace(s), "-", "_")
	for _, t := range NodeTypes() {
		if strings.EqualFold(s, t) {
			return t, true
		}
	}
	return "", false
}

// ParseDisambiguation reads disambiguation_result; see ParseFulfillment.
func ParseDisambiguation(file string, data []byte, chapter int) (*Disambiguation, error) {
	h, o := openArtifact(file, ArtifactDisambiguation, "disambiguation", data, chapter)
	d := &Disambiguation{Pending: []any{}}
	if o != nil {
		o.misspelled("chapter", "pending")
		o.require("pending")
		if n, key := o.get("pending"); n != nil && n.kind != inArray {
			o.fault(n, key, "%s.%s must be a list", o.h.what, key)
		} else if n != nil {
			for _, it := range n.items {
				d.Pending = append(d.Pending, it.any())
			}
		}
	}
	if err := h.err(); err != nil {
		return nil, err
	}
	return d, nil
}

// ParseExtraction reads extraction_result; see ParseFulfillment. Events get their canonical form, deltas their canonical
// keys.
func ParseExtraction(file string, data []byte, chapter int) (*Extraction, error) {
	h, o := openArtifact(file, ArtifactExtraction, "extraction", data, chapter)
	x := &Extraction{}
	if o != nil {
		o.misspelled("chapter", "accepted_events", "state_deltas", "entity_deltas", "entities_appeared", "scenes",
			"chapter_meta", "dominant_strand", "summary_text")
		o.require("accepted_events", "state_deltas", "entity_deltas")
		x.Events = o.events(chapter)
		x.States = o.stateDeltas(chapter)
		x.Entities = o.entityDeltas(chapter)
		x.Appeared = o.maps("entities_appeared")
		x.Scenes = o.maps("scenes")
		if m := o.sub("chapter_meta"); m != nil {
			x.ChapterMeta = m.n.object()
		}
		x.Strand = o.str("dominant_strand")
		if n, key := o.get("summary_text"); n != nil && n.kind != inString {
			o.fault(n, key, "extraction_result.summary_text must be a string")
		} else if n != nil {
			x.SummaryText = n.text
		}
	}
	if err := h.err(); err != nil {
		return nil, err
	}
	return x, nil
}

// maps reads an optional list of objects of any keys.
func (o *inObj) maps(key string) []map[string]any {
	var list []map[string]any
	for _, e := range o.objects(key) {
		list = append(list, e.n.object())
	}
	return list
}

func (o *inObj) stateDeltas(chapter int) []StateDelta {
	list := []StateDelta{}
	for _, d := range o.objects("state_deltas") {
		d.misspelled("entity_id", "field", "field_path", "old", "old_value", "new", "new_value", "chapter")
		d.chapterNumber(chapter)
		s := StateDelta{Entity: d.need("entity_id"), Field: d.need("field", "field_path")}
		if n, _ := d.get("old", "old_value"); n != nil {
			s.Old = n.any()
		}
		switch n, _ := d.get("new", "new_value"); {
		case n != nil:
			s.New = n.any()
		case !d.has("new") && !d.has("new_value"):
			d.fault(nil, "new", "is missing; it must be the new value, null when the field ends")
		}
		list = append(list, s)
	}
	return list
}

func (o *inObj) entityDeltas(chapter int) []EntityDelta {
	list := []EntityDelta{}
	for _, d := range o.objects("entity_deltas") {
		list = append(list, d.entityDelta(chapter))
	}
	return list
}

// entityDelta reads one entity, or one relation between two, whose keys are all in Rest.
func (o *inObj) entityDelta(chapter int) EntityDelta {
	o.misspelled("entity_id", "id", "action", "entity_type", "type", "tier", "canonical_name", "name", "chapter",
		"from_entity", "to_entity", "relationship_type", "description", "current", "is_protagonist", "payload")
	o.chapterNumber(chapter)
	from, _ := o.get("from_entity")
	to, _ := o.get("to_entity")
	relation := from != nil || to != nil
	e := EntityDelta{Entity: strings.TrimSpace(o.str("entity_id", "id")), Action: o.str("action"), Tier: o.str("tier")}
	taken := []string{"entity_id", "action", "tier", "canonical_name", "name", "entity_type"}
	switch {
	case relation:
		o.need("from_entity")
		o.need("to_entity")
		e.Type = o.str("entity_type")
	case e.Entity == "":
		o.need("entity_id", "id")
	}
	if n, _ := o.get("entity_id"); n == nil {
		taken = append(taken, "id")
	}
	if !relation {
		if e.Type = o.str("entity_type", "type"); !o.has("entity_type") {
			taken = append(taken, "type")
		}
	}
	e.Name = o.str("canonical_name", "name")
	if p, _ := o.get("payload"); e.Name == "" && p != nil && p.kind == inObject {
		e.Name = (&inObj{h: o.h, n: p, path: o.at("payload")}).str("name")
	}
	e.Rest = o.rest(taken...)
	if relation && e.Rest["relationship_type"] == nil && e.Rest["type"] != nil {
		e.Rest["relationship_type"] = e.Rest["type"]
		delete(e.Rest, "type")
	}
	return e
}

// rest is every member of the object but those taken; nil when there is none.
func (o *inObj) rest(taken ...string) map[string]any {
	m := o.n.object()
	for _, k := range taken {
		delete(m, k)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// NodeName is what two nodes are compared by: a data agent writes 甲｜做｜乙 for 甲 | 做 | 乙, so that blanks and full-width forms
// count nothing.
func NodeName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r >= '！' && r <= '～': // U+FF01 to U+FF5E stand as far from ASCII's ! to ~ as each other
			return r - '！' + '!'
		}
		return r
	}, s)
}
