package memory

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"git-novel/schema"
)

type m = map[string]any

func step(n int, x schema.Extraction) Step {
	for i := range x.Events {
		if x.Events[i].Chapter == 0 {
			x.Events[i].Chapter = n
		}
		if x.Events[i].ID == "" {
			x.Events[i].ID = schema.EventID(x.Events[i], i+1)
		}
	}
	return Step{ID: fmt.Sprintf("%04d", n), Number: n, Commit: &schema.Commit{Extraction: &x}}
}

func event(typ schema.EventType, subject string, payload m) schema.Event {
	return schema.Event{Type: string(typ), Subject: subject, Payload: payload}
}

func TestEntityOverTime(t *testing.T) {
	t.Parallel()
	f := FromSteps(
		step(1, schema.Extraction{
			Entities: []schema.EntityDelta{
				{Entity: "shen", Name: "沈砚", Tier: "核心", Type: "角色", Rest: m{"aliases": []any{"沈师傅"}, "is_protagonist": true}},
				{Rest: m{"from_entity": "沈砚", "to_entity": "何三", "relationship_type": "陌生", "description": "初见"}},
			},
			States: []schema.StateDelta{{Entity: "shen", Field: "place.now", New: "修复室"}},
		}),
		step(3, schema.Extraction{
			Events: []schema.Event{
				event(schema.EventCharacterState, "沈师傅", m{"field": "place.now", "to": "渡口"}),
				event(schema.EventBreakthrough, "沈砚", m{"from": "学徒", "to": "师傅"}),
				event(schema.EventRelationship, "沈砚", m{"to_entity": "何三", "relationship_type": "信任"}),
				event(schema.EventArtifact, "沈砚", m{"artifact_id": "lamp", "name": "灯簿"}),
			},
			Entities: []schema.EntityDelta{{Entity: "shen", Name: "沈岩"}},
		}),
		step(5, schema.Extraction{States: []schema.StateDelta{{Entity: "何三", Field: "status", New: "身亡"}}}),
		step(7, schema.Extraction{States: []schema.StateDelta{{Entity: "何三", Field: "status", New: "死里逃生"}}}),
	)
	one, _ := f.At(1).Entity("沈师傅")
	if one.ID != "shen" || one.Name != "沈砚" || one.Attributes["place.now"] != "修复室" || one.First != 1 || one.Last != 1 || !one.Protagonist {
		t.Errorf("at 1: %+v", one)
	}
	three, ok := f.At(4).Entity("沈岩")
	if !ok || three.Name != "沈岩" || three.Attributes["place.now"] != "渡口" || three.Attributes["realm"] != "师傅" || three.Last != 3 {
		t.Errorf("at 4: %+v", three)
	}
	if !cmp.Equal(three.Aliases, []string{"沈砚", "沈师傅"}) {
		t.Errorf("aliases %v", three.Aliases)
	}
	if c := three.Recent[1]; c.Old != "修复室" || c.New != "渡口" || c.Chapter != 3 || c.Source != "0003" {
		t.Errorf("change %+v", c)
	}
	if three.Range != (Range{1, 4}) || three.Source != "0003" || three.Confidence != 1 {
		t.Errorf("meta %+v", three.Meta)
	}
	if _, ok := f.At(2).Entity("灯簿"); ok {
		t.Error("the book was known before chapter 3")
	}
	if l, _ := f.Now().Entity("灯簿"); l.ID != "lamp" || l.Attributes["holder"] != "沈砚" || l.Type != "物品" {
		t.Errorf("artifact %+v", l)
	}
	if r := f.At(2).Relations("沈砚"); len(r) != 1 || r[0].Type != "陌生" || r[0].From != "shen" {
		t.Errorf("relations at 2: %+v", r)
	}
	if r := f.Now().Relations("何三"); len(r) != 1 || r[0].Type != "信任" || r[0].Chapter != 3 {
		t.Errorf("relations now: %+v", r)
	}
	for n, dead := range map[int]int{4: 0, 5: 1, 6: 1, 7: 0} {
		if d := f.At(n).Deaths(); len(d) != dead {
			t.Errorf("deaths at %d: %+v", n, d)
		}
	}
	if p, ok := f.Now().Protagonist(); !ok || p.ID != "shen" {
		t.Errorf("protagonist %+v", p)
	}
}

func TestSharedNameIsNobody(t *testing.T) {
	t.Parallel()
	f := FromSteps(step(1, schema.Extraction{Entities: []schema.EntityDelta{
		{Entity: "a", Name: "周一", Rest: m{"aliases": []any{"老周"}}}, {Entity: "b", Name: "周二", Rest: m{"aliases": []any{"老周"}}},
	}}))
	if e, ok := f.Now().Entity("老周"); ok {
		t.Errorf("a shared name gave %+v", e)
	}
	if len(f.Now().Entities()) != 2 {
		t.Errorf("%+v", f.Now().Entities())
	}
}

func TestLoopsAndPromises(t *testing.T) {
	t.Parallel()
	f := FromSteps(
		step(1, schema.Extraction{Events: []schema.Event{
			event(schema.EventOpenLoopCreated, "灯", m{"loop_id": "l1", "content": "谁收走了灯簿", "urgency": "medium"}),
			event(schema.EventOpenLoopCreated, "刀", m{"content": "刀上的缺口", "urgency": " HIGH "}),
			event(schema.EventPromiseCreated, "沈砚", m{"content": "把账修好", "expected_payoff": "第3章", "urgency": 70.5}),
			event(schema.EventOpenLoopCreated, "刀", m{"content": "刀上的缺口"}), // told again: no second loop
		}}),
		step(2, schema.Extraction{Events: []schema.Event{
			event(schema.EventOpenLoopClosed, "随便", m{"loop_id": "l1"}),
			event(schema.EventOpenLoopCreated, "刀", m{"content": "刀是谁的"}),
		}}),
		step(3, schema.Extraction{Events: []schema.Event{
			event(schema.EventPromisePaidOff, "沈砚", nil),
			event(schema.EventOpenLoopClosed, "刀", nil), // two are open: nobody knows which
			event(schema.EventOpenLoopClosed, "船", nil), // none
		}}),
	)
	contents := func(ls []OpenLoop) []string {
		var out []string
		for _, l := range ls {
			out = append(out, l.Content)
		}
		return out
	}
	for _, c := range []struct {
		at     int
		status string
		want   []string
	}{
		{1, "", []string{"刀上的缺口", "把账修好", "谁收走了灯簿"}},
		{2, "active", []string{"刀上的缺口", "把账修好", "刀是谁的"}},
		{2, "closed", []string{"谁收走了灯簿"}},
		{3, "active", []string{"刀上的缺口", "刀是谁的"}},
		{3, "all", []string{"刀上的缺口", "把账修好", "谁收走了灯簿", "刀是谁的"}},
	} {
		if got := contents(f.At(c.at).Loops(c.status)); !cmp.Equal(got, c.want) {
			t.Errorf("at %d %q: %v", c.at, c.status, got)
		}
	}
	if p := f.Now().Promises("all"); len(p) != 1 || p[0].Closed != 3 || p[0].Payoff != "第3章" || p[0].Range != (Range{1, 3}) {
		t.Errorf("promises %+v", p)
	}
	if w := f.Warnings(); len(w) != 2 || w[0].Chapter != 3 {
		t.Errorf("warnings %+v", w)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	f := FromSteps(
		step(1, schema.Extraction{Events: []schema.Event{
			event(schema.EventRuleRevealed, "口供", m{"rule_id": "r1", "rule": "按了手印不能改", "domain": "law.paper", "scope": "县"}),
			event(schema.EventRuleRevealed, "灯班", m{"field": "上灯", "value": "落雨加灯", "domain": "river"}),
		}}),
		step(2, schema.Extraction{Events: []schema.Event{
			event(schema.EventRuleRevealed, "灯班", m{"field": "上灯", "value": "落雨加两盏", "domain": "river"}),
			event(schema.EventRuleBroken, "口供", m{"rule_id": "r1"}),
		}}),
	)
	for _, c := range []struct {
		at            int
		domain, scope string
		want          []string
	}{
		{1, "", "", []string{"按了手印不能改", "落雨加灯"}},
		{1, "law", "all", []string{"按了手印不能改"}},
		{1, "law", "市", nil},
		{1, "la", "", nil},
		{2, "", "", []string{"落雨加两盏"}},
	} {
		var got []string
		for _, r := range f.At(c.at).Rules(c.domain, c.scope) {
			got = append(got, r.Value)
		}
		if !cmp.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	f := FromSteps(
		step(1, schema.Extraction{Events: []schema.Event{event(schema.EventCharacterState, "甲", m{"to": "到了", "story_day": 3.0})}}),
		step(2, schema.Extraction{Events: []schema.Event{event(schema.EventCharacterState, "甲", m{"to": "走了", "story_day": 2.0})}}),
		step(3, schema.Extraction{
			ChapterMeta: m{"time": "第十二天"},
			Events: []schema.Event{
				event(schema.EventOpenLoopCreated, "乙", m{"content": "谁敲门"}),
				event(schema.EventCharacterState, "乙", m{"to": "小时候", "time": "第一天", "flashback": true}),
				event(schema.EventCharacterState, "乙", m{"to": "又来", "time": "第3天"}),
			},
		}),
	)
	tl := f.Now().Timeline(1, 3)
	if len(tl) != 5 {
		t.Fatalf("%+v", tl)
	}
	back := []bool{false, true, false, false, true}
	for i, e := range tl {
		if e.Backwards != back[i] || e.Event == "" {
			t.Errorf("%d: %+v", i, e)
		}
	}
	if tl[2].TimeHint != "第十二天" || tl[2].Event != "谁敲门" || tl[0].Event != "甲 → 到了" {
		t.Errorf("%+v", tl)
	}
	if got := f.At(1).Timeline(1, 9); len(got) != 1 {
		t.Errorf("at 1: %+v", got)
	}
	if len(f.Warnings()) != 2 {
		t.Errorf("%+v", f.Warnings())
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	rule := func(n int, change func(*schema.Commit)) Step {
		s := step(n, schema.Extraction{Events: []schema.Event{event(schema.EventRuleRevealed, fmt.Sprint(n), m{"rule": "x"})}})
		change(s.Commit)
		return s
	}
	f := FromSteps(
		rule(1, func(c *schema.Commit) { c.Origin = schema.OriginAdopted }), rule(2, func(c *schema.Commit) { c.Carried = true }),
		rule(3, func(c *schema.Commit) { c.Extraction.Events[0].Payload["confidence"] = 0.3 }), rule(4, func(*schema.Commit) {}),
	)
	want := []float64{0.8, 0.5, 0.3, 1}
	for i, r := range f.Now().Rules("", "") {
		if r.Confidence != want[i] {
			t.Errorf("%+v", r)
		}
	}
}

// TestUrgency is the table of reference harness 4.10.
func TestUrgency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   any
		want float64
	}{
		{"high", 100},
		{" High ", 100},
		{"medium", 60},
		{"low", 20},
		{"35.5", 35.5},
		{7, 7},
		{-3.5, -3.5},
		{1e9, 1e9},
		{true, 0},
		{nil, 0},
		{[]any{1}, 0},
		{m{}, 0},
		{"urgent", 0},
		{"NaN", 0},
		{math.NaN(), 0},
	} {
		if got := Urgency(c.in); got != c.want {
			t.Errorf("Urgency(%v) = %v", c.in, got)
		}
	}
}

func TestDeathWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field      string
		v          any
		dead, says bool
	}{
		{"status", "dead", true, true},
		{"状态", "已死亡", true, true},
		{"state", "假死", false, true},
		{"alive", false, true, true},
		{"body.alive", true, false, true},
		{"status", 3, false, false},
		{"mood", "想死", false, false},
		{"status", "重伤", false, true},
	} {
		if dead, says := death(c.field, c.v); dead != c.dead || says != c.says {
			t.Errorf("death(%q, %v) = %v %v", c.field, c.v, dead, says)
		}
	}
}

func TestReplaceAndRemove(t *testing.T) {
	t.Parallel()
	set := func(v string) schema.Extraction {
		return schema.Extraction{States: []schema.StateDelta{{Entity: "甲", Field: "place", New: v}}}
	}
	f := FromSteps(step(1, set("一")), step(2, set("二")))
	_ = f.Now()
	f.Put(step(1, set("新一")))
	if e, _ := f.At(1).Entity("甲"); e.Attributes["place"] != "新一" || f.Len() != 2 {
		t.Errorf("%+v of %d", e, f.Len())
	}
	f.Put(Step{ID: "番外", Number: 1, Place: 1, Commit: step(1, set("番外")).Commit})
	if e, _ := f.At(1).Entity("甲"); e.Attributes["place"] != "番外" {
		t.Errorf("%+v", e)
	}
	f.Remove("0002")
	if e, _ := f.Now().Entity("甲"); e.Attributes["place"] != "番外" || f.Len() != 2 {
		t.Errorf("%+v", e)
	}
	if New().Now().Chapter() != 0 {
		t.Error("an empty memory has a chapter")
	}
}

// TestIncremental: whatever the order of puts, removals and questions in between, the answers are those of one fold.
func TestIncremental(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"甲", "乙", "丙"})
		gen := rapid.Custom(func(t *rapid.T) Step {
			n := rapid.IntRange(1, 6).Draw(t, "n")
			var x schema.Extraction
			for range rapid.IntRange(0, 4).Draw(t, "events") {
				typ := rapid.SampledFrom(schema.EventTypes()).Draw(t, "type")
				x.Events = append(x.Events, event(typ, names.Draw(t, "subject"), m{
					"content": names.Draw(t, "content"), "to": names.Draw(t, "to"), "story_day": float64(rapid.IntRange(0, 5).Draw(t, "day")),
				}))
			}
			if rapid.Bool().Draw(t, "dies") {
				x.States = append(x.States, schema.StateDelta{Entity: names.Draw(t, "who"), Field: "status", New: rapid.SampledFrom([]any{"死", "活"}).Draw(t, "v")})
			}
			return step(n, x)
		})
		f := New()
		last := map[string]Step{}
		for range rapid.IntRange(1, 12).Draw(t, "puts") {
			s := gen.Draw(t, "step")
			f.Put(s)
			last[s.ID] = s
			if rapid.Bool().Draw(t, "ask") {
				_ = f.At(3)
			}
			if rapid.IntRange(0, 5).Draw(t, "remove") == 0 {
				f.Remove(s.ID)
				delete(last, s.ID)
			}
		}
		g := New()
		for _, s := range last {
			g.Put(s)
		}
		for n := range 8 {
			a, b := dump(f.At(n)), dump(g.At(n))
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("at %d: %s", n, cmp.Diff(a, b))
			}
		}
		if !reflect.DeepEqual(f.Warnings(), g.Warnings()) {
			t.Fatal("the warnings differ")
		}
	})
}

// TestViewsDoNotSeeTheFuture: what a view says does not change when later chapters are put.
func TestViewsDoNotSeeTheFuture(t *testing.T) {
	t.Parallel()
	f := FromSteps(step(1, schema.Extraction{
		Events: []schema.Event{event(schema.EventOpenLoopCreated, "甲", m{"content": "谁"}), event(schema.EventRuleRevealed, "甲", m{"rule": "规"})},
		States: []schema.StateDelta{{Entity: "甲", Field: "status", New: "活"}},
	}))
	v := f.At(1)
	before := dump(v)
	f.Put(step(2, schema.Extraction{
		Events: []schema.Event{event(schema.EventOpenLoopClosed, "甲", nil), event(schema.EventRuleBroken, "甲", nil)},
		States: []schema.StateDelta{{Entity: "甲", Field: "status", New: "死"}},
	}))
	if now := f.Now(); len(now.Loops("")) != 0 || len(now.Rules("", "")) != 0 || len(now.Deaths()) != 1 {
		t.Errorf("now: %+v", dump(now))
	}
	if d := cmp.Diff(before, dump(v)); d != "" {
		t.Error(d)
	}
}

func dump(v *View) []any {
	return []any{v.Entities(), v.Rules("", ""), v.Loops("all"), v.Timeline(0, 99), v.Relations(""), v.Deaths()}
}

func BenchmarkAppend(b *testing.B) {
	f := New()
	for n := 1; n <= 9999; n++ {
		f.Put(step(n, schema.Extraction{Events: []schema.Event{
			event(schema.EventOpenLoopCreated, "甲", m{"content": fmt.Sprint("谁", n)}),
			event(schema.EventOpenLoopClosed, "甲", m{"content": fmt.Sprint("谁", n)}),
			event(schema.EventCharacterState, fmt.Sprint("人", n%300), m{"to": "x"}),
		}}))
	}
	for b.Loop() {
		f.restart()
		_ = f.Now()
	}
}

// What the timeline says is for a reader: people by the names they had by then, loops and promises by what they were.
func TestTimelineNames(t *testing.T) {
	t.Parallel()
	f := FromSteps(
		step(1, schema.Extraction{
			Entities: []schema.EntityDelta{{Entity: "wukong", Name: "石猴"}},
			Events: []schema.Event{
				event(schema.EventCharacterState, "wukong", m{"to": "出世"}),
				event(schema.EventOpenLoopCreated, "loop1", m{"content": "往何处学艺"}),
				event(schema.EventPromiseCreated, "p1", m{"content": "必回山来"}),
			},
		}),
		step(2, schema.Extraction{
			Entities: []schema.EntityDelta{{Entity: "wukong", Name: "孙悟空"}},
			Events: []schema.Event{
				event(schema.EventBreakthrough, "石猴", m{"to": "长生"}),
				event(schema.EventOpenLoopClosed, "loop1", nil),
				event(schema.EventPromisePaidOff, "p1", nil),
				event(schema.EventOpenLoopClosed, "无此事", nil),
			},
		}),
	)
	var got []string
	for _, e := range f.Now().Timeline(1, 2) {
		got = append(got, e.Event)
	}
	want := []string{"石猴 → 出世", "往何处学艺", "必回山来", "孙悟空 → 长生", "往何处学艺", "必回山来", "无此事"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
