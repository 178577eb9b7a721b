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

// RecoverResult says what was repaired.
type RecoverResult struct {
	Done   []schema.Text `json:"done"`
	Commit string        `json:"commit,omitempty"`
}

// Recover brings back what is missing or damaged: chapter files that were deleted by hand, records that cannot be read, and
// a state.json that differs from what the records say. Damaged bytes go to a trash branch first. It never moves a state
// beyond what the evidence proves. With a chapter it looks at that one only.
func (s *Session) Recover(ctx context.Context, chapter string) (*RecoverResult, error) {
	r := &RecoverResult{Done: []schema.Text{}}
	only := schema.ChapterKey("")
	if chapter != "" {
		key, err := schema.ParseChapterKey(chapter)
		if err != nil {
			return nil, err
		}
		only = key
	}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		books, err := repo.Books(tx.Snapshot())
		if err != nil {
			return err
		}
		for _, b := range books {
			if s.o.Book != "" && string(b) != s.o.Book {
				continue
			}
			d := &doctor{s: s, tx: tx, book: b, only: only, good: map[string][]byte{}}
			if err := d.treat(); err != nil {
				return err
			}
			r.Done = append(r.Done, d.done...)
		}
		tx.Message(s.message(schema.Message{Verb: schema.VerbRestore, Subject: "修复记录"}))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if res.Changed && !res.Commit.IsZero() {
		r.Commit = res.Commit.String()
	}
	return r, nil
}

// doctor repairs one book.
type doctor struct {
	s      *Session
	tx     *repo.Tx
	book   schema.BookName
	only   schema.ChapterKey
	good   map[string][]byte // what the paths that were damaged in git will hold
	broken []string          // paths whose damaged bytes are to be kept
	done   []schema.Text
}

func (d *doctor) say(format string, args ...any) {
	d.done = append(d.done, schema.Textf(format, args...))
}

func (d *doctor) treat() error {
	var records []string
	err := d.tx.Snapshot().Walk(schema.BookDataDir(d.book), func(path string, _ gitstore.Entry) error {
		switch p := schema.ParsePath(path); p.Kind {
		case schema.PathReview, schema.PathRecheck, schema.PathCommit, schema.PathOutline:
			if d.only == "" || p.ID == d.only.ID() {
				records = append(records, path)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range append(records, schema.BookStatePath(d.book)) {
		if err := d.record(p); err != nil {
			return err
		}
	}
	if err := d.texts(); err != nil {
		return err
	}
	if err := d.keep(); err != nil {
		return err
	}
	return d.words()
}

// record repairs one tracked record: a good version in place of one that cannot be read, on disk or in git.
func (d *doctor) record(path string) error {
	head, headID, err := d.tx.Snapshot().Read(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	good := head
	if !sound(path, head) {
		if good, err = d.lastGood(path); err != nil {
			return err
		}
		if good == nil && path != schema.BookStatePath(d.book) {
			d.say("%s is damaged in every version that git has; it is left as it is", path)
			return nil
		}
		if good == nil {
			good = []byte("{\n  \"book\": " + quoted(string(d.book)) + ",\n  \"progress\": {\n    \"current_chapter\": 0,\n    \"chapter_status\": {}\n  }\n}\n")
		}
		d.good[path] = good
	}
	disk, err := d.s.lib.ReadFile(path)
	missing := schema.CodeOf(err) == schema.CodeNotFound && err != nil
	if err != nil && !missing {
		return err
	}
	diskID := schema.HashBlob(disk)
	if missing {
		diskID = schema.OID{}
	}
	switch {
	case !missing && diskID == headID && d.good[path] == nil:
		return nil
	case !missing && diskID != headID && sound(path, disk):
		return nil // the author's own edit, and a readable one
	case missing:
		d.say("%s was missing and is back", path)
	default:
		d.say("%s was damaged; the last good version is back, the damaged bytes are kept", path)
		d.broken = append(d.broken, path)
	}
	return d.tx.Replace(path, good, diskID)
}

// sound reports bytes that parse and validate as the record of a path.
func sound(path string, data []byte) bool {
	if data == nil {
		return false
	}
	check := func(v interface{ Validate(string) []schema.Fault }) bool {
		return schema.Unmarshal(path, data, v) == nil && len(v.Validate(path)) == 0
	}
	switch schema.ParsePath(path).Kind {
	case schema.PathReview:
		return check(new(schema.Review))
	case schema.PathRecheck:
		return check(new(schema.Recheck))
	case schema.PathCommit:
		return check(new(schema.Commit))
	case schema.PathOutline:
		return check(new(schema.Outline))
	case schema.PathBookState:
		return check(new(schema.BookState))
	}
	return true
}

// lastGood finds the newest version of a path in the history that can be read; nil when there is none.
func (d *doctor) lastGood(path string) ([]byte, error) {
	var good []byte
	seen := map[schema.OID]bool{}
	store := d.s.lib.Store()
	err := store.Log(d.tx.Snapshot().Commit(), func(c *gitstore.Commit) (bool, error) {
		e, ok, err := store.Lookup(c.Tree, path)
		if err != nil || !ok || seen[e.ID] {
			return err == nil, err
		}
		seen[e.ID] = true
		data, err := store.Blob(e.ID)
		if err != nil {
			return false, err
		}
		if sound(path, data) {
			good = data
		}
		return good == nil, nil
	})
	return good, err
}

// texts brings back chapter files that were deleted by hand.
func (d *doctor) texts() error {
	entries, err := d.tx.Snapshot().List(schema.BookDir(d.book))
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, ok := schema.ParseChapterFile(e.Name)
		if !ok || !e.Mode.IsFile() || d.only != "" && !schema.SameKey(f.Key, d.only) {
			continue
		}
		path := schema.ChapterPath(d.book, e.Name)
		onDisk, err := d.s.lib.ChapterPaths(d.tx.Snapshot(), d.book, f.Key)
		if err != nil {
			return err
		}
		if len(onDisk) > 0 {
			continue // it is there, perhaps under another name
		}
		data, _, err := d.tx.Snapshot().Read(path)
		if err != nil {
			return err
		}
		if err := d.tx.Replace(path, data, schema.OID{}); err != nil {
			return err
		}
		d.say("%s was missing and is back", path)
	}
	return nil
}

// keep puts the damaged bytes on a trash branch.
func (d *doctor) keep() error {
	if len(d.broken) == 0 {
		return nil
	}
	branch, err := repo.Trash(d.tx, repo.TrashInput{
		Name: string(d.book) + "-damaged", At: d.s.lib.Now(), Paths: d.broken,
		Message: schema.Message{Verb: schema.VerbTrash, Book: string(d.book), Subject: "损坏的记录"}.String(),
	})
	if err == nil {
		d.say("the damaged bytes are on the branch %s", branch)
	}
	return err
}

// words makes state.json say what the records prove.
func (d *doctor) words() error {
	if d.only != "" {
		return nil
	}
	tree := patched{d.s.lib.Store(), d.tx.Snapshot().Tree(), d.good}
	carried, err := state.Derive(tree, tree, diff.EditedChars)
	if err != nil {
		return err
	}
	path := schema.BookStatePath(d.book)
	raw := d.good[path]
	if raw == nil {
		if raw, _, err = d.tx.Snapshot().Read(path); err != nil {
			return err
		}
	}
	var st schema.BookState
	if err := schema.Unmarshal(path, raw, &st); err != nil {
		return err
	}
	proven := map[string]schema.State{}
	for _, c := range carried.Chapters(d.book) {
		if c.State != schema.StateNone {
			proven[c.Key.ID()] = c.State
		}
	}
	if maps.Equal(proven, st.Progress.ChapterStatus) && st.Progress.CurrentChapter == carried.Current(d.book) {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(proven)) {
		if was := st.Progress.ChapterStatus[id]; was != proven[id] {
			d.say("chapter %s is %s by its records; state.json said %s", id, proven[id].Trailer(), was.Trailer())
		}
	}
	st.Book, st.Progress.ChapterStatus, st.Progress.CurrentChapter = string(d.book), proven, carried.Current(d.book)
	data, err := schema.MarshalKeep(&st, raw)
	if err != nil {
		return err
	}
	if len(d.done) == 0 {
		d.say("state.json says again what the records prove")
	}
	seen, err := d.s.lib.FileBlob(path)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return err
	}
	return d.tx.Replace(path, data, seen)
}

func quoted(s string) string {
	data, err := schema.MarshalNoNewline(s)
	if err != nil {
		return `""`
	}
	return strings.TrimSpace(string(data))
}

// patched is a commit's tree with some files put right: what the checker reads to say what the records prove.
type patched struct {
	store *gitstore.Repo
	tree  schema.OID
	good  map[string][]byte
}

func (p patched) Blob(path string) (schema.OID, bool, error) {
	if data, ok := p.good[path]; ok {
		return schema.HashBlob(data), true, nil
	}
	e, ok, err := p.store.Lookup(p.tree, path)
	if err != nil || !ok || !e.Mode.IsFile() {
		return schema.OID{}, false, err
	}
	return e.ID, true, nil
}

func (p patched) List(dir string) ([]state.Entry, error) {
	e, ok, err := p.store.Lookup(p.tree, dir)
	if err != nil || !ok || !e.IsDir() {
		return nil, err
	}
	entries, err := p.store.Tree(e.ID)
	if err != nil {
		return nil, err
	}
	out := make([]state.Entry, 0, len(entries))
	for _, e := range entries {
		id := e.ID
		if data, ok := p.good[dir+"/"+e.Name]; ok {
			id = schema.HashBlob(data)
		}
		out = append(out, state.Entry{Name: e.Name, Mode: state.Mode(e.Mode), ID: id})
	}
	return out, nil
}

func (p patched) ReadBlob(id schema.OID) ([]byte, error) {
	for _, data := range p.good {
		if schema.HashBlob(data) == id {
			return data, nil
		}
	}
	return p.store.Blob(id)
}
