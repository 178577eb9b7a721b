package schema

import (
	"encoding/json"
	"reflect"
)

// member is one member of a raw JSON object that is known to be valid.
type member struct {
	name  string // decoded
	key   []byte // with its quotes, as it stood
	value []byte
}

// members splits a valid raw object. It never answers nil for one.
func members(raw []byte) []member {
	d := &jsonDecoder{data: raw, lenient: true}
	out := make([]member, 0, 8)
	d.object(func(name, key []byte, _ int) bool {
		m := member{name: string(name), key: key}
		start := d.pos
		if !d.skip() {
			return false
		}
		m.value = raw[start:d.pos]
		out = append(out, m)
		return true
	})
	return out
}

func rawOf(ms []member, name string) []byte {
	for i := range ms {
		if ms[i].name == name {
			return ms[i].value
		}
	}
	return nil
}

// oldElement is one element of the list that stood in the place of the one being written.
type oldElement struct {
	raw    []byte
	ids    [3]string // raw values of the keys that pair elements, "" when absent
	paired bool
}

// pairKeys pair the elements of two lists, the strongest first.
func pairKeys() [3]string { return [...]string{"id", "event_id", "chapter"} }

func oldElements(raw []byte) []oldElement {
	d := &jsonDecoder{data: raw, lenient: true}
	out := make([]oldElement, 0, 8)
	d.list(func(int) bool {
		start := d.pos
		if !d.skip() {
			return false
		}
		o := oldElement{raw: raw[start:d.pos]}
		o.ids = pairIDs(o.raw)
		out = append(out, o)
		return true
	})
	return out
}

func pairIDs(raw []byte) (ids [3]string) {
	if len(raw) == 0 || raw[0] != '{' {
		return ids
	}
	ms := members(raw)
	for i, k := range pairKeys() {
		if v := rawOf(ms, k); len(v) > 0 && v[0] != '{' && v[0] != '[' {
			ids[i] = scalarID(v)
		}
	}
	return ids
}

// scalarID makes two spellings of one string equal.
func scalarID(raw []byte) string {
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return "s" + s
		}
	}
	return string(raw)
}

// pairOf finds the raw old form of element i: by the first key that the element and any old element have, else by index.
func (e *jsonEncoder) pairOf(rv reflect.Value, old []oldElement, i int) ([]byte, error) {
	probe := &jsonEncoder{}
	if err := probe.value(rv, nil, 0); err != nil {
		return nil, err
	}
	ids := pairIDs(probe.buf)
	for k := range ids {
		if ids[k] == "" || !anyHas(old, k) {
			continue
		}
		for j := range old {
			if !old[j].paired && old[j].ids[k] == ids[k] {
				old[j].paired = true
				return old[j].raw, nil
			}
		}
		return nil, nil
	}
	if i < len(old) && !old[i].paired {
		old[i].paired = true
		return old[i].raw, nil
	}
	return nil, nil
}

func anyHas(old []oldElement, k int) bool {
	for i := range old {
		if old[i].ids[k] != "" {
			return true
		}
	}
	return false
}
