package schema

import (
	"fmt"
	"slices"
	"strings"
)

// What the writer may see of an outline when its exposure policy does not say (seed harness_v6 4.6).
const (
	transformRole = "转为隐性节奏提示，不直接告知"
	transformTime = "仅作为校验依据，不在正文中直接提及具体数字或倒计时"
)

// TransformedByDefault lists the fields that the writer sees only transformed when a policy does not say: the role in the
// arc, and whatever tells the time.
func TransformedByDefault() []string {
	return []string{"narrative_role_in_arc", "time_pressure_source", "time_anchor", "countdown"}
}

// DefaultExposure is the policy of an outline that has none: goal, payoffs and borders word for word; role and time
// only transformed.
func DefaultExposure() ExposurePolicy {
	p := ExposurePolicy{Verbatim: []string{"chapter_goal", "must_payoff", "forbidden_turns"}, Transform: map[string]string{}}
	for _, f := range TransformedByDefault() {
		p.Transform[f] = transformTime
	}
	p.Transform["narrative_role_in_arc"] = transformRole
	return p
}

// Shows reports whether the writer may see a field word for word.
func (p ExposurePolicy) Shows(field string) bool {
	if _, transformed := p.Transform[field]; transformed {
		return false
	}
	return slices.Contains(p.Verbatim, field) || !slices.Contains(TransformedByDefault(), field)
}

// TransformOf gives the instruction for a field that the writer may only see transformed.
func (p ExposurePolicy) TransformOf(field string) (how string, ok bool) {
	how, ok = p.Transform[field]
	return how, ok
}

// Nodes lists the planned nodes in order: CBN, CPNs, CEN, must-cover. Blank ones are left out.
func (o *Outline) Nodes() []Node {
	var list []Node
	add := func(typ string, texts ...string) {
		for _, t := range texts {
			if t = strings.TrimSpace(t); t != "" {
				list = append(list, Node{Type: typ, Text: t})
			}
		}
	}
	add(NodeCBN, o.Content.CBN)
	add(NodeCPN, o.Content.CPNs...)
	add(NodeCEN, o.Content.CEN)
	add(NodeMustCover, o.Content.MustCover...)
	return list
}

// ParseOutline reads an outline that is handed in for the chapter with this id. Wrapping is tolerated as in
// ParseReviewInput; an absent policy becomes the default one. The error is CodeInvalid with every fault.
func ParseOutline(file string, data []byte, id string) (*Outline, error) {
	h, o := openHandIn(file, "outline", data)
	if o == nil {
		return nil, h.err()
	}
	out := o.outline(id)
	if err := h.err(); err != nil {
		return nil, err
	}
	if faults := out.Validate(file); len(faults) > 0 {
		h.faults = faults
		return nil, h.err()
	}
	return out, nil
}

// outline reads one outline for the chapter with this id.
func (o *inObj) outline(id string) *Outline {
	o.misspelled("schema", "chapter", "title", "content", "writer_exposure_policy", "note")
	if n, key := o.get("schema"); n != nil && (n.kind != inString || n.text != SchemaOutline) {
		o.fault(n, key, "%s is not the format of this file; allowed: %s", n.describe(), SchemaOutline)
	}
	o.chapter(id)
	out := &Outline{
		Schema: SchemaOutline, Chapter: id, Title: strings.TrimSpace(o.str("title")), Note: o.str("note"),
		Exposure: o.exposure(),
	}
	for _, f := range OutlineFields() {
		if n, _ := o.get(f); n != nil {
			o.fault(n, f, "belongs inside \"content\": the content and the exposure policy are two objects")
		}
	}
	if c := o.sub("content"); c != nil {
		out.Content = c.content()
	} else if n, _ := o.get("content"); n == nil {
		o.fault(nil, "content", "is missing; it must be an object")
	}
	return out
}

func (o *inObj) content() OutlineContent {
	o.misspelled(OutlineFields()...)
	if n, _ := o.get("writer_exposure_policy"); n != nil {
		o.fault(n, "writer_exposure_policy", "belongs beside \"content\": the content and the exposure policy are two objects")
	}
	var c OutlineContent
	for _, f := range outlineFields() {
		switch {
		case f.texts != nil:
			list := o.strings(f.name)
			if list == nil && f.always {
				list = []string{}
			}
			*f.texts(&c) = list
		case f.name == "chapter_goal":
			*f.text(&c) = o.need(f.name)
		default:
			*f.text(&c) = o.str(f.name)
		}
	}
	return c
}

func (o *inObj) exposure() ExposurePolicy {
	p := o.sub("writer_exposure_policy")
	if p == nil {
		return DefaultExposure()
	}
	p.misspelled("verbatim_fields", "transform_fields")
	policy := ExposurePolicy{Verbatim: p.strings("verbatim_fields"), Transform: map[string]string{}}
	if policy.Verbatim == nil {
		policy.Verbatim = []string{}
	}
	if t := p.sub("transform_fields"); t != nil {
		for _, m := range t.n.members {
			policy.Transform[m.key] = t.str(m.key)
		}
	}
	return policy
}

// Validate checks an outline that was read from disk or put together: its format name, and that every field of
// the policy is a content field with one exposure. One that holds nothing but the author's note is valid: only an outline
// that is handed in needs a goal.
func (o *Outline) Validate(file string) []Fault {
	c := checker{file: file, rule: "outline"}
	fields := OutlineFields()
	c.word("schema", o.Schema, SchemaOutline)
	c.filled("chapter", o.Chapter)
	for i, f := range o.Exposure.Verbatim {
		at := fmt.Sprintf("writer_exposure_policy.verbatim_fields[%d]", i)
		if !slices.Contains(fields, f) {
			c.add(at, "%q is not a content field; allowed: %s", f, strings.Join(fields, ", "))
		}
		if _, both := o.Exposure.Transform[f]; both {
			c.add(at, "%q cannot be both verbatim and transformed", f)
		}
	}
	for _, f := range sortedKeys(o.Exposure.Transform) {
		if !slices.Contains(fields, f) {
			c.add("writer_exposure_policy.transform_fields."+f, "%q is not a content field; allowed: %s", f, strings.Join(fields, ", "))
		}
	}
	return c.faults
}
