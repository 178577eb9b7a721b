package repo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Rules of faults that a scan finds.
const (
	RuleLink      = "chapter-link"      // a symbolic link in a book folder
	RuleDuplicate = "chapter-duplicate" // two files of one chapter
)

// chapterFile is a file that may be a chapter's text: on disk, in the last commit, or both.
type chapterFile struct {
	path string // of the library
	name string // in its folder
	info schema.ChapterFileInfo
	work schema.OID   // on disk; zero when it is not there
	head schema.OID   // in the last commit; zero when it is not there
	next *chapterFile // of the same chapter
}

func (f *chapterFile) id() chapterID {
	if f.info.Number >= 0 {
		return chapterID{number: f.info.Number}
	}
	return identity(f.info.Key)
}

// scan is a book folder as it lies on disk and in one commit.
type scan struct {
	dir     string // of the book, with a slash behind
	index   *gitstore.Index
	known   *roster        // chapters that have a state
	files   []*chapterFile // of the known chapters, by position
	strange map[chapterID]*chapterFile
	byName  map[string]*chapterFile
	slab    []chapterFile
	others  []string // names on disk that are no chapter's, folders with a slash behind
	faults  []schema.Fault
}

// listing is a folder of the worktree that is being read.
type listing struct {
	done    chan struct{}
	entries []listed
	err     error
}

// listed is one entry; info of regular files only.
type listed struct {
	fs.DirEntry
	info fs.FileInfo
	err  error
}

// list begins to read a folder, one stat of each file included, while the caller reads what git has of it. A folder that is
// not there has no entries. A link in its place is refused.
func (l *Library) list(dir string) *listing {
	f, err := l.openDir(dir)
	r := &listing{done: make(chan struct{}), err: err}
	if f == nil {
		close(r.done)
		return r
	}
	go func() {
		defer close(r.done)
		defer func() { _ = f.Close() }()
		for {
			part, err := f.ReadDir(listPart)
			for _, d := range part {
				e := listed{DirEntry: d}
				if d.Type().IsRegular() {
					e.info, e.err = d.Info()
				}
				r.entries = append(r.entries, e)
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					r.err = schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", dir)
				}
				return
			}
		}
	}()
	return r
}

// listPart is how many names are read at a time.
const listPart = 1024

func (r *listing) wait() ([]listed, error) {
	r.end()
	return r.entries, r.err
}

// end waits until the folder is closed.
func (r *listing) end() { <-r.done }

// scanBook reads a book's folder once. known are the chapters that have a state, by position: a file named like one of them
// is a chapter's even where its name alone would not say so (a .txt without a number). Files of the folder only: sub-folders
// are the author's, with whatever repository lies in them.
func (l *Library) scanBook(snap *Snapshot, book schema.BookName, onDisk *listing, known *roster, chapters int) (*scan, error) {
	ix, err := l.store.ReadIndex()
	if err != nil {
		return nil, err
	}
	entries, err := snap.List(schema.BookDir(book))
	if err != nil {
		return nil, err
	}
	s := &scan{
		dir: schema.BookDir(book) + "/", index: ix, known: known, files: make([]*chapterFile, chapters),
		strange: map[chapterID]*chapterFile{}, byName: make(map[string]*chapterFile, len(entries)), slab: make([]chapterFile, 0, len(entries)),
	}
	for _, e := range entries {
		if !e.Mode.IsFile() {
			continue
		}
		if info, ok := chapterInfo(e.Name, known); ok {
			s.add(e.Name, info).head = e.ID
		}
	}
	list, err := onDisk.wait()
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if err := s.take(l, d); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.others)
	return s, nil
}

func (s *scan) add(name string, info schema.ChapterFileInfo) *chapterFile {
	if len(s.slab) == cap(s.slab) {
		s.slab = make([]chapterFile, 0, 64)
	}
	s.slab = append(s.slab, chapterFile{path: s.dir + name, name: name, info: info})
	f := &s.slab[len(s.slab)-1]
	s.byName[name] = f
	who := f.id()
	if at, ok := s.known.find(who); ok {
		f.next, s.files[at] = s.files[at], f
	} else {
		f.next, s.strange[who] = s.strange[who], f
	}
	return f
}

// chain gives the files of one chapter by name.
func (f *chapterFile) chain() []*chapterFile {
	var out []*chapterFile
	for ; f != nil; f = f.next {
		out = append(out, f)
	}
	sortFiles(out)
	return out
}

func sortFiles(files []*chapterFile) {
	slices.SortFunc(files, func(a, b *chapterFile) int { return strings.Compare(a.name, b.name) })
}

// take puts one entry of the folder in its place.
func (s *scan) take(l *Library, d listed) error {
	name := d.Name()
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		s.link(l, s.dir+name, name)
		return nil
	case d.IsDir():
		if name != ".git" {
			s.others = append(s.others, name+"/")
		}
		return nil
	case !d.Type().IsRegular():
		s.others = append(s.others, name)
		return nil
	}
	f := s.byName[name]
	if f == nil {
		info, ok := chapterInfo(name, s.known)
		if !ok {
			s.others = append(s.others, name)
			return nil
		}
		f = s.add(name, info)
	}
	// The folder was looked at already, so one stat of the entry and a look into the index are enough.
	if errors.Is(d.err, fs.ErrNotExist) {
		return nil // it went away meanwhile
	}
	if d.err != nil {
		return schema.Wrap(d.err, schema.CodeUnexpected, "cannot look at %s", f.path)
	}
	blob, err := l.store.FileBlobAs(s.index, f.path, d.info)
	switch {
	case errors.Is(err, fs.ErrNotExist) || schema.CodeOf(err) == schema.CodeNotFound:
		return nil
	case err != nil:
		return err
	}
	f.work = blob
	return nil
}

// link reports a symbolic link that stands for a chapter or leads out of the library. Others are the author's.
func (s *scan) link(l *Library, p, name string) {
	_, chapter := chapterInfo(name, s.known)
	_, err := l.root.Stat(p)
	switch {
	case err != nil:
		s.faults = append(s.faults, schema.Fault{
			File: p, Rule: RuleLink, Msg: schema.Textf("is a symbolic link that leads out of the library or nowhere"),
		})
	case chapter:
		s.faults = append(s.faults, schema.Fault{
			File: p, Rule: RuleLink, Msg: schema.Textf("is a symbolic link; a chapter must be a file"),
		})
	default:
		s.others = append(s.others, name)
	}
}

// chapterInfo takes a file name apart when it is a chapter's.
func chapterInfo(name string, known *roster) (schema.ChapterFileInfo, bool) {
	info, ok := schema.ParseChapterFile(name)
	if ok || !strings.EqualFold(path.Ext(name), ".txt") || strings.HasPrefix(name, ".") {
		return info, ok
	}
	key, err := schema.ParseChapterKey(name)
	if err != nil || !known.has(identity(key)) {
		return info, false
	}
	return schema.ChapterFileInfo{Key: key, Number: -1, Title: string(key), Ext: ".txt"}, true
}

// readDir lists a folder of the worktree; none when it is not there.
func (l *Library) readDir(dir string) ([]fs.DirEntry, error) {
	f, err := l.openDir(dir)
	if f == nil || err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	list, err := f.ReadDir(-1)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", dir)
	}
	return list, nil
}

// openDir opens a folder of the worktree, nil when it is not there. A link on the way is CodeInvalid.
func (l *Library) openDir(dir string) (*os.File, error) {
	info, err := l.lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, schema.Errorf(schema.CodeInvalid, "%s is not a folder", dir)
	}
	f, err := l.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", dir)
	}
	return f, nil
}

// Books lists the books of a snapshot: the folders of .novel-writer/books that have a state.json, by name.
func Books(snap *Snapshot) ([]schema.BookName, error) {
	entries, err := snap.List(schema.BooksDir)
	if err != nil {
		return nil, err
	}
	var out []schema.BookName
	for _, e := range entries {
		if !e.IsDir() || !schema.IsBookName(e.Name) {
			continue
		}
		name := schema.BookName(e.Name)
		if _, ok, err := snap.Blob(schema.BookStatePath(name)); err != nil {
			return nil, err
		} else if ok {
			out = append(out, name)
		}
	}
	return out, nil
}

// Folders lists the folders below novels/ on disk that are no book yet: what `init` can adopt. Hidden folders, links and
// the outline material of the older plugin are none.
func (l *Library) Folders(snap *Snapshot) ([]string, error) {
	list, err := l.readDir(schema.NovelsDir)
	if err != nil {
		return nil, err
	}
	books, err := Books(snap)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range list {
		name := d.Name()
		if !d.IsDir() || strings.HasPrefix(name, ".") || schema.NovelsDir+"/"+name == schema.MaterialDir {
			continue
		}
		if !slices.ContainsFunc(books, func(b schema.BookName) bool { return string(b) == name }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}
