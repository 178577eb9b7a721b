package state

import (
	"git-novel/schema"
)

// recordPath is where a record of a chapter lies.
func (b *bookCheck) recordPath(id string, which int) string { return recordPath(b.name, id, which) }

func recordPath(book schema.BookName, id string, which int) string {
	switch which {
	case recReview:
		return schema.ReviewPath(book, id)
	case recRecheck:
		return schema.RecheckPath(book, id)
	case recCommit:
		return schema.CommitPath(book, id)
	default:
		return schema.OutlinePath(book, id)
	}
}

// load looks up what a chapter of a State made by Load had before the commit. Its records are believed: they were judged
// when they came.
func (b *bookCheck) load(c *folded) *folded {
	l := *c
	l.pending = false
	if tree := b.step.Parent; tree != nil && b.err == nil {
		for which := range l.records {
			id, ok, err := tree.Blob(b.recordPath(c.id, which))
			if err != nil {
				b.err = err
				return &l
			}
			if ok {
				l.records[which] = id
			}
		}
	}
	cc := &chapterCheck{was: c, is: &l, changed: [4]bool{recReview: true, recRecheck: true, recCommit: true}}
	before := b.faults
	b.readRecords(cc)
	b.faults = before
	if !l.Text.IsZero() {
		if data, ok := b.read(l.Text); ok {
			l.Chars = schema.UTF16Len(string(data))
		}
	}
	return &l
}

// readRecords reads the records that changed. One that cannot be read proves nothing.
func (b *bookCheck) readRecords(cc *chapterCheck) {
	is := cc.is
	if cc.changed[recReview] {
		is.Review = nil
		cc.docs.review = readRecord(b, is, recReview, (*schema.Review).Validate, func(r *schema.Review) (string, string) {
			return r.Book, r.Chapter
		})
		if r := cc.docs.review; r != nil {
			is.Review = ReviewOf(r)
			is.Review.sum = unboundSum(r)
		}
	}
	if cc.changed[recRecheck] {
		cc.docs.recheck = readRecord(b, is, recRecheck, (*schema.Recheck).Validate, func(r *schema.Recheck) (string, string) {
			return r.Book, r.Chapter
		})
		is.Recheck = RecheckOf(cc.docs.recheck)
	}
	if cc.changed[recCommit] {
		cc.docs.commit = b.commitDoc(is)
		is.Commit = CommitOf(cc.docs.commit)
	}
	if id := is.records[recOutline]; cc.changed[recOutline] && !id.IsZero() {
		readRecord(b, is, recOutline, (*schema.Outline).Validate, func(o *schema.Outline) (string, string) {
			return string(b.name), o.Chapter
		})
	}
}

// commitDoc reads the commit.json of a chapter.
func (b *bookCheck) commitDoc(is *folded) *schema.Commit {
	return readRecord(b, is, recCommit, (*schema.Commit).Validate, func(r *schema.Commit) (string, string) {
		return r.Book, r.Chapter
	})
}

func readRecord[T any](b *bookCheck, is *folded, which int, validate func(*T, string) []schema.Fault, of func(*T) (book, chapter string)) *T {
	id := is.records[which]
	if id.IsZero() {
		return nil
	}
	data, ok := b.read(id)
	if !ok {
		return nil
	}
	path := b.recordPath(is.id, which)
	r, list := record(path, data, validate)
	b.faults = append(b.faults, list...)
	if r == nil {
		return nil
	}
	book, chapter := of(r)
	if wrong := owner(path, b.name, is.id, book, chapter); len(wrong) > 0 {
		b.faults = append(b.faults, wrong...)
		return nil
	}
	return r
}

// unboundSum identifies a review apart from the text that it is bound to, which `chapter rename` rewrites.
func unboundSum(r *schema.Review) schema.OID {
	u := *r
	u.Text = schema.Binding{}
	return sumOf(&u)
}

func sumOf(v any) schema.OID {
	data, err := schema.MarshalCompact(v)
	if err != nil {
		return schema.OID{}
	}
	return schema.HashBlob(data)
}

// factsSum identifies what a chapter commit says of the story, apart from the text it is bound to and its revision.
func factsSum(c *schema.Commit) schema.OID {
	u := *c
	u.Text, u.Base, u.Revision, u.Reason = schema.Binding{}, nil, 0, ""
	if u.ReviewResult != nil {
		r := *u.ReviewResult
		r.Text = schema.Binding{}
		u.ReviewResult = &r
	}
	return sumOf(&u)
}

// binding judges a record that says it is about the chapter's text: its place and its length must be true then.
func binding(record string, is *folded, text schema.OID, path string, chars int) faults {
	var out faults
	if text != is.Text {
		return nil
	}
	if path != is.Path {
		out.addAt(record, "binding-path", schema.Textf("the record names %s, but the text lies at %s", path, is.Path))
	}
	if chars != is.Chars {
		out.addAt(record, "binding-chars", schema.Textf("the record says %d characters, but the text has %d", chars, is.Chars))
	}
	return out
}

// bindings judges review and re-check of a touched chapter.
func (b *bookCheck) bindings(cc *chapterCheck) {
	is := cc.is
	moved := is.Path != cc.was.Path
	if r := is.Review; r != nil && (cc.changed[recReview] || moved) {
		b.faults = append(b.faults, binding(b.recordPath(is.id, recReview), is, r.Text, r.Path, r.Chars)...)
	}
	if r := is.Recheck; r != nil && (cc.changed[recRecheck] || moved) {
		b.faults = append(b.faults, binding(b.recordPath(is.id, recRecheck), is, r.Text, r.Path, r.Chars)...)
	}
}
