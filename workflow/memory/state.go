package memory

import (
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// mark is where something was said: the number to filter by, the record, and how sure it is.
type mark struct {
	chapter int
	pos     int64 // place in the order of the book
	source  string
	sure    float64
}

func (m mark) meta(to int) Meta {
	return Meta{Source: m.source, Range: Range{From: m.chapter, To: max(m.chapter, to)}, Confidence: m.sure}
}

type change struct {
	mark
	field    string
	old, new any
}

type named struct {
	mark
	name string
}

type entity struct {
	id      string
	seq     int64 // of its row in a store
	born    mark
	names   []named // canonical names, the last one holds
	aliases []named
	typ     []named
	tier    []named
	hero    int // chapter from which it is the protagonist, -1 never
	changes []change
	seen    []int // chapters it appears in, ascending
	gone    []int // deaths and returns: chapter of death positive, of return negative minus one
}

type rule struct {
	mark
	seq                                      int64 // of its row in a store
	id, subject, field, value, domain, scope string
	ended                                    int // chapter, -1 never
	status                                   string
}

type loop struct {
	mark
	seq                                int64 // of its row in a store
	id, kind, subject, content, payoff string
	folded                             string // content, for comparing
	urgency                            float64
	closed                             int // chapter, -1 never
}

type happening struct {
	mark
	TimelineEvent
}

type relation struct {
	mark
	from, to, typ, desc string
}

// state is everything, with its history. It is only ever appended to.
type state struct {
	entities  map[string]*entity
	ids       []string           // in order of birth
	index     map[string][]named // folded name or alias → ids in the order they got it; "" when two entities share it
	rules     []*rule
	active    []*rule // rules that hold
	loops     []*loop
	open      []*loop // loops that are not closed: a long serial closes most, and only these are searched
	timeline  []happening
	relations []relation
	clock     map[string]float64 // furthest story time told, by kind of clock
	warnings  []Warning
	base      *base // where the rest of a stored memory lies; nil when everything is here
}

func newState() state {
	return state{entities: map[string]*entity{}, index: map[string][]named{}, clock: map[string]float64{}}
}

func (s *state) warn(m mark, format string, args ...any) {
	w := Warning{Chapter: m.chapter, Source: m.source, Msg: schema.Textf(format, args...)}
	s.warnings = append(s.warnings, w)
	s.base.warning(m, w)
}

// apply folds one record.
func (s *state) apply(st Step) {
	if st.Commit == nil || st.Commit.Extraction == nil {
		return
	}
	m := mark{chapter: st.Number, pos: st.Pos(), source: st.ID, sure: 1}
	switch {
	case st.Commit.Carried:
		m.sure = 0.5
	case st.Commit.Adopted():
		m.sure = 0.8
	}
	x := st.Commit.Extraction
	for _, d := range x.Entities {
		s.entityDelta(m, d)
	}
	for _, a := range x.Appeared {
		v := values(a)
		if id := v.str("id", "entity_id", "name"); id != "" {
			s.see(s.entity(m, id), m)
		}
	}
	for _, e := range x.Events {
		s.event(m, e, x.ChapterMeta)
	}
	for _, d := range x.States {
		s.set(s.entity(m, d.Entity), m, d.Field, d.Old, d.New)
	}
}

// find gives the entity of an id, from the store when it is not here yet; nil when there is none.
func (s *state) find(id string) *entity {
	if e, ok := s.entities[id]; ok {
		return e
	}
	e := s.base.entity(id)
	if e != nil {
		s.entities[id] = e
	}
	return e
}

// lookup gives the id that a folded name means at the end of chapter at; "" when nobody or more than one is called so.
func (s *state) lookup(folded string, at int) string {
	list, known := s.index[folded]
	if !known && s.base != nil {
		list = s.base.names(folded)
		s.index[folded] = list
	}
	for _, n := range slices.Backward(list) {
		if n.chapter <= at {
			return n.name
		}
	}
	return ""
}

// entity finds an entity by id, name or alias, and makes one when nobody is called so.
func (s *state) entity(m mark, ref string) *entity {
	ref = strings.TrimSpace(ref)
	if e := s.find(ref); e != nil {
		return e
	}
	if id := s.lookup(prose.Fold(ref), m.chapter); id != "" {
		return s.find(id)
	}
	e := &entity{id: ref, born: m, hero: -1}
	s.entities[ref] = e
	s.ids = append(s.ids, ref)
	s.base.born(e)
	s.call(m, ref, e)
	return e
}

func (s *state) call(m mark, name string, e *entity) {
	key := prose.Fold(name)
	if key == "" {
		return
	}
	id := s.lookup(key, m.chapter)
	list := s.index[key]
	switch {
	case len(list) > 0 && id == e.id, len(list) > 0 && id == "":
		return // known, or shared by two already
	case len(list) > 0:
		id = ""
	default:
		id = e.id
	}
	s.index[key] = append(list, named{m, id})
	s.base.called(m, key, id)
}

func (s *state) see(e *entity, m mark) {
	if n := len(e.seen); n == 0 || e.seen[n-1] < m.chapter {
		e.seen = append(e.seen, m.chapter)
		s.base.seen(m, e.id)
	}
}

// trait adds a name, an alias, a type or a tier. What holds already is not said twice: a data agent repeats an entity in
// every chapter, and a long serial would pay for it.
func (s *state) trait(m mark, e *entity, kind string, list *[]named, value string) {
	old := *list
	if n := len(old); n > 0 && old[n-1].name == value {
		return
	}
	if kind == traitAlias && slices.ContainsFunc(old, func(n named) bool { return n.name == value }) {
		return
	}
	*list = append(old, named{m, value})
	s.base.trait(m, e.id, kind, value)
}

func (s *state) set(e *entity, m mark, field string, old, now any) {
	if field == "" {
		return
	}
	if old == nil {
		for _, c := range slices.Backward(e.changes) {
			if c.field == field {
				old = c.new
				break
			}
		}
	}
	c := change{m, field, old, now}
	e.changes = append(e.changes, c)
	s.base.changed(e.id, c)
	if dead, says := death(field, now); says {
		gone := 0
		if dead {
			gone = m.chapter
		} else if n := len(e.gone); n > 0 && e.gone[n-1] >= 0 {
			gone = -m.chapter - 1
		}
		if dead || gone < 0 {
			e.gone = append(e.gone, gone)
			s.base.gone(m, e.id, gone)
		}
	}
	s.see(e, m)
}

func (s *state) entityDelta(m mark, d schema.EntityDelta) {
	v := values(d.Rest)
	if from, to := v.str("from_entity"), v.str("to_entity"); from != "" && to != "" {
		s.relate(m, from, to, v.str("relationship_type", "type", "relation"), v.str("description"))
		return
	}
	id := d.Entity
	name := d.Name
	if name == "" {
		name = v.str("canonical_name", "name")
	}
	if name == "" {
		name = values(v.object("payload")).str("name")
	}
	if id == "" {
		id = v.str("id")
	}
	if id == "" {
		id = name
	}
	if id == "" {
		return
	}
	e := s.entity(m, id)
	s.see(e, m)
	if name != "" {
		s.trait(m, e, traitName, &e.names, name)
		s.call(m, name, e)
	}
	for _, a := range v.strs("aliases", "alias") {
		s.trait(m, e, traitAlias, &e.aliases, a)
		s.call(m, a, e)
	}
	if d.Type != "" {
		s.trait(m, e, traitType, &e.typ, d.Type)
	}
	if d.Tier != "" {
		s.trait(m, e, traitTier, &e.tier, d.Tier)
	}
	if (v.truth("is_protagonist") || d.Tier == "主角") && e.hero < 0 {
		e.hero = m.chapter
		s.base.hero(m, e.id)
		s.call(m, "protagonist", e)
	}
	for _, f := range keys(v.object("current")) {
		s.set(e, m, f, nil, v.object("current")[f])
	}
	switch strings.ToLower(d.Action) {
	case "die", "death", "kill", "killed", "dead", "死亡":
		s.set(e, m, "status", nil, "dead")
	}
}

func (s *state) relate(m mark, from, to, typ, desc string) {
	a, b := s.entity(m, from), s.entity(m, to)
	s.see(a, m)
	s.see(b, m)
	r := relation{m, a.id, b.id, typ, desc}
	s.relations = append(s.relations, r)
	s.base.related(r)
}

var (
	dateTime = schema.Pattern(`(\d{1,4})[-/年.](\d{1,2})[-/月.](\d{1,2})`)
	dayCount = schema.Pattern(`第\s*([0-9]{1,6}|[〇零一二三四五六七八九十百千两]{1,9})\s*[天日]`)
)

// moment reads a story time that can be compared: a number in story_day, time_order …, a date, or 第N天.
func moment(v values) (kind string, at float64, ok bool) {
	for _, k := range []string{"story_day", "day", "time_order", "order"} {
		if n, ok := number(v[k]); ok {
			return k, n, true
		}
	}
	text := v.str("story_time", "time", "time_hint", "date", "time_anchor")
	if d := dateTime().FindStringSubmatch(text); d != nil {
		y, _ := number(d[1])
		mo, _ := number(d[2])
		day, _ := number(d[3])
		return "date", y*10000 + mo*100 + day, true
	}
	if d := dayCount().FindStringSubmatch(text); d != nil {
		if n, ok := schema.ParseNumber("第" + d[1] + "章"); ok {
			return "第N天", float64(n), true
		}
	}
	return "", 0, false
}
