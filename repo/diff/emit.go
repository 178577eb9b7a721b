package diff

import (
	"cmp"
	"strings"
)

// walker visits two sequences of units that are aligned by rows, together with the gaps between them, so that every byte
// of both texts is visited once and in order.
type walker struct {
	textA, textB string
	ua, ub       []span
	rows         []row
	boundA       span // the part of the text that the units and the gaps around them fill
	boundB       span

	gap     func(a, b span)
	pair    func(k int)
	removed func(i int, a span, atB int) // a takes in the gap that goes with the unit
	added   func(j int, b span, atA int)
}

func (w *walker) run() {
	i, j := 0, 0
	posA, posB := w.boundA.start, w.boundB.start
	for k := 0; k <= len(w.rows); k++ {
		r := row{len(w.ua), len(w.ua), len(w.ub), len(w.ub)}
		nextA, nextB := w.boundA.end, w.boundB.end
		if k < len(w.rows) {
			r = w.rows[k]
			nextA, nextB = w.ua[r.a0].start, w.ub[r.b0].start
		}
		w.between(i, r.a0, j, r.b0, span{posA, nextA}, span{posB, nextB})
		if k == len(w.rows) {
			return
		}
		w.pair(k)
		i, j = r.a1, r.b1
		posA, posB = w.ua[i-1].end, w.ub[j-1].end
	}
}

// between visits the units without partner i0…i1 of a and j0…j1 of b that lie, with gaps around them, in ra and rb.
func (w *walker) between(i0, i1, j0, j1 int, ra, rb span) {
	switch {
	case i0 == i1 && j0 == j1:
		w.gap(ra, rb)
	case j0 == j1:
		// One gap of a stays, the one that equals the gap of b if any: else a removed unit would look like a change of layout.
		if w.keepFirst(w.textA, span{ra.start, w.ua[i0].start}, span{w.ua[i1-1].end, ra.end}, rb.of(w.textB)) {
			w.gap(span{ra.start, w.ua[i0].start}, rb)
			w.removeRun(i0, i1, w.ua[i0].start, ra.end, rb.end, true)
			return
		}
		w.removeRun(i0, i1, ra.start, w.ua[i1-1].end, rb.start, false)
		w.gap(span{w.ua[i1-1].end, ra.end}, rb)
	case i0 == i1:
		if w.keepFirst(w.textB, span{rb.start, w.ub[j0].start}, span{w.ub[j1-1].end, rb.end}, ra.of(w.textA)) {
			w.gap(ra, span{rb.start, w.ub[j0].start})
			w.addRun(j0, j1, w.ub[j0].start, rb.end, ra.end, true)
			return
		}
		w.addRun(j0, j1, rb.start, w.ub[j1-1].end, ra.start, false)
		w.gap(ra, span{w.ub[j1-1].end, rb.end})
	default:
		w.gap(span{ra.start, w.ua[i0].start}, span{rb.start, w.ub[j0].start})
		w.removeRun(i0, i1, w.ua[i0].start, w.ua[i1-1].end, w.ub[j0].start, true)
		w.addRun(j0, j1, w.ub[j0].start, w.ub[j1-1].end, w.ua[i1-1].end, true)
		w.gap(span{w.ua[i1-1].end, ra.end}, span{w.ub[j1-1].end, rb.end})
	}
}

func (w *walker) keepFirst(text string, first, last span, other string) bool {
	return last.of(text) != other && first.of(text) == other
}

// removeRun visits units that fill [from, to); the gaps inside go with the unit before them, or behind them.
func (w *walker) removeRun(i0, i1, from, to, atB int, trailing bool) {
	for i := i0; i < i1; i++ {
		end := w.ua[i].end
		if trailing && i+1 < i1 {
			end = w.ua[i+1].start
		} else if i+1 == i1 {
			end = to
		}
		w.removed(i, span{from, end}, atB)
		from = end
	}
}

func (w *walker) addRun(j0, j1, from, to, atA int, trailing bool) {
	for j := j0; j < j1; j++ {
		end := w.ub[j].end
		if trailing && j+1 < j1 {
			end = w.ub[j+1].start
		} else if j+1 == j1 {
			end = to
		}
		w.added(j, span{from, end}, atA)
		from = end
	}
}

// emitter writes the Result of a finished comparison.
type emitter struct {
	c   *comparison
	res *Result
	cur *Block
}

func (c *comparison) result() *Result {
	e := &emitter{c: c, res: &Result{
		Schema: Schema, Identical: c.a == c.b, Edits: []Edit{}, Layout: []Layout{}, a: c.a, b: c.b,
		ends: map[int]ends{},
	}}
	paired := make([]row, 0, len(c.strips))
	strips := make([]*strip, 0, len(c.strips))
	loneA, loneB := map[int]*strip{}, map[int]*strip{}
	for _, s := range c.strips {
		switch {
		case s.b0 == s.b1:
			loneA[s.a0] = s
		case s.a0 == s.a1:
			loneB[s.b0] = s
		default:
			paired, strips = append(paired, s.row), append(strips, s)
		}
	}
	w := walker{
		textA: c.a, textB: c.b, ua: c.pa, ub: c.pb, rows: paired,
		boundA: span{0, len(c.a)}, boundB: span{0, len(c.b)},
		gap:     func(a, b span) { e.gap(a, b, true) },
		pair:    func(k int) { e.paragraph(strips[k]) },
		removed: func(i int, a span, atB int) { e.lone(loneA[i], a, span{atB, atB}) },
		added:   func(j int, b span, atA int) { e.lone(loneB[j], span{atA, atA}, b) },
	}
	w.run()
	e.res.Stat = e.stat()
	return e.res
}

func (e *emitter) seg(op Op, text string, edit int) {
	if text != "" {
		e.cur.Segs = append(e.cur.Segs, Seg{op, text, edit})
	}
}

// edit appends an edit of the hunk a → b and shows its bodies, the hunk without the blanks around it.
func (e *emitter) edit(class Class, a, b Place, ops [2]Op, m *move) {
	old, now := a.span().of(e.c.a), b.span().of(e.c.b)
	bodyA, bodyB := old, now
	if ops[0] != Delete || class != Typo && class != Punctuation && class != Wording {
		bodyA, bodyB = strings.TrimSpace(old), strings.TrimSpace(now)
	}
	ed := Edit{Class: class, A: a, B: b, Old: old, New: now, Deleted: utf16Len(bodyA), Inserted: utf16Len(bodyB)}
	k := len(e.res.Edits)
	if m != nil {
		ed.Move = m.id
		at := e.res.ends[m.id]
		at.from, at.to = cmp.Or(at.from, a.Paragraph), cmp.Or(at.to, b.Paragraph)
		e.res.ends[m.id] = at
		if now != "" {
			ed.Changes = e.changes(m, a, b)
			e.res.Edits = append(e.res.Edits, ed)
			e.moved(m, ed.Changes, k)
			return
		}
	}
	e.res.Edits = append(e.res.Edits, ed)
	e.seg(ops[0], bodyA, k)
	e.seg(ops[1], bodyB, k)
}

// moved shows a part at its new place, with what was edited in it on the way.
func (e *emitter) moved(m *move, changes []Edit, k int) {
	pos := m.b.start
	for _, ch := range changes {
		e.seg(MoveTo, e.c.b[pos:ch.B.Start], k)
		e.seg(Delete, ch.Old, k)
		e.seg(Insert, ch.New, k)
		pos = ch.B.End
	}
	e.seg(MoveTo, e.c.b[pos:m.b.end], k)
}

// changes gives what was edited in a part that also moved.
func (e *emitter) changes(m *move, a, b Place) []Edit {
	if m.a.of(e.c.a) == m.b.of(e.c.b) {
		return nil
	}
	cl := newCell(&e.c.myers, e.c.a, e.c.b, m.a, m.b)
	tidy([]*cell{cl}, e.c.a, max(cl.marks()/10, 6))
	var out []Edit
	heavy := cl.heavy()
	for _, r := range cl.regions {
		pa := Place{a.Paragraph, a.Sentence, m.a.start + cl.ta.offs[r.a0], m.a.start + cl.ta.offs[r.a1]}
		pb := Place{b.Paragraph, b.Sentence, m.b.start + cl.tb.offs[r.b0], m.b.start + cl.tb.offs[r.b1]}
		old, now := pa.span().of(e.c.a), pb.span().of(e.c.b)
		out = append(out, Edit{
			Class: cl.classify(e.c.a, e.c.b, r, heavy), A: pa, B: pb, Old: old, New: now,
			Deleted: utf16Len(old), Inserted: utf16Len(now),
		})
	}
	return out
}

// heavy says that more than a third of a sentence changed, so that small edits in it are no typos.
func (c *cell) heavy() bool {
	size := max(len(c.ta.ids), len(c.tb.ids))
	return len(c.regions) > 1 && 3*c.marks() > 2*size
}

// block starts the paragraph of a strip.
func (e *emitter) block(s *strip) {
	b := Block{}
	if s.a1 > s.a0 {
		b.A, b.ATo = s.a0+1, s.a1
	}
	if s.b1 > s.b0 {
		b.B, b.BTo = s.b0+1, s.b1
	}
	e.res.blocks = append(e.res.blocks, b)
	e.cur = &e.res.blocks[len(e.res.blocks)-1]
}

// lone shows a paragraph without partner: whole, or sentence by sentence when some of them moved.
func (e *emitter) lone(s *strip, a, b span) {
	e.block(s)
	removed := s.a1 > s.a0
	class, ops, spans, moves, hunk := ParagraphAdded, [2]Op{Delete, Insert}, s.sb, s.movB, b
	if removed {
		class, spans, moves, hunk = ParagraphRemoved, s.sa, s.movA, a
	}
	if s.whole != nil {
		class, ops = ParagraphMoved, [2]Op{MoveFrom, MoveTo}
	}
	place := func(n int, h span) (Place, Place) {
		if removed {
			return Place{s.a0 + 1, n, h.start, h.end}, Place{0, 0, b.start, b.end}
		}
		return Place{0, 0, a.start, a.end}, Place{s.b0 + 1, n, h.start, h.end}
	}
	if len(moves) == 0 {
		pa, pb := place(0, hunk)
		e.edit(class, pa, pb, ops, s.whole)
		return
	}
	for k, sp := range spans {
		part := span{hunk.start, sp.end}
		if k+1 == len(spans) {
			part.end = hunk.end
		}
		pa, pb := place(k+1, part)
		switch m := moves[k]; {
		case m != nil:
			e.edit(SentenceMoved, pa, pb, [2]Op{MoveFrom, MoveTo}, m)
		case removed:
			e.edit(SentenceRemoved, pa, pb, [2]Op{Delete, Insert}, nil)
		default:
			e.edit(SentenceAdded, pa, pb, [2]Op{Delete, Insert}, nil)
		}
		hunk.start = part.end
	}
}

// paragraph shows a pair of paragraphs.
func (e *emitter) paragraph(s *strip) {
	e.block(s)
	c := e.c
	if s.equal {
		e.seg(Equal, c.pa[s.a0].of(c.a), -1)
		return
	}
	w := walker{
		textA: c.a, textB: c.b, ua: s.sa, ub: s.sb, rows: s.rows,
		boundA: span{c.pa[s.a0].start, c.pa[s.a1-1].end}, boundB: span{c.pb[s.b0].start, c.pb[s.b1-1].end},
		gap:  func(a, b span) { e.gap(a, b, false) },
		pair: func(k int) { e.sentence(s, k) },
		removed: func(i int, a span, atB int) {
			class, ops := SentenceRemoved, [2]Op{Delete, Insert}
			if s.movA[i] != nil {
				class, ops = SentenceMoved, [2]Op{MoveFrom, MoveTo}
			}
			e.edit(class, e.placeA(s, i, a), Place{Start: atB, End: atB}, ops, s.movA[i])
		},
		added: func(j int, b span, atA int) {
			class, ops := SentenceAdded, [2]Op{Delete, Insert}
			if s.movB[j] != nil {
				class, ops = SentenceMoved, [2]Op{MoveFrom, MoveTo}
			}
			e.edit(class, Place{Start: atA, End: atA}, e.placeB(s, j, b), ops, s.movB[j])
		},
	}
	w.run()
}

// placeA is the place of sentence i of a strip: its number counts within its own paragraph.
func (e *emitter) placeA(s *strip, i int, h span) Place {
	p, n := number(e.c.pa[s.a0:s.a1], s.sa, i)
	return Place{s.a0 + p, n, h.start, h.end}
}

func (e *emitter) placeB(s *strip, j int, h span) Place {
	p, n := number(e.c.pb[s.b0:s.b1], s.sb, j)
	return Place{s.b0 + p, n, h.start, h.end}
}

func number(paras, sents []span, i int) (paragraph, sentence int) {
	p := 0
	for p+1 < len(paras) && paras[p+1].start <= sents[i].start {
		p++
	}
	first := i
	for first > 0 && sents[first-1].start >= paras[p].start {
		first--
	}
	return p + 1, i - first + 1
}

// sentence shows a pair of sentences (or of a few that belong together).
func (e *emitter) sentence(s *strip, k int) {
	r, cl := s.rows[k], s.cells[k]
	if cl == nil {
		e.seg(Equal, span{s.sa[r.a0].start, s.sa[r.a1-1].end}.of(e.c.a), -1)
		return
	}
	heavy := cl.heavy()
	pos := 0
	for _, ch := range cl.regions {
		e.seg(Equal, e.c.a[cl.a.start+cl.ta.offs[pos]:cl.a.start+cl.ta.offs[ch.a0]], -1)
		ha := span{cl.a.start + cl.ta.offs[ch.a0], cl.a.start + cl.ta.offs[ch.a1]}
		hb := span{cl.b.start + cl.tb.offs[ch.b0], cl.b.start + cl.tb.offs[ch.b1]}
		pa, pb := e.placeA(s, sentenceAt(s.sa, r.a0, r.a1, ha.start), ha), e.placeB(s, sentenceAt(s.sb, r.b0, r.b1, hb.start), hb)
		e.edit(cl.classify(e.c.a, e.c.b, ch, heavy), pa, pb, [2]Op{Delete, Insert}, nil)
		pos = ch.a1
	}
	e.seg(Equal, e.c.a[cl.a.start+cl.ta.offs[pos]:cl.a.end], -1)
}

// sentenceAt is the sentence of lo…hi that holds offset at, or the one before it.
func sentenceAt(sents []span, lo, hi, at int) int {
	for lo+1 < hi && sents[lo+1].start <= at {
		lo++
	}
	return lo
}
