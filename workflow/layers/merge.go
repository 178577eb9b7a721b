package layers

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"git-novel/schema"
)

// Layer is one contract below the master: where it lies, what it does to the master, and its own anti-patterns.
type Layer struct {
	File         string
	Overrides    schema.ContractOverrides
	AntiPatterns []string
}

// antiPatterns is the path of the list that every layer has.
const antiPatterns = "anti_patterns"

// Merge lays the layers over the master document, the nearest one last: a locked value stays, an append-only list grows
// in order without duplicates, an open field is replaced. What a layer may not do is a fault, and is not done. master is
// left alone.
func Merge(master map[string]any, policy schema.OverridePolicy, layers ...Layer) (map[string]any, []schema.Fault) {
	out, _ := deep(master).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	m := merger{doc: out, policy: policy}
	for _, l := range layers {
		m.file = l.File
		m.locked(l.Overrides.Locked)
		m.appendOnly(l.Overrides.AppendOnly)
		if len(l.AntiPatterns) > 0 {
			m.union(antiPatterns, anyList(l.AntiPatterns)) // of every layer, whatever the policy
		}
		m.replace(l.Overrides.OverrideAllowed)
	}
	return m.doc, m.faults
}

type merger struct {
	doc    map[string]any
	policy schema.OverridePolicy
	file   string
	faults []schema.Fault
}

func (m *merger) fault(part, path, format string, args ...any) {
	m.faults = append(m.faults, schema.Fault{
		File: m.file, Field: "overrides." + part + "." + path, Rule: "contract", Msg: schema.Textf(format, args...),
	})
}

func (m *merger) locked(given map[string]any) {
	for _, path := range sorted(given) {
		have, ok := find(m.doc, path)
		switch {
		case !slices.Contains(m.policy.Locked, path):
			m.fault("locked", path, "%q is not locked in the master contract", path)
		case !ok || !reflect.DeepEqual(have, given[path]):
			m.fault("locked", path, "%q is locked in the master contract and says something else there", path)
		}
	}
}

func (m *merger) appendOnly(given map[string]any) {
	for _, path := range sorted(given) {
		list, ok := given[path].([]any)
		switch {
		case slices.Contains(m.policy.Locked, path):
			m.fault("append_only", path, "%q is locked in the master contract", path)
		case !slices.Contains(m.policy.AppendOnly, path):
			m.fault("append_only", path, "%q is not append-only in the master contract", path)
		case !ok:
			m.fault("append_only", path, "what is added to %q must be a list", path)
		default:
			m.union(path, list)
		}
	}
}

func (m *merger) union(path string, more []any) {
	have, _ := find(m.doc, path)
	list, ok := have.([]any)
	if have != nil && !ok {
		m.fault("append_only", path, "%q is no list in the master contract", path)
		return
	}
	list = slices.Clone(list)
	for _, v := range more {
		if !slices.ContainsFunc(list, func(x any) bool { return reflect.DeepEqual(x, v) }) {
			list = append(list, v)
		}
	}
	put(m.doc, path, list)
}

func (m *merger) replace(given map[string]any) {
	for _, path := range sorted(given) {
		switch {
		case slices.ContainsFunc(m.policy.Locked, func(l string) bool { return within(l, path) || within(path, l) }):
			m.fault("override_allowed", path, "%q is locked in the master contract", path)
		case !slices.ContainsFunc(m.policy.OverrideAllowed, func(l string) bool { return within(path, l) }):
			m.fault("override_allowed", path, "the master contract does not open %q to lower layers", path)
		default:
			put(m.doc, path, deep(given[path]))
		}
	}
}

// within reports that path is the field or lies inside it.
func within(path, field string) bool { return path == field || strings.HasPrefix(path, field+".") }

// Changes says what a new master contract does to the one on record that it may not do without a reason: a locked value
// that changes, an entry of an append-only list that goes. The policy on record counts.
func Changes(file string, old, next map[string]any, policy schema.OverridePolicy) []schema.Fault {
	var faults []schema.Fault
	add := func(path, format string, args ...any) {
		faults = append(faults, schema.Fault{File: file, Field: path, Rule: "contract-locked", Msg: schema.Textf(format, args...)})
	}
	for _, path := range policy.Locked {
		was, ok := find(old, path)
		now, _ := find(next, path)
		if ok && !reflect.DeepEqual(was, now) {
			add(path, "%q is locked and would change", path)
		}
	}
	for _, path := range policy.AppendOnly {
		was, _ := find(old, path)
		now, _ := find(next, path)
		have, _ := now.([]any)
		list, _ := was.([]any)
		for _, v := range list {
			if !slices.ContainsFunc(have, func(x any) bool { return reflect.DeepEqual(x, v) }) {
				add(path, "%q is append-only and would lose an entry", path)
				break
			}
		}
	}
	now, _ := find(next, "override_policy")
	if was, ok := find(old, "override_policy"); ok && !reflect.DeepEqual(was, now) {
		for _, part := range []string{"locked", "append_only"} {
			a, _ := find(old, "override_policy."+part)
			b, _ := find(next, "override_policy."+part)
			had, _ := a.([]any)
			has, _ := b.([]any)
			for _, v := range had {
				if !slices.Contains(has, v) {
					add("override_policy."+part, "%v would no longer be %s", v, part)
				}
			}
		}
	}
	return faults
}

func find(doc map[string]any, path string) (any, bool) {
	var at any = doc
	for part := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[part]; !ok {
			return nil, false
		}
	}
	return at, true
}

// put sets a field, and the objects on the way to it. A field of something that is no object takes its place.
func put(doc map[string]any, path string, v any) {
	parts := strings.Split(path, ".")
	for _, part := range parts[:len(parts)-1] {
		next, ok := doc[part].(map[string]any)
		if !ok {
			next = map[string]any{}
			doc[part] = next
		}
		doc = next
	}
	doc[parts[len(parts)-1]] = v
}

func deep(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(t))
		for k, x := range t {
			out[k] = deep(x)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, x := range t {
			out[i] = deep(x)
		}
		return out
	}
	return v
}

func anyList(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
