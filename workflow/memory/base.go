package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
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
