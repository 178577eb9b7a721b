package workflow

import (
	"context"
	"maps"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/repo/diff"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// doctor repairs one book, one chapter of it, or, without a book, the library's own files.
type doctor struct {
	s      *Session
	tx     *repo.Tx
	book   schema.BookName
	only   schema.ChapterKey
	put    map[string][]byte // what the commit will hold where the last one has something else
	broken []string          // paths whose damaged bytes are to be kept
	trash  []string
	done   []schema.Text
}

func newDoctor(s *Session, tx *repo.Tx, book schema.BookName, only schema.ChapterKey) *doctor {
	return &doctor{s: s, tx: tx, book: book, only: only, put: map[string][]byte{}}
}

func (d *doctor) say(format string, args ...any) {
	d.done = append(d.done, schema.Textf(format, args...))
}

func (d *doctor) treat(ctx context.Context) error {
	paths, err := d.files()
	if err != nil {
		return err
	}
	for _, p := range paths {
		if ctx.Err() != nil {
			return schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted")
		}
		if err := d.file(p); err != nil {
			return err
		}
	}
	if d.book == "" {
		return d.keep()
	}
	if err := d.records(); err != nil {
		return err
	}
	if err := d.texts(); err != nil {
		return err
	}
	if err := d.keep(); err != nil {
		return err
	}
	return d.words()
}

// files lists the tracked files whose content can be checked.
func (d *doctor) files() ([]string, error) {
	if d.book == "" {
		return []string{schema.ConfigPath, schema.LibraryStatePath}, nil
	}
	var list []string
	err := d.tx.Snapshot().Walk(schema.BookDataDir(d.book), func(path string, _ gitstore.Entry) error {
		p := schema.ParsePath(path)
		if d.only == "" && strings.HasSuffix(path, ".json") || p.IsRecord() && p.ID == d.only.ID() {
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if d.only == "" {
		list = append(list, schema.SummariesPath(d.book))
	}
	if state := schema.BookStatePath(d.book); !slices.Contains(list, state) {
		list = append(list, state)
	}
	return list, nil
}

// file repairs one tracked file: a good version in place of one that is missing on disk or cannot be read, there or in git.
func (d *doctor) file(path string) error {
	head, headID, err := d.tx.Snapshot().Read(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	inGit := err == nil
	diskID, err := d.s.lib.FileBlob(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	sound := inGit && schema.CheckTracked(path, head) == nil
	edited := !diskID.IsZero() && diskID != headID
	var disk []byte
	if edited {
		if disk, err = d.s.lib.ReadFile(path); err != nil {
			return err
		}
	}
	switch {
	case sound && diskID == headID:
		return nil
	case edited && schema.CheckTracked(path, disk) == nil:
		if sound || !inGit {
			return nil // the author's own edit, and a readable one
		}
		d.put[path] = disk
		d.say("%s was damaged in the last commit; what is on disk is sound and is committed", path)
		_, err = d.tx.Take(path)
		return err
	}
	good := head
	if !sound {
		if good, err = d.lastGood(path); err != nil {
			return err
		}
		if good == nil {
			if inGit || edited {
				d.say("%s is damaged in every version that git has; it is left as it is", path)
			}
			return nil
		}
		d.put[path] = good
	}
	if diskID.IsZero() {
		d.say("%s was missing and is back", path)
	} else {
		d.say("%s was damaged; the last good version is back, the damaged bytes are kept", path)
		d.broken = append(d.broken, path)
	}
	return d.tx.Replace(path, good, diskID)
}

// lastGood finds the newest version of a path in the history that can be read; nil when there is none.
func (d *doctor) lastGood(path string) ([]byte, error) {
	var good []byte
	seen := map[schema.OID]bool{}
	store := d.s.lib.Store()
	err := store.Log(d.tx.Snapshot().Commit(), func(c *gitstore.Commit) (bool, error) {
		e, ok, err := store.Lookup(c.Tree, path)
		if err != nil || !ok || !e.Mode.IsFile() || seen[e.ID] {
			return err == nil, err
		}
		seen[e.ID] = true
		data, err := store.Blob(e.ID)
		if err != nil {
			return false, err
		}
		if schema.CheckTracked(path, data) == nil {
			good = data
		}
		return good == nil, nil
	})
	return good, err
}

// state is the book's state.json as the commit will hold it; nil when there is none.
func (d *doctor) state() (*schema.BookState, []byte, error) {
	path := schema.BookStatePath(d.book)
	raw, ok := d.put[path]
	if !ok {
		var err error
		raw, _, err = d.tx.Snapshot().Read(path)
		switch {
		case err == nil:
		case schema.CodeOf(err) == schema.CodeNotFound:
			return &schema.BookState{Book: string(d.book)}, nil, nil
		default:
			return nil, nil, err
		}
	}
	st := new(schema.BookState)
	if err := schema.Unmarshal(path, raw, st); err != nil {
		return nil, nil, err
	}
	return st, raw, nil
}

// records brings back the evidence of a state that a commit took away.
func (d *doctor) records() error {
	st, _, err := d.state()
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(st.Progress.ChapterStatus)) {
		if d.only != "" && id != d.only.ID() {
			continue
		}
		path := ""
		switch st.Progress.ChapterStatus[id] {
		case schema.StateCommitted:
			path = schema.CommitPath(d.book, id)
		case schema.StateReviewed:
			path = schema.ReviewPath(d.book, id)
		case schema.StateDrafted, schema.StateNone:
		}
		if path == "" {
			continue
		}
		if _, ok, err := d.tx.Snapshot().Blob(path); err != nil {
			return err
		} else if !ok {
			if err := d.file(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep puts the damaged bytes on a trash branch.
func (d *doctor) keep() error {
	if len(d.broken) == 0 {
		return nil
	}
	name := "damaged"
	if d.book != "" {
		name = string(d.book) + "-" + name
	}
	m := schema.Message{Verb: schema.VerbTrash, Book: string(d.book), Subject: "损坏的文件，留底"}
	for _, p := range d.broken {
		m.Extra = append(m.Extra, schema.Trailer{Key: TrailerDamaged, Value: p})
	}
	branch, err := repo.Trash(d.tx, repo.TrashInput{Name: name, Kind: schema.TrashDamaged, At: d.s.lib.Now(), Paths: d.broken, Message: m.String()})
	if err != nil {
		return err
	}
	d.trash = append(d.trash, branch)
	d.say("the damaged bytes are on the branch %s", branch)
	return nil
}

// words makes state.json say what the records prove. What else the author wrote into it stays.
func (d *doctor) words() error {
	if d.only != "" {
		return nil
	}
	carried, err := d.derive()
	if err != nil {
		return err
	}
	proven := map[string]schema.State{}
	for _, c := range carried.Chapters(d.book) {
		if c.State != schema.StateNone {
			proven[c.Key.ID()] = c.State
		}
	}
	path := schema.BookStatePath(d.book)
	st, raw, err := d.state()
	if err != nil {
		return err
	}
	seen, err := d.s.lib.FileBlob(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	if _, pending := d.put[path]; !pending && !seen.IsZero() && seen != schema.HashBlob(raw) {
		// An edit that is not saved: its own words count for what else it says.
		disk, err := d.s.lib.ReadFile(path)
		if err != nil {
			return err
		}
		edit := new(schema.BookState)
		if schema.CheckTracked(path, disk) == nil && schema.Unmarshal(path, disk, edit) == nil {
			st, raw = edit, disk
		}
	}
	if len(proven) == 0 && raw == nil ||
		maps.Equal(proven, st.Progress.ChapterStatus) && st.Progress.CurrentChapter == carried.Current(d.book) {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(st.Progress.ChapterStatus)) {
		if _, ok := proven[id]; !ok {
			d.say("chapter %s has no text and no record; state.json said %s", string(schema.KeyOfID(id)), st.Progress.ChapterStatus[id].Trailer())
		}
	}
	for _, id := range slices.Sorted(maps.Keys(proven)) {
		if was := st.Progress.ChapterStatus[id]; was != proven[id] {
			d.say("chapter %s is %s by its records; state.json said %s", string(schema.KeyOfID(id)), proven[id].Trailer(), was.Trailer())
		}
	}
	st.Book, st.Progress.ChapterStatus, st.Progress.CurrentChapter = string(d.book), proven, carried.Current(d.book)
	var data []byte
	if raw == nil {
		data, err = schema.Marshal(st)
	} else {
		data, err = schema.MarshalKeep(st, raw)
	}
	if err != nil {
		return err
	}
	if len(d.done) == 0 {
		d.say("state.json says again what the records prove")
	}
	return d.tx.Replace(path, data, seen)
}

// derive asks the checker what the records prove in the tree that the commit will have.
func (d *doctor) derive() (*state.State, error) {
	store, tree := d.s.lib.Store(), d.tx.Snapshot().Tree()
	if len(d.put) > 0 {
		batch := d.tx.Batch()
		edits := make([]gitstore.Edit, 0, len(d.put))
		for _, p := range slices.Sorted(maps.Keys(d.put)) {
			edits = append(edits, gitstore.Edit{Path: p, Mode: gitstore.ModeFile, ID: batch.Blob(d.put[p])})
		}
		var err error
		if tree, err = batch.PatchTree(tree, edits); err != nil {
			return nil, err
		}
		store = batch.Reader()
	}
	t := gitTree{store, tree}
	return state.Derive(t, t, diff.EditedChars)
}

// gitTree lets the checker read a tree; the zero id is the empty one.
type gitTree struct {
	store *gitstore.Repo
	tree  schema.OID
}

func (t gitTree) Blob(path string) (schema.OID, bool, error) {
	if t.tree.IsZero() {
		return schema.OID{}, false, nil
	}
	e, ok, err := t.store.Lookup(t.tree, path)
	if err != nil || !ok || !e.Mode.IsFile() {
		return schema.OID{}, false, err
	}
	return e.ID, true, nil
}

func (t gitTree) List(dir string) ([]state.Entry, error) {
	if t.tree.IsZero() {
		return nil, nil
	}
	e, ok, err := t.store.Lookup(t.tree, dir)
	if err != nil || !ok || !e.IsDir() {
		return nil, err
	}
	entries, err := t.store.Tree(e.ID)
	if err != nil {
		return nil, err
	}
	out := make([]state.Entry, 0, len(entries))
	for _, e := range entries {
		out = append(out, state.Entry{Name: e.Name, Mode: state.Mode(e.Mode), ID: e.ID})
	}
	return out, nil
}

func (t gitTree) ReadBlob(id schema.OID) ([]byte, error) { return blobs{t.store}.ReadBlob(id) }
