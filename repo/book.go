package repo

import (
	"slices"
	"strings"

	"git-novel/schema"
)

// Chapter is one chapter of a book: its state and its evidence as the snapshot has them, its text as it lies on disk.
type Chapter struct {
	Key       schema.ChapterKey
	Number    int // -1 when it has none
	Title     string
	Path      string // of the text on disk; when Missing, where the snapshot has it, or ""
	HeadPath  string // of the text in the snapshot, "" when it has none
	State     schema.State
	HeadBlob  schema.OID // of the text in the snapshot
	WorkBlob  schema.OID // of the text on disk
	Missing   bool       // has a state and no file on disk
	Edited    bool       // the text on disk is not the one in the snapshot at its path
	Duplicate bool       // several files on disk are this chapter

	records schema.OID // tree of the record folder; zero when there is none
}

// Numbered reports whether the chapter has a number.
func (c *Chapter) Numbered() bool { return c.Number >= 0 }

// Foreign reports a chapter-like file that never entered the book.
func (c *Chapter) Foreign() bool { return c.State == schema.StateNone }

// Duplicate is a set of files that are one chapter: by number, or by a name that differs in composition, width or case
// only.
type Duplicate struct {
	Key   schema.ChapterKey
	Paths []string // sorted
}

// Book is a book as it lies on disk and in one snapshot.
type Book struct {
	Name       schema.BookName
	State      schema.BookState
	StateRaw   []byte    // the file of State, for writing it back with unknown keys kept
	Chapters   []Chapter // that have a state, in the order of the book
	Foreign    []Chapter // chapter-like files without a state, by number and name
	Duplicates []Duplicate
	Others     []string       // names of other files in the book's folder; folders have a slash behind
	Faults     []schema.Fault // what stops every writing command: links, duplicates

	lib   *Library
	snap  *Snapshot
	index roster // position in Chapters
	cache *recordCache

	evidence []*Evidence // of all chapters, once it was read
}

// LoadBook reads a book. A damaged state.json is CodeInvalid with file, line and column; a book that does not exist is
// CodeNotFound.
func LoadBook(l *Library, snap *Snapshot, name schema.BookName) (*Book, error) {
	onDisk := l.list(schema.BookDir(name))
	defer onDisk.end()
	b, err := loadState(l, snap, name)
	if err != nil {
		return nil, err
	}
	return b.load(onDisk, true)
}

// LoadBookWith is LoadBook with another state.json than the snapshot's.
func LoadBookWith(l *Library, snap *Snapshot, name schema.BookName, state []byte) (*Book, error) {
	b, err := parseState(l, snap, name, state)
	if err != nil {
		return nil, err
	}
	onDisk := l.list(schema.BookDir(name))
	defer onDisk.end()
	return b.load(onDisk, false)
}

// load deals the files and records of the book out to the chapters of its state. With prove the evidence of all of them is
// read too.
func (b *Book) load(onDisk *listing, prove bool) (*Book, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	entries, err := b.snap.List(schema.RecordsDir(b.Name))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if at, ok := b.index.find(identity(schema.KeyOfID(e.Name))); ok && e.IsDir() && b.Chapters[at].Key.ID() == e.Name {
			b.Chapters[at].records = e.ID
		}
	}
	if prove {
		// While the folder is being read. An error is told by AllEvidence, which tries again.
		b.evidence, _ = b.AllEvidence()
	}
	s, err := b.lib.scanBook(b.snap, b.Name, onDisk, &b.index, len(b.Chapters))
	if err != nil {
		return nil, err
	}
	b.take(s)
	for i := range b.Chapters {
		if c := &b.Chapters[i]; c.Path == "" {
			c.Missing = true
			c.Path = c.HeadPath
			c.Title = titleOf(c.Key, c.HeadPath)
		}
	}
	return b, nil
}

// enter makes the chapters of the state, in the order of the book.
func (b *Book) enter() error {
	status := b.State.Progress.ChapterStatus
	var seen roster
	var named []schema.ChapterKey
	for id := range status {
		key := schema.KeyOfID(id)
		who := identity(key)
		if !seen.put(who, 0) {
			return damaged(schema.BookStatePath(b.Name), []schema.Fault{{
				File: schema.BookStatePath(b.Name), Field: "progress.chapter_status." + id, Rule: "book-state",
				Msg: schema.Textf("two entries are the same chapter"),
			}})
		}
		if who.number < 0 {
			named = append(named, key)
		}
	}
	keys := make([]schema.ChapterKey, 0, len(status))
	for n, at := range seen.numbered {
		if at != 0 {
			keys = append(keys, schema.NumberKey(n))
		}
	}
	b.Chapters = make([]Chapter, 0, len(status))
	b.index = roster{}
	for _, k := range OrderKeys(append(keys, named...), b.State.Order) {
		who := identity(k)
		b.index.put(who, len(b.Chapters))
		b.Chapters = append(b.Chapters, Chapter{Key: k, Number: who.number, State: status[k.ID()]})
	}
	return nil
}

// NewBook is a book that does not exist yet: what lies in its folder is foreign or the author's. A book of that name, or of
// one that means the same, is CodeConflict.
func NewBook(l *Library, snap *Snapshot, name schema.BookName) (*Book, error) {
	books, err := Books(snap)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		if schema.SameBook(b, name) {
			return nil, schema.Errorf(schema.CodeConflict, "there is a book %s already", string(b)).
				WithHint("choose another name; `git novel book list` shows the books")
		}
	}
	b := &Book{
		Name: name, State: schema.BookState{Book: string(name), Progress: schema.Progress{ChapterStatus: map[string]schema.State{}}},
		lib: l, snap: snap,
	}
	onDisk := l.list(schema.BookDir(name))
	defer onDisk.end()
	s, err := l.scanBook(snap, name, onDisk, &b.index, 0)
	if err != nil {
		return nil, err
	}
	b.take(s)
	return b, nil
}

// loadState makes the book with its state file read and checked.
func loadState(l *Library, snap *Snapshot, name schema.BookName) (*Book, error) {
	p := schema.BookStatePath(name)
	data, _, err := snap.Read(p)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil, schema.Errorf(schema.CodeNotFound, "there is no book %s", string(name)).
			WithHint("`git novel book list` names the books; `git novel book new NAME` starts one")
	}
	if err != nil {
		return nil, err
	}
	return parseState(l, snap, name, data)
}

func parseState(l *Library, snap *Snapshot, name schema.BookName, data []byte) (*Book, error) {
	p := schema.BookStatePath(name)
	b := &Book{Name: name, StateRaw: data, lib: l, snap: snap}
	if err := schema.Unmarshal(p, data, &b.State); err != nil {
		return nil, asDamaged(p, err)
	}
	if faults := b.State.Validate(p); len(faults) > 0 {
		return nil, damaged(p, faults)
	}
	return b, nil
}

// damaged is the refusal of a tracked file that cannot be trusted (DESIGN 3).
func damaged(path string, faults []schema.Fault) error {
	return schema.Errorf(schema.CodeInvalid, "%s is damaged", path).
		WithHint("`git novel recover` brings the last good version back").
		WithDetails(faults...)
}

func asDamaged(path string, err error) error {
	return schema.Wrap(err, schema.CodeInvalid, "%s is damaged", path).
		WithHint("`git novel recover` brings the last good version back")
}

// take deals the files of the scan out to the chapters; what remains is foreign.
func (b *Book) take(s *scan) {
	b.Others, b.Faults = s.others, s.faults
	var one [1]*chapterFile
	for i := range b.Chapters {
		c, f := &b.Chapters[i], s.files[i]
		switch {
		case f == nil:
		case f.next == nil: // by far the most
			one[0] = f
			b.fill(c, one[:], onDisk(one[:]))
		default:
			files := f.chain()
			there := onDisk(files)
			b.twice(there)
			b.fill(c, files, there)
		}
	}
	for _, f := range s.strange {
		there := onDisk(f.chain())
		b.twice(there) // what is in git only, and never was a chapter, is nothing of ours
		for _, f := range there {
			b.Foreign = append(b.Foreign, Chapter{
				Key: f.info.Key, Number: f.info.Number, Title: f.info.Title, Path: f.path, HeadPath: headPath(f),
				HeadBlob: f.head, WorkBlob: f.work, Edited: f.work != f.head, Duplicate: len(there) > 1,
			})
		}
	}
	sortChapters(b.Foreign)
	slices.SortFunc(b.Duplicates, func(x, y Duplicate) int { return schema.CompareKeys(x.Key, y.Key) })
	slices.SortFunc(b.Faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
}

// twice reports several files that are one chapter.
func (b *Book) twice(files []*chapterFile) {
	if len(files) < 2 {
		return
	}
	d := Duplicate{Key: files[0].info.Key}
	for _, f := range files {
		d.Paths = append(d.Paths, f.path)
	}
	b.Duplicates = append(b.Duplicates, d)
	b.Faults = append(b.Faults, schema.Fault{
		File: d.Paths[0], Rule: RuleDuplicate,
		Msg: schema.Textf("chapter %s has %d files: %s", string(d.Key), len(d.Paths), strings.Join(d.Paths, ", ")),
	})
}

// fill sets the file of a chapter. Of several the one that the snapshot has counts, then the first by name.
func (b *Book) fill(c *Chapter, files, onDisk []*chapterFile) {
	var head *chapterFile
	for _, f := range files {
		if !f.head.IsZero() && (head == nil || head.work.IsZero() && !f.work.IsZero()) {
			head = f
		}
	}
	if head != nil {
		c.HeadPath, c.HeadBlob = head.path, head.head
	}
	if len(onDisk) == 0 {
		return
	}
	f := onDisk[0]
	if head != nil && !head.work.IsZero() {
		f = head
	}
	c.Path, c.WorkBlob, c.Title = f.path, f.work, f.info.Title
	c.Edited = f.work != f.head
	c.Duplicate = len(onDisk) > 1
}

func onDisk(files []*chapterFile) []*chapterFile {
	if !slices.ContainsFunc(files, func(f *chapterFile) bool { return f.work.IsZero() }) {
		return files
	}
	var out []*chapterFile
	for _, f := range files {
		if !f.work.IsZero() {
			out = append(out, f)
		}
	}
	return out
}

func headPath(f *chapterFile) string {
	if f.head.IsZero() {
		return ""
	}
	return f.path
}

func titleOf(k schema.ChapterKey, p string) string {
	if info, ok := schema.ParseChapterFile(p[strings.LastIndexByte(p, '/')+1:]); ok {
		return info.Title
	}
	if _, numbered := k.Number(); numbered {
		return ""
	}
	return string(k)
}

func sortChapters(list []Chapter) {
	slices.SortFunc(list, func(x, y Chapter) int {
		if d := schema.CompareKeys(x.Key, y.Key); d != 0 {
			return d
		}
		return strings.Compare(x.Path, y.Path)
	})
}

// Err is the refusal of every writing command on a book with faults, nil when there is none.
func (b *Book) Err() error {
	if len(b.Faults) == 0 {
		return nil
	}
	return folderError(b.Name, b.Faults)
}

func folderError(name schema.BookName, faults []schema.Fault) error {
	return schema.Errorf(schema.CodeInvalid, "the folder of the book %s is not in order", string(name)).
		WithHint("`git novel status` shows it; put files in the place of links, and keep one file of each chapter").
		WithDetails(faults...)
}

// Find gives the chapter of a key, nil when none has a state by it.
func (b *Book) Find(key schema.ChapterKey) *Chapter {
	if i, ok := b.index.find(identity(key)); ok {
		return &b.Chapters[i]
	}
	return nil
}

// FindForeign gives the files on disk that would be the chapter of a key, though it has no state.
func (b *Book) FindForeign(key schema.ChapterKey) []*Chapter {
	who := identity(key)
	var out []*Chapter
	for i := range b.Foreign {
		if identity(b.Foreign[i].Key) == who {
			out = append(out, &b.Foreign[i])
		}
	}
	return out
}

// Snapshot is the snapshot that the book was read from.
func (b *Book) Snapshot() *Snapshot { return b.snap }
