package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// handIn reads one handed-in JSON file and collects everything that is wrong with it: what comes from a model or a
// person is refused whole, with all faults at once (DESIGN 7).
type handIn struct {
	file   string
	data   []byte
	what   string // name of the artifact in messages
	faults []Fault
	more   int // faults beyond the limit
}

// inObject is one object of the file and its field path; reading marks keys, so that close can tell the unknown ones.
type inObj struct {
	h    *handIn
	n    *inNode
	path string
	i    int // its place in the list that it stands in
}

// openHandIn finds the object in the file. The second result is nil when there is none; the faults say why.
func openHandIn(file, what string, data []byte) (*handIn, *inObj) {
	data = trimBOM(data)
	h := &handIn{file: file, data: data, what: what}
	if len(data) > MaxJSON {
		h.add(-1, "", "larger than %d bytes", MaxJSON)
		return h, nil
	}
	node, twice, bad := findObject(data)
	if bad != nil {
		h.addText(bad.off, "", "json", bad.msg)
		return h, nil
	}
	if node.kind != inObject {
		h.add(node.off, "", "%s must be a JSON object", what)
		return h, nil
	}
	for _, m := range twice {
		h.add(m.off, m.key, "the key %q is given twice", m.key)
	}
	return h, &inObj{h: h, n: node}
}

// err is the refusal with all faults, or nil.
func (h *handIn) err() error {
	if len(h.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(h.faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
	if h.more > 0 {
		h.faults = append(h.faults, Fault{File: h.file, Rule: "input", Msg: Textf("and %d more faults", h.more)})
	}
	return Errorf(CodeInvalid, "%s is not a valid %s", h.file, h.what).
		WithDetails(h.faults...).
		WithHint("correct what the details name and hand the file in again; `git novel schema %s` prints the format", schemaOf(h.what))
}

func (h *handIn) add(off int, field, format string, args ...any) {
	h.addText(off, field, "input", Textf(format, args...))
}

func (h *handIn) addText(off int, field, rule string, msg Text) {
	if len(h.faults) >= maxHandFaults {
		h.more++
		return
	}
	f := Fault{File: h.file, Field: field, Rule: rule, Msg: msg}
	if off >= 0 {
		f.Line, f.Col = placeOf(h.data, off)
	}
	h.faults = append(h.faults, f)
}

// schemaOf names the JSON Schema of an artifact.
func schemaOf(what string) string {
	switch what {
	case ArtifactReview, ArtifactRecheck:
		return NameReviewInput
	}
	return strings.TrimSuffix(what, "_result")
}

// at is the field path of a key of the object.
func (o *inObj) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

func (o *inObj) fault(n *inNode, key, format string, args ...any) {
	off := o.n.off
	if n != nil {
		off = n.off
	}
	o.h.add(off, o.at(key), format, args...)
}

// get finds the first of the keys that is present and not null, and says which.
func (o *inObj) get(keys ...string) (*inNode, string) {
	for _, k := range keys {
		if n := o.n.member(k); n != nil && n.kind != inNull {
			return n, k
		}
	}
	return nil, keys[0]
}

// has reports a key that is present, even when it is null.
func (o *inObj) has(key string) bool { return o.n.member(key) != nil }

// str reads an optional string, "" when absent.
func (o *inObj) str(keys ...string) string {
	n, key := o.get(keys...)
	if n == nil {
		return ""
	}
	if n.kind != inString {
		o.fault(n, key, "must be a string, not %s", n.describe())
		return ""
	}
	return n.text
}

// need reads a string that may not be blank.
func (o *inObj) need(keys ...string) string {
	n, key := o.get(keys...)
	if n == nil {
		o.fault(nil, key, "is missing; it must be a string that is not blank")
		return ""
	}
	s := o.str(keys...)
	if n.kind == inString && strings.TrimSpace(s) == "" {
		o.fault(n, key, "is blank; it must be a string that is not blank")
	}
	return s
}

// oneOf reads a required word of a closed list.
func oneOf[T ~string](o *inObj, key string, allowed []T) T {
	n, _ := o.get(key)
	switch {
	case n == nil:
		o.fault(nil, key, "is missing; allowed: %s", joinWords(allowed))
	case n.kind != inString || !slices.Contains(allowed, T(n.text)):
		o.fault(n, key, "%s is not allowed here; allowed: %s", n.describe(), joinWords(allowed))
	default:
		return T(n.text)
	}
	return ""
}

func joinWords[T ~string](words []T) string {
	s := make([]string, len(words))
	for i, w := range words {
		s[i] = string(w)
	}
	return strings.Join(s, ", ")
}

// integer reads an optional whole number: no 0.0, no "0", no true (reference harness 4.3).
func (o *inObj) integer(key string, least int) (int, bool) {
	n, _ := o.get(key)
	if n == nil {
		return 0, false
	}
	v, ok := n.integer()
	if !ok || v < least {
		o.fault(n, key, "must be a whole number of at least %d, not %s", least, n.describe())
		return 0, false
	}
	return v, true
}

// boolean reads an optional true or false.
func (o *inObj) boolean(key string) (val, ok bool) {
	n, _ := o.get(key)
	if n == nil {
		return false, false
	}
	if n.kind != inBool {
		o.fault(n, key, "must be true or false, not %s", n.describe())
		return false, false
	}
	return n.flag, true
}

// sub reads an optional object.
func (o *inObj) sub(key string) *inObj {
	n, _ := o.get(key)
	if n == nil {
		return nil
	}
	if n.kind != inObject {
		o.fault(n, key, "must be an object, not %s", n.describe())
		return nil
	}
	return &inObj{h: o.h, n: n, path: o.at(key)}
}

// strings reads an optional list of strings; nil when absent.
func (o *inObj) strings(key string) []string {
	n, _ := o.get(key)
	if n == nil {
		return nil
	}
	if n.kind != inArray {
		o.fault(n, key, "must be a list of strings, not %s", n.describe())
		return nil
	}
	list := make([]string, 0, len(n.items))
	for i, it := range n.items {
		if it.kind != inString || strings.TrimSpace(it.text) == "" {
			o.fault(it, fmt.Sprintf("%s[%d]", key, i), "must be a string that is not blank, not %s", it.describe())
			continue
		}
		list = append(list, it.text)
	}
	return list
}

// misspelled faults every unknown key that is probably one of the known keys that are absent (DESIGN 3).
func (o *inObj) misspelled(known ...string) {
	absent := slices.DeleteFunc(slices.Clone(known), o.has)
	for _, m := range o.n.members {
		if slices.Contains(known, m.key) {
			continue
		}
		if k, ok := nearKey(m.key, absent); ok {
			o.h.add(m.off, o.at(m.key), "unknown key %q: is %q meant?", m.key, k)
		}
	}
}

// chapter compares an optional chapter of the input, number or key, with the one that is wanted. The number of an
// unnumbered chapter is -1.
func (o *inObj) chapter(wantID string) {
	const key = "chapter"
	n, _ := o.get(key)
	if n == nil {
		return
	}
	id := ""
	switch v, ok := n.integer(); {
	case ok && v >= 0:
		id = fmt.Sprintf("%04d", v)
	case n.kind == inString:
		if k, err := ParseChapterKey(n.text); err == nil {
			id = k.ID()
		}
	}
	if id != wantID {
		o.fault(n, key, "%s is not this chapter: it must be %s", n.describe(), wantID)
	}
}

// integer is the value of a number that is written as a plain whole number.
func (n *inNode) integer() (int, bool) {
	if n.kind != inNumber || strings.ContainsAny(n.text, ".eE") {
		return 0, false
	}
	v, err := strconv.ParseInt(n.text, 10, 32)
	return int(v), err == nil
}

// describe shows a value in a message, cut short.
func (n *inNode) describe() string {
	switch n.kind {
	case inNull:
		return "null"
	case inBool:
		return strconv.FormatBool(n.flag)
	case inNumber:
		return n.text
	case inString:
		r := []rune(n.text)
		if len(r) > 40 {
			r = append(r[:40], '…')
		}
		return strconv.Quote(string(r))
	case inArray:
		return "[…]"
	case inObject:
		return "{…}"
	}
	return ""
}

// any is the value as Go values, numbers as Unmarshal has them.
func (n *inNode) any() any {
	switch n.kind {
	case inNull:
		return nil
	case inBool:
		return n.flag
	case inNumber:
		return number(n.text)
	case inString:
		return n.text
	case inArray:
		list := make([]any, len(n.items))
		for i, it := range n.items {
			list[i] = it.any()
		}
		return list
	case inObject:
		return n.object()
	}
	return nil
}

func (n *inNode) object() map[string]any {
	m := make(map[string]any, len(n.members))
	for _, e := range n.members {
		m[e.key] = e.val.any()
	}
	return m
}
