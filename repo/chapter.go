package repo

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"

	"git-novel/schema"
)

// LoadChapter reads one chapter for a question about it alone (DESIGN 5, "Notice"): the state file is searched for its
// line, of the folder only names are read, and of files only this chapter's. A chapter that is not there has StateNone and
// no path. A link in its place is CodeInvalid.
func LoadChapter(l *Library, snap *Snapshot, name schema.BookName, key schema.ChapterKey) (*Chapter, error) {
	state, err := StateOf(l, snap, name, key)
	if err != nil {
		return nil, err
	}
	who := identity(key)
	c := &Chapter{Key: key, Number: who.number, State: state}
	files, err := l.findFiles(name, who, state)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.work, err = l.workBlob(f.path); err != nil {
			return nil, err
		}
	}
	if files, err = headFiles(snap, name, who, state, files); err != nil {
		return nil, err
	}
	(&Book{Name: name}).fill(c, files, onDisk(files))
	if c.Path == "" {
		c.Missing = state != schema.StateNone
		c.Path = c.HeadPath
		if c.Path != "" {
			c.Title = titleOf(key, c.Path)
		}
	}
	if e, err := snap.entry(schema.RecordDir(name, key.ID())); err != nil {
		return nil, err
	} else if e.IsDir() {
		c.records = e.ID
	}
	return c, nil
}

// ChapterPaths gives the files on disk that are one chapter, sorted; several are a duplicate, none is no error. Only names
// are read. A link is CodeInvalid.
func (l *Library) ChapterPaths(snap *Snapshot, name schema.BookName, key schema.ChapterKey) ([]string, error) {
	who := identity(key)
	state := schema.StateNone
	if who.number < 0 { // a .txt without a number is a chapter's only when the chapter is known
		var err error
		if state, err = StateOf(l, snap, name, key); err != nil && schema.CodeOf(err) != schema.CodeNotFound {
			return nil, err
		}
	}
	files, err := l.findFiles(name, who, state)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range files {
		out = append(out, f.path)
	}
	return out, nil
}

// StateOf gives the state of one chapter, StateNone when it has none. No such book is CodeNotFound, a damaged state file
// CodeInvalid. In a file of our own form only the chapter's line is looked for.
func StateOf(l *Library, snap *Snapshot, name schema.BookName, key schema.ChapterKey) (schema.State, error) {
	data, _, err := snap.Read(schema.BookStatePath(name))
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return "", err
	}
	if err == nil {
		if st, ok := stateLine(data, key.ID()); ok {
			return st, nil
		}
	}
	b, err := loadState(l, snap, name)
	if err != nil {
		return "", err
	}
	who := identity(key)
	for id, st := range b.State.Progress.ChapterStatus {
		if identity(schema.KeyOfID(id)) == who {
			return st, nil
		}
	}
	return schema.StateNone, nil
}

// stateLine finds the chapter's line in a state file of our own form: a string of JSON holds no line end, so lines can be
// trusted.
func stateLine(data []byte, id string) (schema.State, bool) {
	const open, end = "\n    \"chapter_status\": {\n", "\n    }"
	i := bytes.Index(data, []byte(open))
	if i < 0 || bytes.Contains(data[i+1:], []byte(open)) {
		return "", false
	}
	region := data[i+len(open)-1:]
	if j := bytes.Index(region, []byte(end)); j >= 0 {
		region = region[:j+1]
	}
	quoted, err := schema.MarshalNoNewline(id)
	if err != nil {
		return "", false
	}
	head := "\n      " + string(quoted) + ": \""
	j := bytes.Index(region, []byte(head))
	if j < 0 || bytes.Contains(region[j+1:], []byte(head)) {
		return "", false
	}
	word, _, closed := bytes.Cut(region[j+len(head):], []byte(`"`))
	st, err := schema.ParseState(string(word))
	return st, closed && err == nil
}

// findFiles gives the files on disk of one chapter, by name.
func (l *Library) findFiles(name schema.BookName, who chapterID, state schema.State) ([]*chapterFile, error) {
	names, err := l.readNames(schema.BookDir(name))
	if err != nil {
		return nil, err
	}
	s := &scan{dir: schema.BookDir(name) + "/", known: rosterOf(who, state)}
	var out []*chapterFile
	for _, n := range names {
		if isOther(n, who) {
			continue
		}
		info, ok := chapterInfo(n, s.known)
		p := s.dir + n
		f := &chapterFile{path: p, name: n, info: info}
		if !ok || f.id() != who {
			continue
		}
		switch st, err := l.root.Lstat(p); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot look at %s", p)
		case st.Mode()&fs.ModeSymlink != 0:
			s.link(l, p, n)
		case st.Mode().IsRegular():
			out = append(out, f)
		}
	}
	if len(s.faults) > 0 {
		return nil, folderError(name, s.faults)
	}
	sortFiles(out)
	return out, nil
}

// rosterOf is a roster of one chapter, when it has a state.
func rosterOf(who chapterID, state schema.State) *roster {
	r := &roster{}
	if state != schema.StateNone {
		r.put(who, 0)
	}
	return r
}

// isOther reports at a glance a file name of another number, so that among thousands few are looked at closely.
func isOther(name string, who chapterID) bool {
	n, ok := schema.FileNumber(name)
	return ok && n != who.number
}

// headFiles adds what the snapshot has of the chapter.
func headFiles(snap *Snapshot, name schema.BookName, who chapterID, state schema.State, files []*chapterFile) ([]*chapterFile, error) {
	entries, err := snap.List(schema.BookDir(name))
	if err != nil {
		return nil, err
	}
	known := rosterOf(who, state)
	for _, e := range entries {
		if isOther(e.Name, who) {
			continue
		}
		info, ok := chapterInfo(e.Name, known)
		f := &chapterFile{path: schema.ChapterPath(name, e.Name), name: e.Name, info: info, head: e.ID}
		if !ok || !e.Mode.IsFile() || f.id() != who {
			continue
		}
		if i := slices.IndexFunc(files, func(x *chapterFile) bool { return x.name == e.Name }); i >= 0 {
			files[i].head = e.ID
		} else {
			files = append(files, f)
		}
	}
	sortFiles(files)
	return files, nil
}

// readNames lists the names in a folder of the worktree; none when it is not there.
func (l *Library) readNames(dir string) ([]string, error) {
	f, err := l.openDir(dir)
	if f == nil || err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", dir)
	}
	return names, nil
}
