package workflow

import (
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// books looks at every book, and at every draft folder: a draft needs no book.
func (x *examination) books() error {
	names, err := repo.Books(x.snap)
	if err != nil {
		return err
	}
	for _, name := range names {
		if x.s.o.Book == "" || string(name) == x.s.o.Book {
			if err := x.book(name); err != nil {
				return err
			}
		}
	}
	drafts, err := x.s.lib.ListFolders(schema.DraftsDir)
	if err != nil {
		return err
	}
	for _, dir := range drafts {
		name := schema.BookName(dir[len(schema.DraftsDir)+1:])
		if slices.Contains(names, name) {
			continue
		}
		x.problem(Problem{
			Level: LevelNote, Rule: "drafts-alone", Book: string(name), File: dir, Msg: schema.Textf("holds drafts of a book that does not exist"),
			Hint: schema.Textf("start the book with `git novel book new NAME`, or bring it back with `git novel book restore`"),
		})
	}
	return nil
}

func (x *examination) book(name schema.BookName) error {
	b := BookDiagnosis{
		Book: string(name), DraftsDue: []string{}, Deferred: []string{}, Duplicates: [][]string{}, Foreign: []string{}, Missing: []string{}, Stale: []string{},
		Edited: []string{}, Unsaved: []string{}, Blocked: []string{}, Debt: []string{},
	}
	if use, _, err := x.s.lib.DiskUse(schema.DraftDir(name)); err == nil {
		b.Drafts = use
	}
	if err := x.records(name); err != nil {
		return err
	}
	w, err := x.s.gatherBook(x.snap, name, false)
	if err != nil {
		// The file that stops it was told with the records, unless it is none of them.
		if !slices.ContainsFunc(x.d.Problems, func(p Problem) bool { return p.Book == string(name) }) {
			x.faults(string(name), named(schema.BookStatePath(name), faultsOf(err)), schema.Textf("git novel recover --book %s", string(name)))
		}
		x.d.Books = append(x.d.Books, b)
		return nil
	}
	x.faults(string(name), w.fileFaults(), schema.Textf("put files in the place of links, and keep one file of each chapter"))
	for _, d := range w.book.Duplicates {
		b.Duplicates = append(b.Duplicates, baseNames(d.Paths))
	}
	b.DraftsDue, b.Unsaved = w.draftsDue(), append(b.Unsaved, w.unsaved()...)
	for _, key := range b.DraftsDue {
		if d, err := x.s.lib.Draft(name, key); err == nil && d.Exists && x.overdue(d) {
			b.Deferred = append(b.Deferred, key)
		}
	}
	for _, c := range w.rules.Chapters {
		row := w.row(c)
		if row.State != nil {
			b.Chapters++
		}
		for _, m := range []struct {
			is   bool
			list *[]string
			word string
		}{
			{row.Foreign, &b.Foreign, row.Path},
			{row.Missing, &b.Missing, row.Key},
			{row.Stale, &b.Stale, row.Key},
			{row.Edited, &b.Edited, row.Key},
			{row.Blocked, &b.Blocked, row.Key},
			{row.Debt, &b.Debt, row.Key},
		} {
			if m.is {
				*m.list = append(*m.list, m.word)
			}
		}
	}
	x.d.Books = append(x.d.Books, b)
	x.findings(&b)
	return nil
}

// overdue reports a draft that git should have got already. A batch that was asked about goes in at once, and nothing pending
// says that the last segment closed one. Notes and the mark of the finished chapter wait for the next transition.
func (x *examination) overdue(d *repo.Draft) bool {
	if d.Counts.PendingChars > 0 {
		return false
	}
	known, _, err := x.snap.Read(d.Mirror)
	return (err == nil || schema.CodeOf(err) == schema.CodeNotFound) && schema.CountSegments(known) < len(d.Segments)
}

// findings turns what is out of order with chapters into problems.
func (x *examination) findings(b *BookDiagnosis) {
	for _, f := range []struct {
		level Level
		rule  string
		list  []string
		msg   schema.Text
		hint  schema.Text
	}{
		{LevelNote, "foreign", b.Foreign, schema.Textf("files that never entered the book: %s", few(b.Foreign)), schema.Textf("`git novel chapter save N` takes one in")},
		{LevelError, "missing", b.Missing, schema.Textf("the files of these chapters are gone: %s", few(b.Missing)), schema.Textf("`git novel recover N` brings one back")},
		{LevelWarning, "stale", b.Stale, schema.Textf("edited after their review: %s", few(b.Stale)), schema.Textf("a new review or re-check makes the evidence fresh")},
		{LevelWarning, "edited", b.Edited, schema.Textf("committed and then changed by hand: %s", few(b.Edited)), schema.Textf("`git novel chapter save N --typo`, or `git novel retcon N --reason R`")},
		{
			LevelWarning, "drafts-deferred", b.Deferred, schema.Textf("drafts that git could not take: %s", few(b.Deferred)),
			schema.Textf("they are safe on disk and go in at the next question or transition"),
		},
		{LevelNote, "debt", b.Debt, schema.Textf("reviewed, and the write-back is owed: %s", few(b.Debt)), schema.Textf("git novel chapter-commit --chapter N")},
	} {
		if len(f.list) > 0 {
			x.problem(Problem{Level: f.level, Rule: f.rule, Book: b.Book, Msg: f.msg, Hint: f.hint})
		}
	}
}

// records reads every JSON file of a book as what its place says it is.
func (x *examination) records(name schema.BookName) error {
	items, _, err := x.s.lib.Items(x.snap, []string{schema.BookDataDir(name), schema.DraftDir(name)}, []string{schema.SummariesPath(name)})
	if err != nil {
		return err
	}
	for i := range items {
		it := &items[i]
		switch kind := schema.ParsePath(it.Path).Kind; {
		case kind == schema.PathLedger:
			x.ledger(string(name), it)
		case strings.HasSuffix(it.Path, ".json"):
			x.file(string(name), it.Path)
		}
	}
	return nil
}

// ledger tells of one that cannot be read: it is rebuilt at the next segment, and its counts start anew.
func (x *examination) ledger(book string, it *repo.Item) {
	if it.Missing() {
		return
	}
	data, err := x.s.lib.ReadFile(it.Path)
	if err != nil {
		return
	}
	if _, ok := schema.ParseLedger(data); !ok {
		x.problem(Problem{
			Rule: "ledger-damaged", Book: book, File: it.Path, Msg: schema.Textf("the ledger cannot be read"),
			Hint: schema.Textf("the next segment rebuilds it; what was waiting to be asked about is counted anew"),
		})
	}
}
