package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"git-novel/workflow/prose"
)

// Row is one thing that a fold learned, in the form that a store keeps. Rows are only added; Pos and Seq say where in the
// book and after what they were said, so that a prefix of the rows is the memory of a prefix of the book.
type Row struct {
	Kind, Key, Sub string
	Pos, Seq       int64
	Data           []byte
}

// Query asks for the rows of a kind and key whose Sub lies in From..To (both ends in; an empty To is no bound) and whose Pos
// is below Before, by Seq. AllKeys leaves the key open. Last keeps only that many from the end; First from the beginning.
type Query struct {
	Kind, Key   string
	AllKeys     bool
	NoSub       bool // Sub is empty
	From, To    string
	Before      int64
	First, Last int
}

// Store keeps rows. A rule or loop that ends is moved (Replace) to the key of the ended ones.
type Store interface {
	Rows(q Query) ([]Row, error)
	Subs(kind, key string) ([]string, error) // the different Subs of a key, sorted
	Add(rows []Row) error
	Replace(old, now Row) error // old is found by Kind, Key, Sub and Seq
}

// Kinds of rows.
const (
	kindEntity = "entity" // key: id
	kindTrait  = "trait"  // key: id, sub: which
	kindChange = "change" // key: id, sub: field
	kindSeen   = "seen"   // key: id
	kindName   = "name"   // key: folded name
	kindHero   = "hero"
	kindGone   = "gone" // key: id
	kindRule   = "rule" // key: open or ended, sub: where it ended
	kindLoop   = "loop"
	kindEvent  = "event"  // sub: chapter
	kindRel    = "rel"    // key: id, sub: the other one and the direction
	kindRelLog = "rellog" // key: id; the relations in the order they changed, with how many there are
	kindClock  = "clock"  // key: kind of clock
	kindWarn   = "warn"

	keyOpen  = "o"
	keyEnded = "e"

	traitName  = "1name"
	traitAlias = "2alias"
	traitType  = "3type"
	traitTier  = "4tier"
)

// base is the stored part of a memory: what a state reads on demand and, while it folds, writes. A nil base is no store.
type base struct {
	store Store
	limit int64 // rows at or behind it are the future
	write bool
	seq   int64
	rows  []Row
	err   error
	rules bool // loaded
	loops int  // 1: the open ones are loaded, 2: all
}

// maxPending is how many new rows are held before they go to the store.
const maxPending = 4096

// cell is the content of a row. Fields are short because there are very many.
type cell struct {
	Source  string         `json:"s,omitempty"`
	Sure    float64        `json:"c,omitempty"` // 0: 1
	Text    string         `json:"t,omitempty"`
	Old     any            `json:"o,omitempty"`
	New     any            `json:"n,omitempty"`
	Number  *float64       `json:"f,omitempty"`
	Rule    *storedRule    `json:"r,omitempty"`
	Loop    *storedLoop    `json:"l,omitempty"`
	Event   *TimelineEvent `json:"e,omitempty"`
	Rel     []string       `json:"x,omitempty"`
	Args    []any          `json:"a,omitempty"`
	Chapter int            `json:"k,omitempty"`
}

type storedRule struct {
	ID, Subject, Field, Value, Domain, Scope, Status string `json:",omitempty"`
	Ended                                            int    `json:",omitempty"`
}

type storedLoop struct {
	ID, Kind, Subject, Content, Payoff string  `json:",omitempty"`
	Urgency                            float64 `json:",omitempty"`
	Closed                             int     `json:",omitempty"`
}

func (b *base) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *base) row(m mark, kind, key, sub string, c cell) Row {
	c.Source = m.source
	if m.sure != 1 {
		c.Sure = m.sure
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		b.fail(err)
	}
	return Row{Kind: kind, Key: key, Sub: sub, Pos: m.pos, Data: bytes.TrimSuffix(buf.Bytes(), []byte("\n"))}
}

// put adds a row and gives its number.
func (b *base) put(m mark, kind, key, sub string, c cell) int64 {
	if b == nil || !b.write {
		return 0
	}
	r := b.row(m, kind, key, sub, c)
	b.seq++
	r.Seq = b.seq
	b.rows = append(b.rows, r)
	if len(b.rows) >= maxPending {
		b.flush()
	}
	return r.Seq
}

func (b *base) flush() {
	if len(b.rows) > 0 {
		if err := b.store.Add(b.rows); err != nil {
			b.fail(err)
		}
		b.rows = b.rows[:0]
	}
}

// get reads rows before the limit. What was put and not stored yet is stored first.
func (b *base) get(q Query) []Row {
	if b.write {
		b.flush()
	}
	if q.Before == 0 {
		q.Before = b.limit
	}
	rows, err := b.store.Rows(q)
	if err != nil {
		b.fail(err)
	}
	return rows
}

func (b *base) cell(r Row) (mark, cell) {
	var c cell
	d := json.NewDecoder(bytes.NewReader(r.Data))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		b.fail(fmt.Errorf("row %s %s %d: %w", r.Kind, r.Key, r.Seq, err))
	}
	m := mark{chapter: int(r.Pos >> placeBits), pos: r.Pos, source: c.Source, sure: c.Sure}
	if m.sure == 0 {
		m.sure = 1
	}
	return m, c
}

func (b *base) born(e *entity)                   { b.put(e.born, kindEntity, e.id, "", cell{}) }
func (b *base) called(m mark, folded, id string) { b.put(m, kindName, folded, "", cell{Text: id}) }
func (b *base) seen(m mark, id string)           { b.put(m, kindSeen, id, "", cell{}) }
func (b *base) hero(m mark, id string)           { b.put(m, kindHero, "", "", cell{Text: id}) }

func (b *base) trait(m mark, id, kind, value string) {
	b.put(m, kindTrait, id, kind, cell{Text: value})
}

func (b *base) changed(id string, c change) {
	b.put(c.mark, kindChange, id, c.field, cell{Old: c.old, New: c.new})
}

func (b *base) gone(m mark, id string, at int) {
	n := float64(at)
	b.put(m, kindGone, id, "", cell{Number: &n})
}

func (b *base) told(m mark, kind string, at float64) {
	b.put(m, kindClock, kind, "", cell{Number: &at})
}

func (b *base) happened(h happening) {
	e := h.TimelineEvent
	b.put(h.mark, kindEvent, "", fmt.Sprintf("%06d", h.Chapter), cell{Event: &e})
}

// related is stored with both ends, so that either one finds it.
func (b *base) related(r relation) {
	if b == nil || !b.write {
		return
	}
	c := cell{Rel: []string{r.from, r.to, r.typ, r.desc}}
	for _, end := range [][2]string{{r.from, r.to + "\x00>"}, {r.to, r.from + "\x00<"}} {
		id, sub := end[0], end[1]
		if r.from == r.to && strings.HasSuffix(sub, "<") {
			continue
		}
		n := 0.0
		for _, last := range b.get(Query{Kind: kindRelLog, Key: id, NoSub: true, Last: 1}) {
			if _, c := b.cell(last); c.Number != nil {
				n = *c.Number
			}
		}
		if len(b.get(Query{Kind: kindRel, Key: id, From: sub, To: sub, First: 1})) == 0 {
			n++
		}
		b.put(r.mark, kindRel, id, sub, c)
		b.put(r.mark, kindRelLog, id, "", cell{Text: sub, Number: &n})
	}
}

func (b *base) warning(m mark, w Warning) {
	b.put(m, kindWarn, "", "", cell{Text: w.Msg.Format, Args: w.Msg.Args})
}

func (b *base) revealed(r *rule) {
	if b != nil {
		r.seq = b.put(r.mark, kindRule, keyOpen, "", r.cell())
	}
}

func (r *rule) cell() cell {
	return cell{Rule: &storedRule{r.id, r.subject, r.field, r.value, r.domain, r.scope, r.status, max(r.ended, 0)}}
}

func (b *base) ruleEnded(m mark, r *rule) { b.end(m, kindRule, r.mark, r.seq, r.cell()) }

func (b *base) planted(l *loop) {
	if b != nil {
		l.seq = b.put(l.mark, kindLoop, keyOpen, "", l.cell())
	}
}

func (l *loop) cell() cell {
	return cell{Loop: &storedLoop{l.id, l.kind, l.subject, l.content, l.payoff, l.urgency, max(l.closed, 0)}}
}

func (b *base) loopClosed(m mark, l *loop) { b.end(m, kindLoop, l.mark, l.seq, l.cell()) }

// end moves an open element to the ended ones, under the place where it ended.
func (b *base) end(at mark, kind string, m mark, seq int64, c cell) {
	if b == nil || !b.write {
		return
	}
	b.flush()
	now := b.row(m, kind, keyEnded, EndSub(at.pos), c)
	now.Seq = seq
	if err := b.store.Replace(Row{Kind: kind, Key: keyOpen, Seq: seq}, now); err != nil {
		b.fail(err)
	}
}

// EndSub is the Sub of what ended at a place.
func EndSub(pos int64) string { return fmt.Sprintf("%012x", pos) }

// Reopen gives the rows, of those that ended at or behind a place, as they were while they were open. A store that forgets
// everything from there on puts them back with it.
func Reopen(ended Row) Row {
	b := &base{}
	m, c := b.cell(ended)
	if c.Rule != nil {
		c.Rule.Ended, c.Rule.Status = 0, StatusActive
	}
	if c.Loop != nil {
		c.Loop.Closed = 0
	}
	r := b.row(m, ended.Kind, keyOpen, "", c)
	r.Seq = ended.Seq
	return r
}

// EndedKinds lists the kinds whose elements end, with the key of the ended ones.
func EndedKinds() (kinds []string, key string) { return []string{kindRule, kindLoop}, keyEnded }

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
