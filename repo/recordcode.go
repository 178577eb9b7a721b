package repo

import (
	"encoding/binary"
	"maps"
	"slices"

	"git-novel/schema"
)

// The code of an Evidence in the record cache: numbers as varints, texts with their length in front, ids as they are.

type encoder struct{ b []byte }

func (e *encoder) num(n int)       { e.b = binary.AppendVarint(e.b, int64(n)) }
func (e *encoder) id(o schema.OID) { e.b = append(e.b, o[:]...) }
func (e *encoder) text(s string)   { e.num(len(s)); e.b = append(e.b, s...) }
func (e *encoder) flag(b bool)     { e.num(map[bool]int{false: 0, true: 1}[b]) }
func (e *encoder) bind(t schema.Binding) {
	e.text(t.Path)
	e.id(t.Blob)
	e.num(t.Chars)
}

type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) num() int {
	v, n := binary.Varint(d.b)
	if n <= 0 || int64(int(v)) != v {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return int(v)
}

func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.bad, d.b = true, nil
		return nil
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) id() schema.OID {
	var o schema.OID
	copy(o[:], d.bytes(len(o)))
	return o
}

func (d *decoder) text() string { return string(d.bytes(d.num())) }
func (d *decoder) flag() bool   { return d.num() != 0 }

// count reads the length of a list, each element of which takes a byte at least.
func (d *decoder) count() int {
	n := d.num()
	if n < 0 || n > len(d.b) {
		d.bad, d.b = true, nil
		return 0
	}
	return n
}

func (d *decoder) bind() schema.Binding {
	return schema.Binding{Path: d.text(), Blob: d.id(), Chars: d.num()}
}

func encodeEvidence(v *Evidence) []byte {
	e := &encoder{}
	e.flag(v.Outline)
	if r := v.Review; r == nil {
		e.flag(false)
	} else {
		e.flag(true)
		for _, s := range []string{r.Schema, r.Book, r.Chapter, r.Run, r.Producer, r.Depth, r.Binding} {
			e.text(s)
		}
		e.num(r.Round)
		e.bind(r.Text)
		e.findings(r.Dimensions, r.Issues)
		e.num(r.IssuesCount)
		e.num(r.Blocking)
		e.flag(r.HasBlocking)
	}
	if r := v.Recheck; r == nil {
		e.flag(false)
	} else {
		e.flag(true)
		for _, s := range []string{r.Schema, r.Book, r.Chapter, r.Task, r.Run, r.Producer, r.Depth} {
			e.text(s)
		}
		e.bind(r.Text)
		e.findings(r.Dimensions, r.Issues)
		e.num(r.IssuesCount)
		e.num(r.Blocking)
		e.flag(r.HasBlocking)
	}
	if r := v.Commit; r == nil {
		e.flag(false)
	} else {
		e.flag(true)
		e.commit(r)
	}
	return e.b
}

func (e *encoder) findings(dims schema.Dimensions, issues []schema.Issue) {
	e.num(len(dims))
	for _, c := range slices.Sorted(maps.Keys(dims)) {
		e.text(string(c))
		e.num(int(dims[c]))
	}
	e.num(len(issues))
	for _, i := range issues {
		e.text(i.ID)
		e.text(string(i.Severity))
		e.text(string(i.Category))
		e.flag(i.Blocking)
		fact := 0
		if i.Fact != nil {
			fact = 1
			if *i.Fact {
				fact = 2
			}
		}
		e.num(fact)
		e.flag(i.Override != nil)
		if o := i.Override; o != nil {
			e.text(o.Reason)
			e.text(o.By)
		}
	}
}

func (e *encoder) commit(r *schema.Commit) {
	for _, s := range []string{r.Schema, r.Book, r.Chapter, r.Status, r.Origin, r.Reason} {
		e.text(s)
	}
	e.num(r.Revision)
	e.flag(r.Carried)
	e.bind(r.Text)
	e.flag(r.Base != nil)
	if r.Base != nil {
		e.bind(*r.Base)
	}
	e.flag(r.Extraction != nil)
	e.flag(r.Review != nil)
	if d := r.Review; d != nil {
		e.num(d.Round)
		e.num(d.Blocking)
		e.text(d.Recheck)
		e.num(len(d.Overrides))
		for _, o := range d.Overrides {
			e.text(o.Issue)
			e.text(o.Reason)
			e.text(o.By)
		}
		e.num(len(d.Waived))
		for _, w := range d.Waived {
			e.text(w.Node)
			e.text(w.Reason)
		}
	}
}

func decodeEvidence(raw []byte) (*Evidence, bool) {
	d := &decoder{b: raw}
	v := &Evidence{Outline: d.flag()}
	if d.flag() {
		r := &schema.Review{
			Schema: d.text(), Book: d.text(), Chapter: d.text(), Run: d.text(), Producer: d.text(), Depth: d.text(), Binding: d.text(),
			Round: d.num(), Text: d.bind(),
		}
		r.Dimensions, r.Issues = d.findings()
		r.IssuesCount, r.Blocking, r.HasBlocking = d.num(), d.num(), d.flag()
		v.Review = r
	}
	if d.flag() {
		r := &schema.Recheck{
			Schema: d.text(), Book: d.text(), Chapter: d.text(), Task: d.text(), Run: d.text(), Producer: d.text(), Depth: d.text(),
			Text: d.bind(),
		}
		r.Dimensions, r.Issues = d.findings()
		r.IssuesCount, r.Blocking, r.HasBlocking = d.num(), d.num(), d.flag()
		v.Recheck = r
	}
	if d.flag() {
		v.Commit = d.commit()
	}
	return v, !d.bad && len(d.b) == 0
}

func (d *decoder) findings() (schema.Dimensions, []schema.Issue) {
	n := d.count()
	dims := make(schema.Dimensions, n)
	for range n {
		c := schema.Category(d.text())
		dims[c] = schema.Conclusion(d.num())
	}
	var issues []schema.Issue
	for range d.count() {
		i := schema.Issue{ID: d.text(), Severity: schema.Severity(d.text()), Category: schema.Category(d.text()), Blocking: d.flag()}
		if fact := d.num(); fact != 0 {
			is := fact == 2
			i.Fact = &is
		}
		if d.flag() {
			i.Override = &schema.Override{Reason: d.text(), By: d.text()}
		}
		issues = append(issues, i)
	}
	return dims, issues
}

func (d *decoder) commit() *schema.Commit {
	r := &schema.Commit{
		Schema: d.text(), Book: d.text(), Chapter: d.text(), Status: d.text(), Origin: d.text(), Reason: d.text(), Revision: d.num(),
		Carried: d.flag(), Text: d.bind(),
	}
	if d.flag() {
		base := d.bind()
		r.Base = &base
	}
	if d.flag() {
		r.Extraction = &schema.Extraction{}
	}
	if d.flag() {
		digest := &schema.ReviewDigest{Round: d.num(), Blocking: d.num(), Recheck: d.text()}
		for range d.count() {
			digest.Overrides = append(digest.Overrides, schema.OverrideDigest{Issue: d.text(), Reason: d.text(), By: d.text()})
		}
		for range d.count() {
			digest.Waived = append(digest.Waived, schema.Waiver{Node: d.text(), Reason: d.text()})
		}
		r.Review = digest
	}
	return r
}
