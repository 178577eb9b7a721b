package schema

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
)

// jsonReader is a type that reads itself from the decoder, so that its faults have their place.
type jsonReader interface{ readJSON(d *jsonDecoder) bool }

func itoa(n int) string { return strconv.Itoa(n) }

func unmarshal(d *jsonDecoder, limit int, v any) error {
	if len(d.data) > limit {
		return Errorf(CodeInvalid, "%s has %d bytes, more than the %d that are read", d.file, len(d.data), limit)
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return Errorf(CodeUnexpected, "JSON can only be read into a pointer")
	}
	d.document(func() bool { return d.value(rv.Elem()) })
	return d.err()
}

// wrong records a type fault at the value that stands at start, and skips the value.
func (d *jsonDecoder) wrong(start int, format string) bool {
	d.pos = start
	if d.pos >= len(d.data) {
		return d.unexpected()
	}
	if !d.skip() {
		return false
	}
	d.faultAt(start, Textf(format, shorten(string(d.data[start:d.pos]))))
	return true
}

// value reads the value at pos into rv. It is false only when the document cannot be read on.
func (d *jsonDecoder) value(rv reflect.Value) bool {
	start := d.pos
	null := d.peek() == 'n'
	if rv.Kind() == reflect.Pointer {
		if null {
			rv.SetZero()
			return d.skip()
		}
		if rv.IsNil() {
			rv.Set(reflect.New(rv.Type().Elem()))
		}
		return d.value(rv.Elem())
	}
	t := typeOf(rv.Type())
	if rv.CanAddr() {
		switch {
		case t.reader:
			if r, ok := reflect.TypeAssert[jsonReader](rv.Addr()); ok {
				return r.readJSON(d)
			}
		case t.unmarshaler:
			return d.foreign(rv, start)
		case t.textUnmarshaler:
			return d.text(rv, start)
		}
	}
	switch rv.Kind() {
	case reflect.Interface:
		if rv.NumMethod() != 0 {
			return d.foreign(rv, start)
		}
		v, ok := d.any()
		if ok && v != nil {
			rv.Set(reflect.ValueOf(v))
		} else {
			rv.SetZero()
		}
		return ok
	case reflect.Struct:
		return d.structValue(rv, t)
	case reflect.Map:
		return d.mapValue(rv)
	case reflect.Slice:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			return d.foreign(rv, start)
		}
		return d.slice(rv)
	case reflect.Array:
		return d.foreign(rv, start)
	default:
		return d.scalar(rv, start)
	}
}

func (d *jsonDecoder) scalar(rv reflect.Value, start int) bool {
	c := d.peek()
	isNumber := c == '-' || c >= '0' && c <= '9'
	switch rv.Kind() {
	case reflect.String:
		if rv.Type() == reflect.TypeFor[json.Number]() {
			return d.foreign(rv, start)
		}
		if c != '"' {
			return d.wrong(start, "want a string, found %s")
		}
		s, ok := d.str()
		if ok {
			rv.SetString(string(s))
		}
		return ok
	case reflect.Bool:
		if c != 't' && c != 'f' {
			return d.wrong(start, "want true or false, found %s")
		}
		w, ok := d.literal()
		if ok {
			rv.SetBool(w == 't')
		}
		return ok
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if !isNumber {
			return d.wrong(start, "want an integer, found %s")
		}
		tok, ok := d.number()
		if !ok {
			return false
		}
		n, err := strconv.ParseInt(string(tok), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && rv.OverflowInt(n):
			d.faultAt(start, Textf("the number is out of range: %s", string(tok)))
		case err != nil:
			d.faultAt(start, Textf("want an integer, found %s", string(tok)))
		default:
			rv.SetInt(n)
		}
		return true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if !isNumber {
			return d.wrong(start, "want an integer, found %s")
		}
		tok, ok := d.number()
		if !ok {
			return false
		}
		n, err := strconv.ParseUint(string(tok), 10, 64)
		if err != nil || rv.OverflowUint(n) {
			d.faultAt(start, Textf("want an integer from 0, found %s", string(tok)))
			return true
		}
		rv.SetUint(n)
		return true
	case reflect.Float32, reflect.Float64:
		if !isNumber {
			return d.wrong(start, "want a number, found %s")
		}
		tok, ok := d.number()
		if !ok {
			return false
		}
		f, err := strconv.ParseFloat(string(tok), 64)
		if err != nil || rv.OverflowFloat(f) {
			d.faultAt(start, Textf("the number is out of range: %s", string(tok)))
			return true
		}
		rv.SetFloat(f)
		return true
	default:
		return d.stop(start, Textf("a value cannot be read here"))
	}
}

func (d *jsonDecoder) structValue(rv reflect.Value, t *jsonType) bool {
	start := d.pos
	if d.peek() != '{' {
		return d.wrong(start, "want an object, found %s")
	}
	seen := make([]bool, len(t.fields))
	var other keySet
	var unknown []unknownKey
	ok := d.object(func(name, _ []byte, at int) bool {
		for i := range t.fields {
			f := &t.fields[i]
			if string(name) != f.name {
				continue
			}
			d.path = append(d.path, pathElem{key: f.name})
			if seen[i] && !d.lenient {
				d.faultAt(at, Textf("the key %q appears twice", f.name))
			}
			seen[i] = true
			ok := d.value(fieldForWrite(rv, f.index))
			d.path = d.path[:len(d.path)-1]
			return ok
		}
		d.duplicate(&other, string(name), at)
		if d.input {
			unknown = append(unknown, unknownKey{string(name), at})
		}
		return d.skip()
	})
	if !ok || len(unknown) == 0 {
		return ok
	}
	var absent []string
	for i := range t.fields {
		if !seen[i] {
			absent = append(absent, t.fields[i].name)
		}
	}
	d.misspelled(unknown, absent)
	return true
}

func (d *jsonDecoder) mapValue(rv reflect.Value) bool {
	start := d.pos
	if d.peek() == 'n' {
		rv.SetZero()
		return d.skip()
	}
	if d.peek() != '{' {
		return d.wrong(start, "want an object, found %s")
	}
	mt := rv.Type()
	if mt.Key().Kind() != reflect.String {
		return d.foreign(rv, start)
	}
	if states, ok := reflect.TypeAssert[map[string]State](rv); ok && states == nil {
		return d.states(rv)
	}
	if rv.IsNil() {
		rv.Set(reflect.MakeMap(mt))
	}
	var keys keySet
	elem := reflect.New(mt.Elem()).Elem()
	key := reflect.New(mt.Key()).Elem()
	return d.object(func(name, _ []byte, at int) bool {
		k := string(name)
		d.duplicate(&keys, k, at)
		elem.SetZero()
		d.path = append(d.path, pathElem{key: k})
		ok := d.value(elem)
		d.path = d.path[:len(d.path)-1]
		key.SetString(k)
		rv.SetMapIndex(key, elem)
		return ok
	})
}

// states is mapValue for the map of chapter states, which has thousands of entries and is read by every command.
func (d *jsonDecoder) states(rv reflect.Value) bool {
	states := make(map[string]State, bytes.Count(d.data[d.pos:], []byte("\": \"chapter_")))
	rv.Set(reflect.ValueOf(states))
	var keys keySet
	return d.object(func(name, _ []byte, at int) bool {
		k := string(name)
		d.duplicate(&keys, k, at)
		d.path = append(d.path, pathElem{key: k})
		defer func() { d.path = d.path[:len(d.path)-1] }()
		if d.peek() != '"' {
			return d.wrong(d.pos, "want a string, found %s")
		}
		s, ok := d.str()
		if !ok {
			return false
		}
		switch st := State(s); st { // the known words are not copied
		case StateDrafted:
			states[k] = StateDrafted
		case StateReviewed:
			states[k] = StateReviewed
		case StateCommitted:
			states[k] = StateCommitted
		default:
			states[k] = st
		}
		return true
	})
}

func (d *jsonDecoder) slice(rv reflect.Value) bool {
	start := d.pos
	if d.peek() == 'n' {
		rv.SetZero()
		return d.skip()
	}
	if d.peek() != '[' {
		return d.wrong(start, "want a list, found %s")
	}
	rv.SetLen(0)
	ok := d.list(func(i int) bool {
		if i >= rv.Cap() {
			rv.Grow(1)
		}
		rv.SetLen(i + 1)
		rv.Index(i).SetZero()
		d.path = append(d.path, pathElem{index: i, isIdx: true})
		ok := d.value(rv.Index(i))
		d.path = d.path[:len(d.path)-1]
		return ok
	})
	if ok && rv.IsNil() {
		rv.Set(reflect.MakeSlice(rv.Type(), 0, 0))
	}
	return ok
}

// foreign hands the value to its own UnmarshalJSON, or to encoding/json.
func (d *jsonDecoder) foreign(rv reflect.Value, start int) bool {
	if !d.skip() {
		return false
	}
	if err := json.Unmarshal(d.data[start:d.pos], rv.Addr().Interface()); err != nil {
		d.faultAt(start, reason(err))
	}
	return true
}

func (d *jsonDecoder) text(rv reflect.Value, start int) bool {
	if d.peek() != '"' {
		return d.wrong(start, "want a string, found %s")
	}
	s, ok := d.str()
	if !ok {
		return false
	}
	u, is := reflect.TypeAssert[encoding.TextUnmarshaler](rv.Addr())
	if !is {
		return d.stop(start, Textf("a value cannot be read here"))
	}
	if err := u.UnmarshalText(s); err != nil {
		d.faultAt(start, reason(err))
	}
	return true
}

// reason is the message of an error without the code around it.
func reason(err error) Text {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Msg
	}
	return Textf("%s", err.Error())
}
