package repo

import (
	"bytes"

	"git-novel/schema"
)

// LoadChapter reads one chapter for a question about it alone (DESIGN 5, "Notice"): the state file is searched for its
// line, and of the folder only names are read. A chapter that is not there has StateNone and no path.
func LoadChapter(l *Library, snap *Snapshot, name schema.BookName, key schema.ChapterKey) (*Chapter, error) {
	state, found, err := stateOf(l, snap, name, key)
	if err != nil {
		return nil, err
	}
	who := identity(key)
	c := &Chapter{Key: key, Number: who.number, State: state}
	files, err := l.findFiles(snap, name, who, map[chapterID]bool{who: found})
	if err != nil {
		return nil, err
	}
	b := &Book{Name: name}
	b.fill(c, files, onDisk(files))
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

// stateOf looks for the chapter's line in a state file of our own form, whose strings hold no line end; any other file is
// parsed whole.
func stateOf(l *Library, snap *Snapshot, name schema.BookName, key schema.ChapterKey) (schema.State, bool, error) {
	data, _, err := snap.Read(schema.BookStatePath(name))
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return "", false, err
	}
	if err == nil {
		if st, ok := stateLine(data, key.ID()); ok {
			return st, true, nil
		}
	}
	b, err := loadState(l, snap, name)
	if err != nil {
		return "", false, err
	}
	who := identity(key)
	for id, st := range b.State.Progress.ChapterStatus {
		if identity(schema.KeyOfID(id)) == who {
			return st, true, nil
		}
	}
	return schema.StateNone, false, nil
}

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
	word := region[j+len(head):]
	k := bytes.IndexByte(word, '"')
	if k < 0 {
		return "", false
	}
	st, err := schema.ParseState(string(word[:k]))
	return st, err == nil
}

// findFiles gives the files of one chapter.
func (l *Library) findFiles(snap *Snapshot, name schema.BookName, who chapterID, known map[chapterID]bool) ([]*chapterFile, error) {
	s, err := l.newScan(name, known)
	if err != nil {
		return nil, err
	}
	entries, err := snap.List(schema.BookDir(name))
	if err != nil {
		return nil, err
	}
	is := func(file string) (schema.ChapterFileInfo, bool) {
		info, ok := chapterInfo(file, known)
		return info, ok && (&chapterFile{info: info}).id() == who
	}
	for _, e := range entries {
		if info, ok := is(e.Name); ok && e.Mode.IsFile() {
			s.add(e.Name, info).head = e.ID
		}
	}
	list, err := l.readBookDir(name)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if _, ok := is(d.Name()); !ok {
			continue
		}
		if err := s.take(l, d); err != nil {
			return nil, err
		}
	}
	if len(s.faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "the folder of the book %s is not in order", string(name)).
			WithHint("`git novel status` shows it; put files in the place of links, and keep one file of each chapter").
			WithDetails(s.faults...)
	}
	files := s.files[who]
	sortFiles(files)
	return files, nil
}
