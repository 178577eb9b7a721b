package text

import (
	"reflect"

	"git-novel/schema"
)

// Localize gives a copy of a result in which every schema.Text is a sentence of the language, so that JSON speaks to its
// reader as the human output does. What needs no change is shared with the original.
func (l Lang) Localize(v any) any {
	if l == English || v == nil {
		return v
	}
	out, changed := l.localize(reflect.ValueOf(v))
	if !changed {
		return v
	}
	return out.Interface()
}

// localize gives the value in the language, and whether it differs from the one it was given.
func (l Lang) localize(v reflect.Value) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		in, changed := l.localize(v.Elem())
		if !changed {
			return v, false
		}
		if v.Kind() == reflect.Interface {
			return in, true
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(in)
		return p, true
	case reflect.Struct:
		return l.localizeStruct(v)
	case reflect.Slice, reflect.Array:
		return l.localizeList(v)
	case reflect.Map:
		return l.localizeMap(v)
	default:
		return v, false
	}
}

func (l Lang) localizeStruct(v reflect.Value) (reflect.Value, bool) {
	if t, ok := reflect.TypeAssert[schema.Text](v); ok {
		return reflect.ValueOf(schema.Text{Format: l.Text(t)}), !t.IsZero()
	}
	var out reflect.Value
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		f, changed := l.localize(v.Field(i))
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(f)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

func (l Lang) localizeList(v reflect.Value) (reflect.Value, bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return v, false
	}
	var out reflect.Value
	for i := range v.Len() {
		e, changed := l.localize(v.Index(i))
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.New(v.Type()).Elem()
			if v.Kind() == reflect.Slice {
				out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			}
			reflect.Copy(out, v)
		}
		out.Index(i).Set(e)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

func (l Lang) localizeMap(v reflect.Value) (reflect.Value, bool) {
	var out reflect.Value
	for _, k := range v.MapKeys() {
		e, changed := l.localize(v.MapIndex(k))
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.MakeMapWithSize(v.Type(), v.Len())
			for _, k := range v.MapKeys() {
				out.SetMapIndex(k, v.MapIndex(k))
			}
		}
		out.SetMapIndex(k, e)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}
