package schema

import (
	"maps"
	"slices"
	"strings"
)

// MarshalJSON writes the dimensions in the order of Categories.
func (m Dimensions) MarshalJSON() ([]byte, error) {
	e := newEncoder("")
	e.buf = append(e.buf, '{')
	n := 0
	for _, c := range Categories() {
		v, ok := m[c]
		if !ok {
			continue
		}
		e.comma(&n, 0)
		e.str(string(c))
		e.colon()
		raw, err := v.MarshalJSON()
		if err != nil {
			return nil, err
		}
		e.buf = append(e.buf, raw...)
	}
	if n != len(m) {
		return nil, Errorf(CodeUnexpected, "a review has a dimension that does not exist: %v", slices.Sorted(maps.Keys(m)))
	}
	e.closing('}', n, 0)
	return e.buf, nil
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown name is refused.
func (m *Dimensions) UnmarshalJSON(data []byte) error { return unmarshalSelf(data, m) }

func (m *Dimensions) readJSON(d *jsonDecoder) bool {
	start := d.pos
	switch d.peek() {
	case 'n':
		*m = nil
		return d.skip()
	case '{':
	default:
		return d.wrong(start, "want an object, found %s")
	}
	*m = Dimensions{}
	var keys keySet
	return d.object(func(name, _ []byte, at int) bool {
		c := Category(name)
		d.duplicate(&keys, string(c), at)
		d.path = append(d.path, pathElem{key: string(c)})
		defer func() { d.path = d.path[:len(d.path)-1] }()
		if !slices.Contains(Categories(), c) {
			d.faultAt(at, Textf("%q is not a review dimension; use one of %s", string(c), categoryList()))
			return d.skip()
		}
		var v Conclusion
		if !v.readJSON(d) {
			return false
		}
		(*m)[c] = v
		return true
	})
}

func categoryList() string {
	names := make([]string, 0, len(Categories()))
	for _, c := range Categories() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// MarshalJSON writes "pass" or the number of issues.
func (c Conclusion) MarshalJSON() ([]byte, error) {
	switch {
	case c == 0:
		return []byte(`"pass"`), nil
	case c < 0:
		return nil, Errorf(CodeUnexpected, "a dimension cannot have %d issues", int(c))
	}
	return []byte(itoa(int(c))), nil
}

// UnmarshalJSON reads "pass" or a number of issues; 0 is "pass".
func (c *Conclusion) UnmarshalJSON(data []byte) error { return unmarshalSelf(data, c) }

func (c *Conclusion) readJSON(d *jsonDecoder) bool {
	start := d.pos
	switch b := d.peek(); {
	case b == '"':
		s, ok := d.str()
		if ok && string(s) != "pass" {
			d.faultAt(start, Textf(`want "pass" or the number of issues, found %s`, shorten(string(d.data[start:d.pos]))))
		}
		*c = 0
		return ok
	case b >= '0' && b <= '9':
		var n uint32
		if !d.readUint(&n) {
			return false
		}
		*c = Conclusion(n)
		return true
	}
	return d.wrong(start, `want "pass" or the number of issues, found %s`)
}

// readUint reads an integer from 0.
func (d *jsonDecoder) readUint(n *uint32) bool {
	start := d.pos
	tok, ok := d.number()
	if !ok {
		return false
	}
	*n = 0
	for _, c := range tok {
		if c < '0' || c > '9' || *n > 1e8 {
			d.faultAt(start, Textf("want an integer from 0, found %s", string(tok)))
			return true
		}
		*n = *n*10 + uint32(c-'0')
	}
	return true
}

// unmarshalSelf is the UnmarshalJSON of a jsonReader, for callers that use encoding/json.
func unmarshalSelf(data []byte, v jsonReader) error {
	d := &jsonDecoder{data: data}
	d.document(func() bool { return v.readJSON(d) })
	return d.err()
}

// knownKeys are the keys that a node object may have; the first of each kind is the one that is written.
func (n Node) knownKeys() []string { return []string{"type", "text", "name", "node", "description"} }

// MarshalJSON writes a bare string, or an object with type and text when the node has a type.
func (n Node) MarshalJSON() ([]byte, error) {
	e := newEncoder("")
	if n.Type == "" {
		e.str(n.Text)
		return e.buf, nil
	}
	e.buf = append(e.buf, `{"type":`...)
	e.str(n.Type)
	e.buf = append(e.buf, `,"text":`...)
	e.str(n.Text)
	e.buf = append(e.buf, '}')
	return e.buf, nil
}

// UnmarshalJSON reads a string, or an object with "type" and one of "text", "name", "node", "description".
func (n *Node) UnmarshalJSON(data []byte) error { return unmarshalSelf(data, n) }

func (n *Node) readJSON(d *jsonDecoder) bool {
	*n = Node{}
	start := d.pos
	switch d.peek() {
	case '"':
		s, ok := d.str()
		n.Text = string(s)
		return ok
	case '{':
	default:
		return d.wrong(start, "want a string, or an object with type and text, found %s")
	}
	known := n.knownKeys()
	var keys keySet
	rank := len(known) // of the text found so far: text before name before node before description
	ok := d.object(func(name, _ []byte, at int) bool {
		k := string(name)
		d.duplicate(&keys, k, at)
		i := slices.Index(known, k)
		if i < 0 {
			return d.skip()
		}
		d.path = append(d.path, pathElem{key: k})
		defer func() { d.path = d.path[:len(d.path)-1] }()
		if d.peek() == 'n' { // an empty column of the tool that wrote it
			return d.skip()
		}
		from := d.pos
		if d.peek() != '"' {
			return d.wrong(from, "want a string, found %s")
		}
		s, ok := d.str()
		switch {
		case !ok:
			return false
		case i == 0:
			n.Type = string(s)
		case i < rank && len(s) > 0:
			n.Text, rank = string(s), i
		}
		return true
	})
	if ok && n.Text == "" {
		d.faultAt(start, Textf("the node has no text"))
	}
	return ok
}

// entityDeltaKeys are the keys of EntityDelta that have a field of their own, in writing order.
func entityDeltaKeys() []string {
	return []string{"entity_id", "action", "entity_type", "tier", "canonical_name"}
}

func (x *EntityDelta) fields() []*string {
	return []*string{&x.Entity, &x.Action, &x.Type, &x.Tier, &x.Name}
}

// MarshalJSON writes the known keys that are not empty, then Rest by key.
func (x EntityDelta) MarshalJSON() ([]byte, error) {
	e := newEncoder("")
	e.buf = append(e.buf, '{')
	names, n := entityDeltaKeys(), 0
	for i, s := range x.fields() {
		if *s == "" {
			continue
		}
		e.comma(&n, 0)
		e.str(names[i])
		e.colon()
		e.str(*s)
	}
	for _, k := range slices.Sorted(maps.Keys(x.Rest)) {
		if slices.Contains(names, k) {
			continue
		}
		e.comma(&n, 0)
		e.str(k)
		e.colon()
		if err := e.encodeAt(x.Rest[k]); err != nil {
			return nil, err
		}
	}
	e.closing('}', n, 0)
	return e.buf, nil
}

// UnmarshalJSON reads the known keys into their fields and everything else into Rest.
func (x *EntityDelta) UnmarshalJSON(data []byte) error { return unmarshalSelf(data, x) }

func (x *EntityDelta) readJSON(d *jsonDecoder) bool {
	*x = EntityDelta{}
	if d.peek() != '{' {
		return d.wrong(d.pos, "want an object, found %s")
	}
	var keys keySet
	var unknown []unknownKey
	names, absent := entityDeltaKeys(), entityDeltaKeys()
	ok := d.object(func(name, _ []byte, at int) bool {
		k := string(name)
		d.duplicate(&keys, k, at)
		d.path = append(d.path, pathElem{key: k})
		defer func() { d.path = d.path[:len(d.path)-1] }()
		if i := slices.Index(names, k); i >= 0 {
			absent = slices.DeleteFunc(absent, func(s string) bool { return s == k })
			if d.peek() != '"' {
				return d.wrong(d.pos, "want a string, found %s")
			}
			s, ok := d.str()
			*x.fields()[i] = string(s)
			return ok
		}
		unknown = append(unknown, unknownKey{k, at})
		v, ok := d.any()
		if x.Rest == nil {
			x.Rest = map[string]any{}
		}
		x.Rest[k] = v
		return ok
	})
	if ok && d.input {
		d.misspelled(unknown, absent)
	}
	return ok
}
