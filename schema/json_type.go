package schema

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// jsonType is what the codec needs to know of a Go type. It is worked out once in a process: a fold over a finished serial
// reads thousands of small documents.
type jsonType struct {
	marshaler, textMarshaler             bool
	reader, unmarshaler, textUnmarshaler bool // of a pointer to the type
	fields                               []jsonField
}

type jsonField struct {
	name                string
	index               []int
	omitEmpty, omitZero bool
}

var jsonTypes sync.Map //nolint:gochecknoglobals // of reflect.Type to *jsonType; a memo of what never changes

func typeOf(t reflect.Type) *jsonType {
	if jt, ok := jsonTypes.Load(t); ok {
		return jt.(*jsonType)
	}
	p := reflect.PointerTo(t)
	jt := &jsonType{
		marshaler: implements[json.Marshaler](t), textMarshaler: implements[encoding.TextMarshaler](t),
		reader: implements[jsonReader](p), unmarshaler: implements[json.Unmarshaler](p),
		textUnmarshaler: implements[encoding.TextUnmarshaler](p),
	}
	if t.Kind() == reflect.Struct {
		jt.fields = structFields(t, nil, 0)
	}
	jsonTypes.Store(t, jt)
	return jt
}

// structFields lists the JSON fields in their order, those of an embedded struct in its place. Of two fields with one name
// the outer, first one counts.
func structFields(t reflect.Type, index []int, depth int) []jsonField {
	var fields []jsonField
	seen := map[string]int{}
	add := func(f jsonField) {
		if i, ok := seen[f.name]; ok {
			if len(f.index) < len(fields[i].index) {
				fields[i] = f
			}
			return
		}
		seen[f.name] = len(fields)
		fields = append(fields, f)
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		at := append(append(make([]int, 0, len(index)+1), index...), i)
		if sf.Anonymous && name == "" && depth < 8 {
			et := sf.Type
			if et.Kind() == reflect.Pointer {
				et = et.Elem()
			}
			if et.Kind() == reflect.Struct {
				for _, f := range structFields(et, at, depth+1) {
					add(f)
				}
				continue
			}
		}
		if !sf.IsExported() {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		f := jsonField{name: name, index: at}
		for o := range strings.SplitSeq(options, ",") {
			switch o {
			case "omitempty":
				f.omitEmpty = true
			case "omitzero":
				f.omitZero = true
			}
		}
		add(f)
	}
	return fields
}

// fieldByIndex is false when the field lies in an embedded struct whose pointer is nil.
func fieldByIndex(v reflect.Value, index []int) (reflect.Value, bool) {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// fieldForWrite is fieldByIndex that makes the embedded structs on its way.
func fieldForWrite(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// implements reports whether values of type t have the methods of the interface I.
func implements[I any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[I]()) }

// holdsStruct reports whether a value of type t can hold an object whose unknown keys are to be kept.
func holdsStruct(t reflect.Type, seen []reflect.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	if implements[jsonKeeper](t) {
		return true
	}
	if implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t) {
		return false
	}
	switch t.Kind() {
	case reflect.Struct:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsStruct(t.Elem(), append(seen, t))
	default:
		return false
	}
}
