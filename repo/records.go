package repo

import (
	"errors"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Evidence is what the records of a chapter prove, without their prose: of the review and the re-check only issues that
// were ever blocking, of the commit no artifacts (an empty Extraction says that there was one). It is small enough to be
// kept for every chapter of a long serial.
type Evidence struct {
	Review  *schema.Review
	Recheck *schema.Recheck
	Commit  *schema.Commit
	Outline bool           // there is an outline
	Faults  []schema.Fault // records that cannot be read; they count as absent
}

// Damaged reports a record that cannot be read.
func (e *Evidence) Damaged() bool { return len(e.Faults) > 0 }

// Evidence gives what the chapter's records prove, from the cache where it can.
func (b *Book) Evidence(c *Chapter) (*Evidence, error) {
	if c.records.IsZero() {
		return &Evidence{}, nil
	}
	if b.cache == nil {
		b.cache = b.lib.openRecordCache()
	}
	if e, ok := b.cache.get(c.records); ok {
		return e, nil
	}
	e, err := b.readEvidence(c)
	if err != nil {
		return nil, err
	}
	if !e.Damaged() {
		b.cache.put(c.records, e)
	}
	return e, nil
}

// AllEvidence gives the evidence of every chapter that has a state, in the order of Chapters, and remembers what it read.
func (b *Book) AllEvidence() ([]*Evidence, error) {
	if b.evidence != nil {
		return b.evidence, nil
	}
	out := make([]*Evidence, len(b.Chapters))
	for i := range b.Chapters {
		e, err := b.Evidence(&b.Chapters[i])
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	if b.cache != nil {
		b.cache.save(b.lib)
	}
	return out, nil
}

func (b *Book) readEvidence(c *Chapter) (*Evidence, error) {
	entries, err := b.lib.store.Tree(c.records)
	if err != nil {
		return nil, err
	}
	e := &Evidence{}
	for _, entry := range entries {
		if !entry.Mode.IsFile() {
			continue
		}
		switch entry.Name {
		case schema.OutlineFile:
			e.Outline = true
		case schema.ReviewFile:
			r := new(schema.Review)
			if err := b.readRecord(c, entry, r, &e.Faults, r.Validate); err != nil {
				return nil, err
			} else if r.Schema != "" {
				e.Review = slimReview(r)
			}
		case schema.RecheckFile:
			r := new(schema.Recheck)
			if err := b.readRecord(c, entry, r, &e.Faults, r.Validate); err != nil {
				return nil, err
			} else if r.Schema != "" {
				e.Recheck = slimRecheck(r)
			}
		case schema.CommitFile:
			r := new(schema.Commit)
			if err := b.readRecord(c, entry, r, &e.Faults, r.Validate); err != nil {
				return nil, err
			} else if r.Schema != "" {
				e.Commit = slimCommit(r)
			}
		}
	}
	return e, nil
}

// readRecord parses and checks a record; a damaged one becomes faults and stays empty.
func (b *Book) readRecord(c *Chapter, entry gitstore.Entry, into any, faults *[]schema.Fault, validate func(string) []schema.Fault) error {
	p := schema.RecordDir(b.Name, c.Key.ID()) + "/" + entry.Name
	size, err := b.lib.store.BlobSize(entry.ID)
	if err != nil {
		return err
	}
	if size > MaxFile {
		*faults = append(*faults, schema.Fault{File: p, Rule: "record-damaged", Msg: schema.Textf("has %d bytes; %d are allowed", size, int64(MaxFile))})
		return nil
	}
	data, err := b.lib.store.Blob(entry.ID)
	if err != nil {
		return err
	}
	if err := schema.Unmarshal(p, data, into); err != nil {
		*faults = append(*faults, faultsIn(p, err)...)
		clearRecord(into)
		return nil
	}
	if list := validate(p); len(list) > 0 {
		*faults = append(*faults, list...)
		clearRecord(into)
	}
	return nil
}

func clearRecord(into any) {
	switch r := into.(type) {
	case *schema.Review:
		*r = schema.Review{}
	case *schema.Recheck:
		*r = schema.Recheck{}
	case *schema.Commit:
		*r = schema.Commit{}
	}
}

func slimReview(r *schema.Review) *schema.Review {
	s := *r
	s.Issues, s.Summary = slimIssues(r.Issues), ""
	return &s
}

func slimRecheck(r *schema.Recheck) *schema.Recheck {
	s := *r
	s.Issues, s.Summary = slimIssues(r.Issues), ""
	return &s
}

// slimIssues keeps what blocks or was overridden.
func slimIssues(issues []schema.Issue) []schema.Issue {
	var out []schema.Issue
	for _, i := range issues {
		if i.Blocking || i.Severity == schema.SeverityCritical || i.Override != nil {
			i.Location, i.Description, i.Evidence, i.FixHint = "", "", "", ""
			out = append(out, i)
		}
	}
	return out
}

func slimCommit(r *schema.Commit) *schema.Commit {
	s := *r
	s.ReviewResult, s.Fulfillment, s.Disambiguation = nil, nil, nil
	if s.Extraction != nil {
		s.Extraction = &schema.Extraction{}
	}
	return &s
}

// Review reads the review that counts, nil when there is none. Damaged: CodeInvalid.
func (b *Book) Review(c *Chapter) (*schema.Review, error) {
	return readWhole[schema.Review](b, schema.ReviewPath(b.Name, c.Key.ID()), (*schema.Review).Validate)
}

// Recheck reads the anti-AI re-check, nil when there is none. Damaged: CodeInvalid.
func (b *Book) Recheck(c *Chapter) (*schema.Recheck, error) {
	return readWhole[schema.Recheck](b, schema.RecheckPath(b.Name, c.Key.ID()), (*schema.Recheck).Validate)
}

// Commit reads the accepted chapter commit, nil when there is none. Damaged: CodeInvalid.
func (b *Book) Commit(c *Chapter) (*schema.Commit, error) {
	return readWhole[schema.Commit](b, schema.CommitPath(b.Name, c.Key.ID()), (*schema.Commit).Validate)
}

// CommitRecord is Book.Commit for a chapter that is looked at alone.
func CommitRecord(snap *Snapshot, name schema.BookName, key schema.ChapterKey) (*schema.Commit, error) {
	return (&Book{Name: name, snap: snap}).Commit(&Chapter{Key: key})
}

// Outline is Library.Outline for a chapter of this book.
func (b *Book) Outline(key schema.ChapterKey) (*schema.Outline, error) {
	return b.lib.Outline(b.snap, b.Name, key)
}

// Outline reads a chapter's outline as it lies on disk, since the author's own edit of it counts (DESIGN 3), else the
// snapshot's; nil when there is none. Damaged: CodeInvalid.
func (l *Library) Outline(snap *Snapshot, name schema.BookName, key schema.ChapterKey) (*schema.Outline, error) {
	p := schema.OutlinePath(name, key.ID())
	data, err := l.ReadFile(p)
	if schema.CodeOf(err) == schema.CodeNotFound {
		data, _, err = snap.Read(p)
	}
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := new(schema.Outline)
	if err := schema.Unmarshal(p, data, o); err != nil {
		return nil, asDamaged(p, err)
	}
	return o, nil
}

func readWhole[T any](b *Book, p string, validate func(*T, string) []schema.Fault) (*T, error) {
	data, _, err := b.snap.Read(p)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := new(T)
	if err := schema.Unmarshal(p, data, r); err != nil {
		return nil, asDamaged(p, err)
	}
	if faults := validate(r, p); len(faults) > 0 {
		return nil, damaged(p, faults)
	}
	return r, nil
}

// faultsIn gives the faults of a parse error, at the file.
func faultsIn(p string, err error) []schema.Fault {
	var e *schema.Error
	if !errors.As(err, &e) {
		return []schema.Fault{{File: p, Rule: "record-damaged", Msg: schema.Textf("%s", err.Error())}}
	}
	if len(e.Details) == 0 {
		return []schema.Fault{{File: p, Rule: "record-damaged", Msg: e.Msg}}
	}
	return e.Details
}
