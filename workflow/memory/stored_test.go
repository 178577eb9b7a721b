package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"git-novel/schema"
)

// rows is a store in memory.
type rows struct{ list []Row }

func (s *rows) Rows(q Query) ([]Row, error) {
	var out []Row
	for _, r := range s.list {
		if r.Kind != q.Kind || !q.AllKeys && r.Key != q.Key || q.NoSub && r.Sub != "" || r.Sub < q.From || q.To != "" && r.Sub > q.To || r.Pos >= q.Before {
			continue
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Row) int { return cmp.Compare(a.Seq, b.Seq) })
	if q.Last > 0 {
		out = out[max(0, len(out)-q.Last):]
	}
	if q.First > 0 {
		out = out[:min(len(out), q.First)]
	}
	return out, nil
}

func (s *rows) Subs(kind, key string) ([]string, error) {
	var out []string
	for _, r := range s.list {
		if r.Kind == kind && r.Key == key {
			out = append(out, r.Sub)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func (s *rows) Add(list []Row) error {
	s.list = append(s.list, slices.Clone(list)...)
	return nil
}

func (s *rows) Replace(old, now Row) error {
	i := slices.IndexFunc(s.list, func(r Row) bool {
		return r.Kind == old.Kind && r.Key == old.Key && r.Sub == old.Sub && r.Seq == old.Seq
	})
	if i < 0 {
		return fmt.Errorf("no row %+v", old)
	}
	s.list[i] = now
	return nil
}

// forget is what the index does.
func (s *rows) forget(pos int64) {
	s.list = slices.DeleteFunc(s.list, func(r Row) bool { return r.Pos >= pos })
	for i, r := range s.list {
		if _, ended := EndedKinds(); r.Key == ended && (r.Kind == kindRule || r.Kind == kindLoop) && r.Sub >= EndSub(pos) {
			s.list[i] = Reopen(r)
		}
	}
}

func (s *rows) fold(t *rapid.T, steps []Step) {
	last := int64(0)
	for _, r := range s.list {
		last = max(last, r.Seq)
	}
	w := NewWriter(s, last)
	for _, st := range steps {
		if err := w.Put(st); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// answers is everything that a view says, as JSON.
func answers(t *rapid.T, v *View) string {
	all := map[string]any{
		"entities": v.Entities(), "deaths": v.Deaths(), "rules": v.Rules("", ""), "magic": v.Rules("magic", "城"), "loops": v.Loops(""),
		"all": v.Loops("all"), "closed": v.Loops("closed"), "promises": v.Promises("all"), "timeline": v.Timeline(0, 99), "part": v.Timeline(2, 3),
		"relations": v.Relations(""), "warnings": v.Warnings(),
	}
	all["hero"], _ = v.Protagonist()
	for _, n := range people {
		e, ok := v.Entity(n)
		latest, total := v.LatestRelations(n, 2)
		all["entity "+n] = []any{e, ok, v.Names(n), v.Relations(n), latest, total}
	}
	raw, err := json.MarshalIndent(all, "", " ")
	if err != nil || v.Err() != nil {
		t.Fatal(err, v.Err())
	}
	return string(raw)
}

var people = []string{"shen", "沈砚", "何三", "老周", "灯簿", "protagonist"}

func anyStep(t *rapid.T, n, place int) Step {
	one := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "one") }
	x := schema.Extraction{}
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		typ := rapid.SampledFrom(schema.EventTypes()).Draw(t, "type")
		x.Events = append(x.Events, event(typ, one(people...), m{
			"content": one("谁收走了灯簿", "刀上的缺口"), "urgency": one("high", "low", "3"), "to": one(people...), "field": one("place", "status"),
			"new": one("渡口", "死", "生还"), "rule": one("不能改口供", "雨天不点灯"), "domain": one("magic", "magic.fire", ""), "scope": one("城", ""),
			"name": one(people...), "story_day": float64(rapid.IntRange(1, 5).Draw(t, "day")),
		}))
	}
	for range rapid.IntRange(0, 2).Draw(t, "entities") {
		rest := m{"aliases": []any{one(people...)}}
		if rapid.IntRange(0, 4).Draw(t, "hero") == 0 {
			rest["is_protagonist"] = true
		}
		x.Entities = append(x.Entities, schema.EntityDelta{Entity: one(people...), Name: one(people...), Tier: one("核心", ""), Rest: rest})
	}
	for range rapid.IntRange(0, 2).Draw(t, "states") {
		x.States = append(x.States, schema.StateDelta{Entity: one(people...), Field: one("place", "status", "realm"), New: one("渡口", "死", "活")})
	}
	st := step(n, x)
	if place > 0 {
		st.ID, st.Place = fmt.Sprintf("番外%d之%d", n, place), place
	}
	return st
}

func anySteps(t *rapid.T) []Step {
	var out []Step
	for n := range rapid.IntRange(1, 8).Draw(t, "chapters") {
		out = append(out, anyStep(t, n+1, 0))
		for p := range rapid.IntRange(0, 1).Draw(t, "extras") {
			out = append(out, anyStep(t, n+1, p+1))
		}
	}
	return out
}

// TestStoredIsFolded: what a store answers about any prefix of the book is what a fold of that prefix answers; also after
// the book was changed in the middle and only the rest was folded again.
func TestStoredIsFolded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		steps := anySteps(t)
		store := &rows{}
		cut := rapid.IntRange(0, len(steps)).Draw(t, "cut")
		store.fold(t, steps[:cut])
		store.fold(t, steps[cut:])
		check := func() {
			for i := 0; i <= len(steps); i++ {
				at, limit := 0, int64(0)
				if i > 0 {
					at, limit = steps[i-1].Number, steps[i-1].Pos()+1
				}
				want, got := answers(t, FromSteps(steps[:i]...).Now()), answers(t, Load(store, at, limit))
				if want != got {
					t.Fatalf("after %d steps (-fold +store):\n%s", i, gocmp.Diff(want, got))
				}
			}
		}
		check()
		i := rapid.IntRange(0, len(steps)-1).Draw(t, "retcon")
		steps[i] = anyStep(t, steps[i].Number, steps[i].Place)
		store.forget(steps[i].Pos())
		store.fold(t, steps[i:])
		check()
	})
}
