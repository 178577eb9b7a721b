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
	index map[chapterID]int // position in Chapters
	cache *recordCache
}

// LoadBook reads a book. A damaged state.json is CodeInvalid with file, line and column; a book that does not exist is
// CodeNotFound.
func LoadBook(l *Library, snap *Snapshot, name schema.BookName) (*Book, error) {
	b, err := loadState(l, snap, name)
	if err != nil {
		return nil, err
	}
	return b.load()
}

// LoadBookWith is LoadBook with another state.json than the snapshot's.
func LoadBookWith(l *Library, snap *Snapshot, name schema.BookName, state []byte) (*Book, error) {
	b, err := parseState(l, snap, name, state)
	if err != nil {
		return nil, err
	}
	return b.load()
}

// load deals the files and records of the book out to the chapters of its state.
func (b *Book) load() (*Book, error) {
	l, snap, name := b.lib, b.snap, b.Name
	status := b.State.Progress.ChapterStatus
	known := make(map[chapterID]bool, len(status))
	byID := make(map[chapterID]*Chapter, len(status))
	all := make([]Chapter, 0, len(status))
	keys := make([]schema.ChapterKey, 0, len(status))
	for id, st := range status {
		key := schema.KeyOfID(id)
		who := identity(key)
		if known[who] {
			return nil, damaged(schema.BookStatePath(name), []schema.Fault{{
				File: schema.BookStatePath(name), Field: "progress.chapter_status." + id, Rule: "book-state",
				Msg: schema.Textf("two entries are the same chapter"),
			}})
		}
		known[who] = true
		all = append(all, Chapter{Key: key, Number: who.number, State: st})
		byID[who] = &all[len(all)-1]
		keys = append(keys, key)
	}
	s, err := l.scanBook(snap, name, known)
	if err != nil {
		return nil, err
	}
	records, err := recordTrees(snap, name)
	if err != nil {
		return nil, err
	}
	b.take(s, byID)
	for _, c := range byID {
		c.records = records[c.Key.ID()]
		if c.Path == "" {
			c.Missing = true
			c.Path = c.HeadPath
			c.Title = titleOf(c.Key, c.HeadPath)
		}
	}
	b.Chapters = make([]Chapter, 0, len(byID))
	b.index = make(map[chapterID]int, len(byID))
	for _, k := range OrderKeys(keys, b.State.Order) {
		who := identity(k)
		b.index[who] = len(b.Chapters)
		b.Chapters = append(b.Chapters, *byID[who])
	}
	return b, nil
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
		lib: l, snap: snap, index: map[chapterID]int{},
	}
	s, err := l.scanBook(snap, name, nil)
	if err != nil {
		return nil, err
	}
	b.take(s, nil)
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
	b := &Book{Name: name, StateRaw: data, lib: l, snap: snap, index: map[chapterID]int{}}
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
func (b *Book) take(s *scan, byID map[chapterID]*Chapter) {
	b.Others, b.Faults = s.others, s.faults
	for who, files := range s.files {
		c := byID[who]
		onDisk := onDisk(files)
		if c == nil && len(onDisk) == 0 {
			continue // in git only, and never a chapter: nothing of ours
		}
		if len(onDisk) > 1 {
			d := Duplicate{Key: onDisk[0].info.Key}
			for _, f := range onDisk {
				d.Paths = append(d.Paths, f.path(b.Name))
			}
			b.Duplicates = append(b.Duplicates, d)
			b.Faults = append(b.Faults, schema.Fault{
				File: d.Paths[0], Rule: RuleDuplicate,
				Msg: schema.Textf("chapter %s has %d files: %s", string(d.Key), len(d.Paths), strings.Join(d.Paths, ", ")),
			})
		}
		if c == nil {
			for _, f := range onDisk {
				b.Foreign = append(b.Foreign, Chapter{
					Key: f.info.Key, Number: f.info.Number, Title: f.info.Title, Path: f.path(b.Name), HeadPath: headPath(b.Name, f),
					HeadBlob: f.head, WorkBlob: f.work, Edited: f.work != f.head, Duplicate: len(onDisk) > 1,
				})
			}
			continue
		}
		b.fill(c, files, onDisk)
	}
	sortChapters(b.Foreign)
	slices.SortFunc(b.Duplicates, func(x, y Duplicate) int { return schema.CompareKeys(x.Key, y.Key) })
	slices.SortFunc(b.Faults, func(x, y schema.Fault) int { return strings.Compare(x.File, y.File) })
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
		c.HeadPath, c.HeadBlob = head.path(b.Name), head.head
	}
	if len(onDisk) == 0 {
		return
	}
	f := onDisk[0]
	if head != nil && !head.work.IsZero() {
		f = head
	}
	c.Path, c.WorkBlob, c.Title = f.path(b.Name), f.work, f.info.Title
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

func headPath(b schema.BookName, f *chapterFile) string {
	if f.head.IsZero() {
		return ""
	}
	return f.path(b)
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

// recordTrees gives the tree of each chapter's record folder, by id.
func recordTrees(snap *Snapshot, name schema.BookName) (map[string]schema.OID, error) {
	entries, err := snap.List(schema.RecordsDir(name))
	if err != nil {
		return nil, err
	}
	out := make(map[string]schema.OID, len(entries))
	for _, e := range entries {
		if e.IsDir() {
			out[e.Name] = e.ID
		}
	}
	return out, nil
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
	if i, ok := b.index[identity(key)]; ok {
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
