package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonKeeper is a type with its own codec that still says which keys of its object form it knows, so that the others
// can be kept.
type jsonKeeper interface{ knownKeys() []string }

type jsonEncoder struct {
	buf    []byte
	indent string // "" writes compact
}

func newEncoder(indent string) *jsonEncoder {
	return &jsonEncoder{indent: indent}
}

func (e *jsonEncoder) encode(v any, orig []byte) error {
	return e.value(reflect.ValueOf(v), bytes.TrimSpace(orig), 0)
}

// encodeAt writes v inside a value that is being written compact.
func (e *jsonEncoder) encodeAt(v any) error { return e.value(reflect.ValueOf(v), nil, 1) }

func (e *jsonEncoder) newline(depth int) {
	if e.indent == "" {
		return
	}
	e.buf = append(e.buf, '\n')
	for range depth {
		e.buf = append(e.buf, e.indent...)
	}
}

func (e *jsonEncoder) colon() {
	e.buf = append(e.buf, ':')
	if e.indent != "" {
		e.buf = append(e.buf, ' ')
	}
}

// value writes rv; orig is the raw value that stood in its place, or nil.
func (e *jsonEncoder) value(rv reflect.Value, orig []byte, depth int) error {
	if !rv.IsValid() {
		e.buf = append(e.buf, "null"...)
		return nil
	}
	if depth > 2*MaxJSONDepth { // a value that holds itself would never end
		return Errorf(CodeUnexpected, "a value nests deeper than %d levels", 2*MaxJSONDepth)
	}
	if rv.Kind() == reflect.Pointer || rv.Kind() == reflect.Interface {
		if rv.IsNil() {
			e.buf = append(e.buf, "null"...)
			return nil
		}
		if rv.Kind() == reflect.Interface || !marshals(rv.Type()) || marshals(rv.Elem().Type()) {
			return e.value(rv.Elem(), orig, depth)
		}
	}
	t := typeOf(rv.Type())
	switch {
	case t.marshaler:
		return e.marshaler(rv, orig, depth)
	case t.textMarshaler:
		return e.textMarshaler(rv)
	}
	switch rv.Kind() {
	case reflect.Bool:
		e.buf = strconv.AppendBool(e.buf, rv.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = strconv.AppendInt(e.buf, rv.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.buf = strconv.AppendUint(e.buf, rv.Uint(), 10)
	case reflect.String:
		if rv.Type() == reflect.TypeFor[json.Number]() {
			return e.foreign(rv)
		}
		e.str(rv.String())
	case reflect.Struct:
		return e.structValue(rv, t, orig, depth)
	case reflect.Map:
		return e.mapValue(rv, orig, depth)
	case reflect.Slice, reflect.Array:
		if rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Uint8 {
			return e.foreign(rv) // base64, as encoding/json has it
		}
		return e.list(rv, orig, depth)
	default: // floats, and what encoding/json refuses
		return e.foreign(rv)
	}
	return nil
}

// marshals reports a type that writes itself.
func marshals(t reflect.Type) bool {
	return implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t)
}

// foreign lets encoding/json write a scalar.
func (e *jsonEncoder) foreign(rv reflect.Value) error {
	raw, err := json.Marshal(rv.Interface())
	if err != nil {
		return Wrap(err, CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	e.buf = append(e.buf, raw...)
	return nil
}

func (e *jsonEncoder) marshaler(rv reflect.Value, orig []byte, depth int) error {
	m, ok := reflect.TypeAssert[json.Marshaler](rv)
	if !ok {
		return Errorf(CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	raw, err := m.MarshalJSON()
	if err != nil {
		return Wrap(err, CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	if d := (&jsonDecoder{data: raw}); !d.document(d.skip) {
		return Wrap(d.err(), CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	raw = bytes.TrimSpace(raw)
	k, keeps := reflect.TypeAssert[jsonKeeper](rv)
	if !keeps || len(orig) == 0 || orig[0] != '{' || raw[0] != '{' {
		return e.raw(raw, depth)
	}
	e.buf = append(e.buf, '{')
	n := 0
	known := k.knownKeys()
	for _, m := range members(raw) {
		known = append(known, m.name)
		if err := e.rawMember(m, &n, depth); err != nil {
			return err
		}
	}
	return e.rest(orig, known, n, depth)
}

func (e *jsonEncoder) textMarshaler(rv reflect.Value) error {
	m, ok := reflect.TypeAssert[encoding.TextMarshaler](rv)
	if !ok {
		return Errorf(CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	text, err := m.MarshalText()
	if err != nil {
		return Wrap(err, CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	e.str(string(text))
	return nil
}

func (e *jsonEncoder) structValue(rv reflect.Value, t *jsonType, orig []byte, depth int) error {
	var old []member
	if len(orig) > 0 && orig[0] == '{' {
		old = members(orig)
	}
	e.buf = append(e.buf, '{')
	n := 0
	for i := range t.fields {
		f := &t.fields[i]
		fv, ok := fieldByIndex(rv, f.index)
		if !ok || f.omitEmpty && isEmptyJSON(fv) || f.omitZero && fv.IsZero() {
			continue
		}
		e.comma(&n, depth)
		e.str(f.name)
		e.colon()
		if err := e.value(fv, rawOf(old, f.name), depth+1); err != nil {
			return err
		}
	}
	if old == nil {
		e.closing('}', n, depth)
		return nil
	}
	known := make([]string, len(t.fields))
	for i := range t.fields {
		known[i] = t.fields[i].name
	}
	return e.rest(orig, known, n, depth)
}

// rest writes the members of orig that are not known, and closes the object in which n members stand already.
func (e *jsonEncoder) rest(orig []byte, known []string, n, depth int) error {
	for _, m := range members(orig) {
		if slices.Contains(known, m.name) {
			continue
		}
		if err := e.rawMember(m, &n, depth); err != nil {
			return err
		}
	}
	e.closing('}', n, depth)
	return nil
}

func (e *jsonEncoder) rawMember(m member, n *int, depth int) error {
	e.comma(n, depth)
	e.buf = append(e.buf, m.key...)
	e.colon()
	return e.raw(m.value, depth+1)
}

func (e *jsonEncoder) comma(n *int, depth int) {
	if *n > 0 {
		e.buf = append(e.buf, ',')
	}
	*n++
	e.newline(depth + 1)
}

func (e *jsonEncoder) closing(c byte, n, depth int) {
	if n > 0 {
		e.newline(depth)
	}
	e.buf = append(e.buf, c)
}

func (e *jsonEncoder) mapValue(rv reflect.Value, orig []byte, depth int) error {
	if rv.Type().Key().Kind() != reflect.String {
		return e.foreignMap(rv, depth)
	}
	if states, ok := reflect.TypeAssert[map[string]State](rv); ok {
		e.states(states, depth)
		return nil
	}
	type pair struct {
		key string
		val reflect.Value
	}
	pairs := make([]pair, 0, rv.Len())
	for it := rv.MapRange(); it.Next(); {
		pairs = append(pairs, pair{it.Key().String(), it.Value()})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	var old map[string][]byte
	if len(orig) > 0 && orig[0] == '{' && holdsStruct(rv.Type().Elem(), nil) {
		ms := members(orig)
		old = make(map[string][]byte, len(ms))
		for _, m := range ms {
			old[m.name] = m.value
		}
	}
	e.buf = append(e.buf, '{')
	n := 0
	for _, p := range pairs {
		e.comma(&n, depth)
		e.str(p.key)
		e.colon()
		if err := e.value(p.val, old[p.key], depth+1); err != nil {
			return err
		}
	}
	e.closing('}', n, depth)
	return nil
}

// states is mapValue for the map of chapter states.
func (e *jsonEncoder) states(states map[string]State, depth int) {
	e.buf = append(e.buf, '{')
	n := 0
	for _, id := range sortedKeys(states) {
		e.comma(&n, depth)
		e.str(id)
		e.colon()
		e.str(string(states[id]))
	}
	e.closing('}', n, depth)
}

// foreignMap leaves maps with keys that are not strings to encoding/json.
func (e *jsonEncoder) foreignMap(rv reflect.Value, depth int) error {
	raw, err := json.Marshal(rv.Interface())
	if err != nil {
		return Wrap(err, CodeUnexpected, "cannot write a value of type %s as JSON", rv.Type().String())
	}
	if string(raw) == "null" {
		raw = []byte("{}")
	}
	return e.raw(raw, depth)
}

func (e *jsonEncoder) list(rv reflect.Value, orig []byte, depth int) error {
	var old []oldElement
	if len(orig) > 0 && orig[0] == '[' && holdsStruct(rv.Type().Elem(), nil) {
		old = oldElements(orig)
	}
	e.buf = append(e.buf, '[')
	for i := range rv.Len() {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.newline(depth + 1)
		var was []byte
		if old != nil {
			var err error
			if was, err = e.pairOf(rv.Index(i), old, i); err != nil {
				return err
			}
		}
		if err := e.value(rv.Index(i), was, depth+1); err != nil {
			return err
		}
	}
	e.closing(']', rv.Len(), depth)
	return nil
}

// raw lays a value out at depth without touching its tokens.
func (e *jsonEncoder) raw(v []byte, depth int) error {
	out := bytes.NewBuffer(e.buf)
	var err error
	if e.indent == "" {
		err = json.Compact(out, v)
	} else {
		err = json.Indent(out, v, strings.Repeat(e.indent, depth), e.indent)
	}
	if err != nil {
		return Wrap(err, CodeUnexpected, "cannot lay out a JSON value")
	}
	e.buf = out.Bytes()
	return nil
}

// str writes a string with the escapes that JSON demands and no others, as JSON.stringify does. Bytes that are not UTF-8
// become U+FFFD.
func (e *jsonEncoder) str(s string) {
	const hex = "0123456789abcdef"
	e.buf = append(e.buf, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			e.buf = append(e.buf, s[start:i]...)
			switch c {
			case '"', '\\':
				e.buf = append(e.buf, '\\', c)
			case '\b':
				e.buf = append(e.buf, '\\', 'b')
			case '\f':
				e.buf = append(e.buf, '\\', 'f')
			case '\n':
				e.buf = append(e.buf, '\\', 'n')
			case '\r':
				e.buf = append(e.buf, '\\', 'r')
			case '\t':
				e.buf = append(e.buf, '\\', 't')
			default:
				e.buf = append(e.buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			e.buf = append(e.buf, s[start:i]...)
			e.buf = append(e.buf, "\uFFFD"...)
			start = i + size
		}
		i += size
	}
	e.buf = append(e.buf, s[start:]...)
	e.buf = append(e.buf, '"')
}

// isEmptyJSON is what encoding/json calls empty.
func isEmptyJSON(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	default:
		return v.IsZero()
	}
}
