package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"git-novel/workflow/prose"
)

func (b *base) names(folded string) []named {
	if b == nil {
		return nil
	}
	var out []named
	for _, r := range b.get(Query{Kind: kindName, Key: folded, NoSub: true}) {
		m, c := b.cell(r)
		out = append(out, named{m, c.Text})
	}
	return out
}

// entity reads what a snapshot and a fold need of an entity: all of its names, the last change of each field and the last
// five of all, the first and the last time it was seen. That is little, however long the serial is.
func (b *base) entity(id string) *entity {
	if b == nil || id == "" {
		return nil
	}
	rows := b.get(Query{Kind: kindEntity, Key: id, NoSub: true, First: 1})
	if len(rows) == 0 {
		return nil
	}
	e := &entity{id: id, hero: -1}
	e.born, _ = b.cell(rows[0])
	e.seq = rows[0].Seq
	for _, r := range b.get(Query{Kind: kindTrait, Key: id}) {
		m, c := b.cell(r)
		n := named{m, c.Text}
		switch r.Sub {
		case traitName:
			e.names = append(e.names, n)
		case traitAlias:
			e.aliases = append(e.aliases, n)
		case traitType:
			e.typ = append(e.typ, n)
		case traitTier:
			e.tier = append(e.tier, n)
		}
	}
	for _, r := range b.get(Query{Kind: kindHero, NoSub: true}) {
		if m, c := b.cell(r); c.Text == id {
			e.hero = m.chapter
			break
		}
	}
	for _, r := range b.get(Query{Kind: kindGone, Key: id, NoSub: true}) {
		if _, c := b.cell(r); c.Number != nil {
			e.gone = append(e.gone, int(*c.Number))
		}
	}
	first := b.get(Query{Kind: kindSeen, Key: id, NoSub: true, First: 1})
	last := b.get(Query{Kind: kindSeen, Key: id, NoSub: true, Last: 1})
	for _, r := range slices.Concat(first, last) {
		if n := int(r.Pos >> placeBits); len(e.seen) == 0 || e.seen[0] != n {
			e.seen = append(e.seen, n)
		}
	}
	e.changes = b.changes(id)
	return e
}

// recentChanges is how many changes of an entity a snapshot shows.
const recentChanges = 5

func (b *base) changes(id string) []change {
	fields, err := b.store.Subs(kindChange, id)
	if err != nil {
		b.fail(err)
	}
	var rows []Row
	for _, f := range fields {
		rows = append(rows, b.get(Query{Kind: kindChange, Key: id, From: f, To: f, Last: recentChanges})...)
	}
	slices.SortFunc(rows, func(x, y Row) int { return cmp.Compare(x.Seq, y.Seq) })
	out := make([]change, 0, len(rows))
	for _, r := range rows {
		m, c := b.cell(r)
		out = append(out, change{m, r.Sub, c.Old, c.New})
	}
	return out
}

// open reads the elements of a kind that hold at the limit, all of them when ended is set too.
func (b *base) elements(kind string, ended bool) []Row {
	rows := b.get(Query{Kind: kind, Key: keyOpen, NoSub: true})
	from := EndSub(b.limit)
	if ended {
		from = ""
	}
	for _, r := range b.get(Query{Kind: kind, Key: keyEnded, From: from}) {
		if r.Sub >= EndSub(b.limit) {
			r = Reopen(r)
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(x, y Row) int { return cmp.Compare(x.Seq, y.Seq) })
	return rows
}

func (s *state) loadRules() {
	if s.base == nil || s.base.rules {
		return
	}
	s.base.rules = true
	s.rules, s.active = nil, nil
	for _, row := range s.base.elements(kindRule, false) {
		m, c := s.base.cell(row)
		if c.Rule == nil {
			continue
		}
		r := &rule{
			mark: m, seq: row.Seq, id: c.Rule.ID, subject: c.Rule.Subject, field: c.Rule.Field, value: c.Rule.Value,
			domain: c.Rule.Domain, scope: c.Rule.Scope, ended: -1, status: c.Rule.Status,
		}
		s.rules, s.active = append(s.rules, r), append(s.active, r)
	}
}

// allRules are the rules that a view looks through: of a stored memory those that hold.
func (s *state) allRules() []*rule {
	s.loadRules()
	return s.rules
}

func (s *state) activeRules() []*rule {
	s.loadRules()
	return s.active
}

func (s *state) loadLoops(all bool) {
	want := 1
	if all {
		want = 2
	}
	if s.base == nil || s.base.loops >= want {
		return
	}
	s.base.loops = want
	s.loops, s.open = nil, nil
	for _, row := range s.base.elements(kindLoop, all) {
		m, c := s.base.cell(row)
		if c.Loop == nil {
			continue
		}
		l := &loop{
			mark: m, seq: row.Seq, id: c.Loop.ID, kind: c.Loop.Kind, subject: c.Loop.Subject, content: c.Loop.Content,
			payoff: c.Loop.Payoff, folded: prose.Fold(c.Loop.Content), urgency: c.Loop.Urgency, closed: -1,
		}
		if row.Key == keyEnded {
			l.closed = c.Loop.Closed
		} else {
			s.open = append(s.open, l)
		}
		s.loops = append(s.loops, l)
	}
}

func (s *state) theLoops(openOnly bool) []*loop {
	s.loadLoops(!openOnly)
	return s.loops
}

func (s *state) openLoops() []*loop {
	s.loadLoops(false)
	return s.open
}

func (s *state) told(kind string) (float64, bool) {
	if at, ok := s.clock[kind]; ok || s.base == nil {
		return at, ok
	}
	for _, r := range s.base.get(Query{Kind: kindClock, Key: kind, NoSub: true, Last: 1}) {
		if _, c := s.base.cell(r); c.Number != nil {
			s.clock[kind] = *c.Number
			return *c.Number, true
		}
	}
	return 0, false
}

// idsOf lists, without repeating one, the entities that rows name, in order of birth.
func (s *state) idsOf(rows []Row, id func(Row) string) []string {
	var out []string
	for _, r := range rows {
		if i := id(r); !slices.Contains(out, i) && s.find(i) != nil {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(x, y string) int { return cmp.Compare(s.find(x).seq, s.find(y).seq) })
	return out
}

func (s *state) everyone() []string {
	if s.base == nil {
		return s.ids
	}
	rows := s.base.get(Query{Kind: kindEntity, AllKeys: true})
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		if s.find(r.Key) != nil {
			out = append(out, r.Key)
		}
	}
	return out
}

func (s *state) heroes() []string {
	if s.base == nil {
		return s.ids
	}
	return s.idsOf(s.base.get(Query{Kind: kindHero, NoSub: true}), func(r Row) string {
		_, c := s.base.cell(r)
		return c.Text
	})
}

func (s *state) mortals() []string {
	if s.base == nil {
		return s.ids
	}
	return s.idsOf(s.base.get(Query{Kind: kindGone, AllKeys: true}), func(r Row) string { return r.Key })
}

func (s *state) happenings(from, to int) []happening {
	if s.base == nil {
		return s.timeline
	}
	var out []happening
	for _, r := range s.base.get(Query{Kind: kindEvent, From: fmt.Sprintf("%06d", max(from, 0)), To: fmt.Sprintf("%06d", max(to, 0))}) {
		m, c := s.base.cell(r)
		if c.Event != nil {
			out = append(out, happening{m, *c.Event})
		}
	}
	return out
}

// relationsOf lists what was said of an id's relations, of all of them when it is empty, in the order said. Of a stored
// memory only the last word on each pair and direction is read.
func (s *state) relationsOf(id string) []relation {
	if s.base == nil {
		return s.relations
	}
	if id != "" {
		subs, err := s.base.store.Subs(kindRel, id)
		if err != nil {
			s.base.fail(err)
		}
		return s.storedRelations(id, subs)
	}
	var rows []Row
	for _, r := range s.base.get(Query{Kind: kindRel, AllKeys: true}) {
		if strings.HasSuffix(r.Sub, ">") {
			rows = append(rows, r)
		}
	}
	return s.base.relations(rows)
}

// storedRelations reads the last word on each of some relations of an id, in the order said.
func (s *state) storedRelations(id string, subs []string) []relation {
	var rows []Row
	for _, sub := range subs {
		rows = append(rows, s.base.get(Query{Kind: kindRel, Key: id, From: sub, To: sub, Last: 1})...)
	}
	slices.SortFunc(rows, func(x, y Row) int { return cmp.Compare(x.Seq, y.Seq) })
	return s.base.relations(rows)
}

func (b *base) relations(rows []Row) []relation {
	out := make([]relation, 0, len(rows))
	for _, r := range rows {
		m, c := b.cell(r)
		if len(c.Rel) == 4 {
			out = append(out, relation{m, c.Rel[0], c.Rel[1], c.Rel[2], c.Rel[3]})
		}
	}
	return out
}

// latestRelations lists the subs under which the last changed relations of an id lie, at most n of them, and how many
// relations it has.
func (b *base) latestRelations(id string, n int) (subs []string, total int) {
	log := b.get(Query{Kind: kindRelLog, Key: id, NoSub: true, Last: 8 * n})
	for _, r := range slices.Backward(log) {
		_, c := b.cell(r)
		if total == 0 && c.Number != nil {
			total = int(*c.Number)
		}
		if len(subs) < n && !slices.Contains(subs, c.Text) {
			subs = append(subs, c.Text)
		}
	}
	return subs, total
}
