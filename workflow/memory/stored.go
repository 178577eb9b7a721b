package memory

import (
	"encoding/json"

	"git-novel/schema"
)

// Writer folds steps into a store. Steps must come in the order of the book, behind all that the store holds.
type Writer struct{ s state }

// NewWriter goes on from a store that holds everything before the first step that will be put. lastSeq is the highest Seq in
// it.
func NewWriter(store Store, lastSeq int64) *Writer {
	w := &Writer{s: newState()}
	w.s.base = &base{store: store, write: true, seq: lastSeq, limit: maxPos}
	return w
}

// maxPos is behind every chapter.
const maxPos = int64(1) << 60

// maxHeld is how many entities a Writer keeps in memory before it forgets them and reads them again on demand.
const maxHeld = 2000

// Put folds one step.
func (w *Writer) Put(s Step) error {
	w.s.apply(s)
	// History that is in the store need not be here.
	w.s.timeline, w.s.relations, w.s.warnings, w.s.ids = w.s.timeline[:0], w.s.relations[:0], w.s.warnings[:0], w.s.ids[:0]
	w.s.loops, w.s.rules = nil, nil
	if len(w.s.entities) > maxHeld || len(w.s.index) > 4*maxHeld {
		clear(w.s.entities)
		clear(w.s.index)
	} else {
		for _, e := range w.s.entities {
			e.trim()
		}
	}
	return w.s.base.err
}

// trim forgets changes that neither a later fold nor a snapshot asks for.
func (e *entity) trim() {
	if len(e.seen) > 64 {
		e.seen = append(e.seen[:1], e.seen[len(e.seen)-1])
	}
	if len(e.changes) < 256 {
		return
	}
	last := map[string]int{}
	for i, c := range e.changes {
		last[c.field] = i
	}
	kept := e.changes[:0]
	for i, c := range e.changes {
		if last[c.field] == i {
			kept = append(kept, c)
		}
	}
	e.changes = kept
}

// Flush stores what is still held and gives the highest Seq.
func (w *Writer) Flush() (int64, error) {
	w.s.base.flush()
	return w.s.base.seq, w.s.base.err
}

// Load looks into a store from chapter at, as if only the chapters before the place limit were there. A view reads what it
// is asked for; Err tells whether reading ever failed.
func Load(store Store, at int, limit int64) *View {
	s := newState()
	s.base = &base{store: store, limit: limit}
	return &View{s: &s, at: at}
}

// Err is the first failure of the store behind the view.
func (v *View) Err() error {
	if v.s.base == nil {
		return nil
	}
	return v.s.base.err
}

// Warnings lists what the records before the view say that the fold could not follow.
func (v *View) Warnings() []Warning {
	out := []Warning{}
	if v.s.base == nil {
		for _, w := range v.s.warnings {
			if w.Chapter <= v.at {
				out = append(out, w)
			}
		}
		return out
	}
	for _, r := range v.s.base.get(Query{Kind: kindWarn, NoSub: true}) {
		m, c := v.s.base.cell(r)
		for i, a := range c.Args {
			if n, ok := a.(json.Number); ok {
				k, _ := n.Int64()
				c.Args[i] = int(k)
			}
		}
		out = append(out, Warning{Chapter: m.chapter, Source: m.source, Msg: schema.Text{Format: c.Text, Args: c.Args}})
	}
	return out
}
