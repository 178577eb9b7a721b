package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-novel/schema"
)

// draftPlace is where the draft of a chapter lies. All paths are relative to the library.
type draftPlace struct {
	book   schema.BookName
	key    string // canonical draft key
	file   string // key in the file names: that of an older mirror which the chapter has claimed, else key
	mirror string
	ledger string
}

// draftPlace finds the draft of a chapter (seed novel_draft, resolveDraftTarget). It makes nothing. A place inside the
// book's own folder, also by way of links, is refused.
func (l *Library) draftPlace(book schema.BookName, chapter string) (draftPlace, error) {
	if err := l.checkDraftDir(book); err != nil {
		return draftPlace{}, err
	}
	key := schema.DraftKey(chapter)
	names, err := l.readNames(schema.DraftDir(book))
	if err != nil {
		return draftPlace{}, err
	}
	file := schema.ClaimMirror(names, key)
	p := draftPlace{
		book: book, key: key, file: file, mirror: schema.MirrorPath(book, file), ledger: schema.LedgerPath(book, file),
	}
	if InsideBookDir(l.Root(), book, l.abs(p.mirror)) {
		return draftPlace{}, insideBook(book)
	}
	return p, nil
}

// InsideBookDir reports a target that is the book's folder below root or lies in it, at the border of a folder
// (seed novel_draft, isInsideBookDir): novels/雨夜灯甲/x is not inside novels/雨夜灯. It compares names and does not follow
// links. A path of which nothing absolute can be made is not inside.
func InsideBookDir(root string, book schema.BookName, target string) bool {
	if root == "" || target == "" {
		return false
	}
	dir, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(schema.BookDir(book))))
	if err != nil {
		return false
	}
	t, err := filepath.Abs(target)
	if err != nil {
		return false
	}
	return inside(dir, t)
}

func inside(dir, target string) bool {
	return target == dir || strings.HasPrefix(target, dir+string(filepath.Separator))
}

func insideBook(book schema.BookName) error {
	return schema.Errorf(schema.CodeInvalid, schema.DraftInsideBook, string(book)).
		WithHint("move the folder .novel-writer/drafts/%s away, or put a folder in the place of the link", string(book))
}

// checkDraftDir refuses a draft folder that a link brings into the book's folder (DESIGN 16), and any other link on its
// path.
func (l *Library) checkDraftDir(book schema.BookName) error {
	dir := schema.DraftDir(book)
	plain := func(err error) bool { return err == nil || errors.Is(err, fs.ErrNotExist) }
	_, err := l.lstat(dir)
	if _, berr := l.lstat(schema.BookDir(book)); plain(err) && plain(berr) {
		return nil // no link on either way: both are where their names say
	}
	resolved, rerr := filepath.EvalSymlinks(l.abs(dir))
	if rerr == nil {
		novels := l.abs(schema.BookDir(book))
		if r, err := filepath.EvalSymlinks(novels); err == nil {
			novels = r
		}
		if inside(novels, resolved) {
			return insideBook(book)
		}
	}
	if plain(err) {
		return nil
	}
	return err
}

func (l *Library) abs(p string) string { return filepath.Join(l.Root(), filepath.FromSlash(p)) }

// name is what the journal and the lock of the mirror are called.
func (p draftPlace) name() string { return draftName(p.book, p.key) }

// draftName is the name of the journal and the lock of a canonical draft key. All spellings of one chapter have one.
func draftName(book schema.BookName, key string) string {
	sum := sha256.Sum256([]byte(string(book) + "\x00" + key))
	return hex.EncodeToString(sum[:10])
}

// draft is a mirror with its ledger, as they lie on disk.
type draft struct {
	mirror    []byte
	exists    bool // the mirror is on disk
	ledger    schema.Ledger
	rebuilt   bool // the ledger was lost or damaged
	hasLedger bool // there is a ledger file, whole or not
}

func (l *Library) readDraft(p draftPlace) (*draft, error) {
	d := &draft{}
	data, _, err := l.read(p.mirror)
	switch {
	case err == nil:
		d.mirror, d.exists = data, true
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	headers := schema.CountSegments(d.mirror)
	data, _, err = l.read(p.ledger)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.ledger, d.rebuilt = schema.RebuildLedger(headers), true
		return d, nil
	case err != nil:
		return nil, err
	}
	d.hasLedger = true
	led, ok := schema.ParseLedger(data)
	if !ok {
		d.ledger, d.rebuilt = schema.RebuildLedger(headers), true
		return d, nil
	}
	d.ledger = led.CatchUp(headers)
	return d, nil
}

// Draft is the draft of one chapter, for showing it.
type Draft struct {
	Key      string // canonical draft key
	File     string // key in the file names
	Dir      string // library path of the folder
	Mirror   string // library path
	Ledger   string // library path
	Exists   bool   // the mirror has content
	Segments []schema.Segment
	Total    int // UTF-16 units of all segments
	Counts   schema.Ledger
	Rebuilt  bool // the ledger is lost or damaged; the counts start anew
	Due      bool // git has not got what lies on disk
}

// Draft reads the draft of a chapter. A chapter without one is no error: Exists is false.
func (l *Library) Draft(book schema.BookName, chapter string) (*Draft, error) {
	p, err := l.draftPlace(book, chapter)
	if err != nil {
		return nil, err
	}
	return l.draftAt(p)
}

// DraftOf reads the draft that Drafts has listed. A key that was cut is not the key of itself, so Draft would not find it.
func (l *Library) DraftOf(book schema.BookName, m MirrorInfo) (*Draft, error) {
	if err := l.checkDraftDir(book); err != nil {
		return nil, err
	}
	key := m.Key
	if n, ok := schema.ParseNumber(key); ok {
		key = string(schema.NumberKey(n))
	}
	return l.draftAt(draftPlace{
		book: book, key: key, file: m.Key, mirror: schema.MirrorPath(book, m.Key), ledger: schema.LedgerPath(book, m.Key),
	})
}

func (l *Library) draftAt(p draftPlace) (*Draft, error) {
	d, err := l.readDraft(p)
	if err != nil {
		return nil, err
	}
	out := &Draft{
		Key: p.key, File: p.file, Dir: schema.DraftDir(p.book), Mirror: p.mirror, Ledger: p.ledger, Exists: len(d.mirror) > 0,
		Segments: schema.ParseSegments(d.mirror), Counts: d.ledger, Rebuilt: d.rebuilt && d.hasLedger,
	}
	out.Total = schema.SegmentChars(out.Segments)
	if out.Due, err = l.differs(p.mirror, p.ledger); err != nil {
		return nil, err
	}
	return out, nil
}

// differs reports files that are on disk otherwise than in HEAD.
func (l *Library) differs(paths ...string) (bool, error) {
	snap, err := l.Snapshot()
	if err != nil {
		return false, err
	}
	for _, p := range paths {
		head, _, err := snap.Blob(p)
		if err != nil {
			return false, err
		}
		work, err := l.FileBlob(p)
		if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
			return false, err
		}
		if head != work {
			return true, nil
		}
	}
	return false, nil
}

// MirrorInfo is one mirror file of a book.
type MirrorInfo struct {
	File    string // file name
	Key     string // file name without its suffix
	Bytes   int64
	ModTime time.Time
	Err     error // the file could not be looked at; Bytes and ModTime are zero
	Due     bool  // git has not got what lies on disk
}

// Drafts lists the mirrors of a book by file name, in UTF-16 units. A book without drafts has none. A folder that cannot be
// read is an error; a file that cannot is listed with its own.
func (l *Library) Drafts(book schema.BookName) ([]MirrorInfo, error) {
	if err := l.checkDraftDir(book); err != nil {
		return nil, err
	}
	list, err := l.readDir(schema.DraftDir(book))
	if err != nil {
		return nil, err
	}
	snap, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	heads := map[string]schema.OID{}
	entries, err := snap.List(schema.DraftDir(book))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		heads[e.Name] = e.ID
	}
	var out []MirrorInfo
	for _, d := range list {
		key, ok := strings.CutSuffix(d.Name(), schema.MirrorSuffix)
		if !ok || key == "" || d.IsDir() {
			continue
		}
		m := MirrorInfo{File: d.Name(), Key: key}
		p := schema.MirrorPath(book, key)
		info, err := l.lstat(p)
		if err != nil {
			m.Err = err
			out = append(out, m)
			continue
		}
		m.Bytes, m.ModTime = info.Size(), info.ModTime()
		for _, file := range []string{d.Name(), key + schema.LedgerSuffix} {
			blob, err := l.FileBlob(schema.DraftDir(book) + "/" + file)
			if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
				m.Err = err
			}
			m.Due = m.Due || blob != heads[file]
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b MirrorInfo) int { return schema.CompareUTF16(a.File, b.File) })
	return out, nil
}
