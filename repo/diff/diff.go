package diff

// Options of a comparison. The zero value is the ordinary one.
type Options struct {
	NoMoves bool // show moved parts as removed and added
	Minimal bool // no joining of edits: mark as few characters as possible
}

// strip is one paragraph pair (or one paragraph without a partner) with its sentences. A side without paragraph is empty.
type strip struct {
	row
	equal  bool
	sa, sb []span // sentences, of all paragraphs of the row
	rows   []row  // which sentences belong together
	cells  []*cell
	movA   map[int]*move // moved sentences by index
	movB   map[int]*move
	whole  *move // the paragraph itself moved
}

// comparison is the state of one run of Texts.
type comparison struct {
	o      Options
	a, b   string
	pa, pb []span
	strips []*strip
	moves  int
	myers  myers // work space
}

// Texts compares two texts in UTF-8. Bytes that are not UTF-8 are compared as they are.
func Texts(a, b string, o Options) *Result {
	c := &comparison{o: o, a: a, b: b}
	if a != b {
		c.pa, c.pb = paragraphs(a), paragraphs(b)
		c.alignParagraphs()
		if !o.NoMoves {
			c.moveParagraphs()
		}
		for _, s := range c.strips {
			c.alignSentences(s)
		}
		if !o.NoMoves {
			c.moveSentences()
		}
		c.compareCharacters()
	} else {
		c.pa = paragraphs(a)
		c.pb = c.pa
		for i := range c.pa {
			c.strips = append(c.strips, &strip{row: row{i, i + 1, i, i + 1}, equal: true})
		}
	}
	return c.result()
}

func bodies(text string, spans []span) []string {
	out := make([]string, len(spans))
	for i, s := range spans {
		out[i] = s.of(text)
	}
	return out
}

func (c *comparison) alignParagraphs() {
	i, j := 0, 0
	lone := func(toA, toB int) {
		for ; i < toA; i++ {
			c.strips = append(c.strips, &strip{row: row{i, i + 1, j, j}})
		}
		for ; j < toB; j++ {
			c.strips = append(c.strips, &strip{row: row{i, i, j, j + 1}})
		}
	}
	for _, r := range align(bodies(c.a, c.pa), bodies(c.b, c.pb)) {
		lone(r.a0, r.b0)
		s := &strip{row: r}
		s.equal = r.a1-r.a0 == 1 && r.b1-r.b0 == 1 && c.pa[r.a0].of(c.a) == c.pb[r.b0].of(c.b)
		c.strips = append(c.strips, s)
		i, j = r.a1, r.b1
	}
	lone(len(c.pa), len(c.pb))
}

func (c *comparison) alignSentences(s *strip) {
	if s.equal || s.whole != nil {
		return
	}
	for i := s.a0; i < s.a1; i++ {
		s.sa = append(s.sa, sentences(c.a, c.pa[i])...)
	}
	for j := s.b0; j < s.b1; j++ {
		s.sb = append(s.sb, sentences(c.b, c.pb[j])...)
	}
	s.rows = align(bodies(c.a, s.sa), bodies(c.b, s.sb))
}

// compareCharacters compares the paired sentences and tidies the edits over the whole text.
func (c *comparison) compareCharacters() {
	var all []*cell
	marks := 0
	for _, s := range c.strips {
		c.cellsOf(s)
		for _, cl := range s.cells {
			if cl != nil {
				all = append(all, cl)
				marks += cl.marks()
			}
		}
	}
	if !c.o.Minimal {
		tidy(all, c.a, max(marks*6/100, 12))
	}
}

// cellsOf makes the cells of a strip, one for each of its rows, nil for equal sentences.
func (c *comparison) cellsOf(s *strip) {
	if len(s.sa) == 0 || len(s.sb) == 0 {
		return
	}
	s.cells = make([]*cell, len(s.rows))
	for k, r := range s.rows {
		s.cells[k] = c.cellOf(s, r)
	}
	c.fuse(s)
}

func (c *comparison) cellOf(s *strip, r row) *cell {
	sa := span{s.sa[r.a0].start, s.sa[r.a1-1].end}
	sb := span{s.sb[r.b0].start, s.sb[r.b1-1].end}
	if sa.of(c.a) == sb.of(c.b) {
		return nil
	}
	return newCell(&c.myers, c.a, c.b, sa, sb)
}

// fuse compares neighbouring changed sentences as one text where that is clearly the better reading: a stop that became a
// comma, or a clause that went over to the next sentence. It looks at what lies between two equal sentences at a time.
func (c *comparison) fuse(s *strip) {
	usedA, usedB := s.used()
	var rows []row
	var cells []*cell
	for k := 0; k <= len(s.rows); {
		end := k
		for end < len(s.rows) && s.cells[end] != nil {
			end++
		}
		run := row{0, len(s.sa), 0, len(s.sb)}
		if k > 0 {
			run.a0, run.b0 = s.rows[k-1].a1, s.rows[k-1].b1
		}
		if end < len(s.rows) {
			run.a1, run.b1 = s.rows[end].a0, s.rows[end].b0
		}
		if joint := c.jointly(s, run, s.cells[k:end], usedA, usedB); joint != nil {
			rows, cells = append(rows, run), append(cells, joint)
		} else {
			rows, cells = append(rows, s.rows[k:end]...), append(cells, s.cells[k:end]...)
		}
		if end < len(s.rows) {
			rows, cells = append(rows, s.rows[end]), append(cells, nil)
		}
		k = end + 1
	}
	s.rows, s.cells = rows, cells
}

// maxFused bounds how many sentences of a side are tried as one text.
const maxFused = 40

// jointly compares a run of sentences as one text and gives it when that marks clearly less than its parts do.
func (c *comparison) jointly(s *strip, run row, parts []*cell, usedA, usedB []bool) *cell {
	n, m := run.a1-run.a0, run.b1-run.b0
	if n == 0 || m == 0 || n > maxFused || m > maxFused || (n == 1 && m == 1 && len(parts) == 1) {
		return nil
	}
	cost := 0
	for _, p := range parts {
		cost += p.marks()
	}
	for i := run.a0; i < run.a1; i++ {
		if s.movA[i] != nil {
			return nil
		}
		if !usedA[i] {
			cost += runes(s.sa[i].of(c.a))
		}
	}
	for j := run.b0; j < run.b1; j++ {
		if s.movB[j] != nil {
			return nil
		}
		if !usedB[j] {
			cost += runes(s.sb[j].of(c.b))
		}
	}
	size := s.sa[run.a1-1].end - s.sa[run.a0].start + s.sb[run.b1-1].end - s.sb[run.b0].start
	if 15*cost < size {
		return nil // small edits within sentences (of about three bytes a character): nothing to gain
	}
	joint := c.cellOf(s, run)
	if joint == nil {
		return nil
	}
	marks := joint.marks()
	if len(parts) > 0 && 4*marks <= 3*cost || 5*marks <= 3*cost {
		return joint
	}
	return nil
}

// used says which sentences of the strip are in a row.
func (s *strip) used() (a, b []bool) {
	a, b = make([]bool, len(s.sa)), make([]bool, len(s.sb))
	for _, r := range s.rows {
		for i := r.a0; i < r.a1; i++ {
			a[i] = true
		}
		for j := r.b0; j < r.b1; j++ {
			b[j] = true
		}
	}
	return a, b
}
