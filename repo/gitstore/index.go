package gitstore

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's index checksum is SHA-1
	"encoding/binary"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"git-novel/schema"
)

// Index is the index file as it was read. The bytes of the entries are kept; an entry is decoded when it is asked for.
type Index struct {
	// Unsupported says in a few words what the index uses that the engine cannot patch (split or sparse index, an unknown
	// required extension), empty when nothing. A split index reads as empty.
	Unsupported string
	Version     int

	data    []byte
	refs    []indexRef
	exts    []indexExt
	stat    os.FileInfo // nil when there is no file
	nullSum bool        // written without a checksum (index.skipHash)
}

// IndexEntry is one entry of the index.
type IndexEntry struct {
	Path                string
	ID                  schema.OID
	Mode                Mode
	Stage               int // 0, or 1 to 3 for the base, our and their side of a conflict
	Size                uint32
	CTimeSec, CTimeNsec uint32
	MTimeSec, MTimeNsec uint32
	Dev, Ino, UID, GID  uint32
	SkipWorktree        bool
	IntentToAdd         bool
	AssumeValid         bool
}

// indexRef is where an entry lies. In version 4 the name is stored as a difference, so the path is kept here.
type indexRef struct {
	start, end int    // the whole entry in data
	path       []byte // points into data, except in version 4
	flags      uint16
}

func (e indexRef) stage() int { return int(e.flags>>12) & 3 }

// indexExt is one extension.
type indexExt struct {
	sig  string
	data []byte
}

const (
	indexFixed  = 62 // bytes before the name
	flagExtend  = 0x4000
	flagAssume  = 0x8000
	nameMask    = 0x0fff
	extSkipWork = 0x4000
	extIntent   = 0x2000
	maxIndex    = 1 << 30
)

var errIndex = errors.New("malformed index")

// ReadIndex reads the index of this worktree; it is kept until the file changes. Without a file the index is empty.
func (r *Repo) ReadIndex() (*Index, error) {
	file := filepath.Join(r.loc.GitDir, "index")
	if r.index != nil && r.index.stat != nil {
		if st, err := os.Stat(file); err == nil && sameStat(r.index.stat, st) {
			return r.index, nil
		}
	}
	ix, err := r.ReadIndexAt(file)
	if err == nil {
		r.index = ix
	}
	return ix, err
}

func sameStat(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// ReadIndexAt reads another index file, such as the one that git names to its hooks in GIT_INDEX_FILE.
func (r *Repo) ReadIndexAt(file string) (*Index, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{Version: 2}, nil
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	data, err := readAllBounded(f, maxIndex)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	if len(data) == 0 {
		return &Index{Version: 2, stat: st}, nil
	}
	ix, err := parseIndex(data)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeGit, "the git index %s is damaged", file).
			WithHint("make a new one from the last commit with: git reset (your files stay as they are)")
	}
	ix.stat = st
	return ix, nil
}

// parseIndex finds the entries and extensions. The checksum is not checked here, as in git; whoever writes the index
// checks it first (checkSum).
func parseIndex(data []byte) (*Index, error) {
	if len(data) < 12+20 || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	ix := &Index{Version: int(binary.BigEndian.Uint32(data[4:])), data: data}
	if ix.Version < 2 || ix.Version > 4 {
		return nil, errIndex
	}
	body := data[:len(data)-20]
	ix.nullSum = allZero(data[len(data)-20:])
	count := binary.BigEndian.Uint32(data[8:])
	if int64(count)*indexFixed > int64(len(body)) {
		return nil, errIndex
	}
	ix.refs = make([]indexRef, 0, count)
	pos := 12
	var prev []byte
	odd := false // without names or out of order, as only the difference part of a split index may be
	for range count {
		e, err := ix.entryAt(body, pos, prev)
		if err != nil {
			return nil, err
		}
		odd = odd || len(e.path) == 0
		if n := len(ix.refs); n > 0 {
			last := ix.refs[n-1]
			c := bytes.Compare(last.path, e.path)
			odd = odd || c > 0 || c == 0 && last.stage() >= e.stage()
		}
		ix.refs = append(ix.refs, e)
		prev = e.path
		pos = e.end
	}
	if err := ix.extensions(body, pos); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(ix.exts, func(x indexExt) bool { return x.sig == "link" }) {
		ix.refs = nil
	} else if odd {
		return nil, errIndex
	}
	return ix, nil
}

// entryAt measures the entry at pos.
func (ix *Index) entryAt(body []byte, pos int, prev []byte) (indexRef, error) {
	if len(body)-pos < indexFixed {
		return indexRef{}, errIndex
	}
	e := indexRef{start: pos, flags: binary.BigEndian.Uint16(body[pos+60:])}
	name := pos + indexFixed
	if e.flags&flagExtend != 0 {
		name += 2
		if ix.Version < 3 || len(body) < name {
			return indexRef{}, errIndex
		}
	}
	if ix.Version == 4 {
		return ix.entryV4(body, e, name, prev)
	}
	n := int(e.flags & nameMask)
	if n == nameMask || name+n >= len(body) || body[name+n] != 0 {
		// Long names are terminated only by their NUL.
		n = bytes.IndexByte(body[min(name, len(body)):], 0)
		if n < 0 {
			return indexRef{}, errIndex
		}
	}
	e.path = body[name : name+n]
	e.end = pos + (name+n-pos+8)&^7
	if e.end > len(body) {
		return indexRef{}, errIndex
	}
	return e, nil
}

func (ix *Index) entryV4(body []byte, e indexRef, name int, prev []byte) (indexRef, error) {
	src := bytes.NewReader(body[name:])
	strip, err := readOfs(src)
	if err != nil || strip > int64(len(prev)) {
		return indexRef{}, errIndex
	}
	from := len(body) - src.Len()
	n := bytes.IndexByte(body[from:], 0)
	if n < 0 {
		return indexRef{}, errIndex
	}
	keep := prev[:len(prev)-int(strip)]
	e.path = append(append(make([]byte, 0, len(keep)+n), keep...), body[from:from+n]...)
	e.end = from + n + 1
	return e, nil
}

// extensions reads what follows the entries.
func (ix *Index) extensions(body []byte, pos int) error {
	for pos < len(body) {
		if len(body)-pos < 8 {
			return errIndex
		}
		sig, n := string(body[pos:pos+4]), int(binary.BigEndian.Uint32(body[pos+4:]))
		pos += 8
		if n > len(body)-pos {
			return errIndex
		}
		ix.exts = append(ix.exts, indexExt{sig: sig, data: body[pos : pos+n]})
		pos += n
		switch {
		case sig == "link":
			ix.Unsupported = "a split index"
		case sig == "sdir":
			ix.Unsupported = "a sparse index"
		case sig[0] < 'A' || sig[0] > 'Z':
			ix.Unsupported = "the index extension " + sig
		}
	}
	return nil
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// sumOK checks the checksum at the end of the file.
func (ix *Index) sumOK() bool {
	if ix.data == nil || ix.nullSum {
		return true
	}
	n := len(ix.data) - 20
	sum := sha1.Sum(ix.data[:n]) //nolint:gosec // git's index checksum is SHA-1
	return bytes.Equal(sum[:], ix.data[n:])
}

// Len is the number of entries, conflict stages included.
func (ix *Index) Len() int { return len(ix.refs) }

// search gives the position of the first entry whose path is not below the given one.
func (ix *Index) search(path string) int {
	return sort.Search(len(ix.refs), func(i int) bool { return string(ix.refs[i].path) >= path })
}

// Entry finds the entry of a path that is not in conflict.
func (ix *Index) Entry(path string) (IndexEntry, bool) {
	i := ix.search(path)
	if i < len(ix.refs) && string(ix.refs[i].path) == path && ix.refs[i].stage() == 0 {
		return ix.decode(i), true
	}
	return IndexEntry{}, false
}

// Stages gives all entries of a path: one, or up to three while it is in conflict.
func (ix *Index) Stages(path string) []IndexEntry {
	var out []IndexEntry
	for i := ix.search(path); i < len(ix.refs) && string(ix.refs[i].path) == path; i++ {
		out = append(out, ix.decode(i))
	}
	return out
}

// Entries gives the entries whose path starts with prefix, in the order of the index.
func (ix *Index) Entries(prefix string) iter.Seq[IndexEntry] {
	return func(yield func(IndexEntry) bool) {
		for i := ix.search(prefix); i < len(ix.refs); i++ {
			if !strings.HasPrefix(string(ix.refs[i].path), prefix) || !yield(ix.decode(i)) {
				return
			}
		}
	}
}

func (ix *Index) decode(i int) IndexEntry {
	ref := ix.refs[i]
	b := ix.data[ref.start:]
	u := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	e := IndexEntry{
		Path: string(ref.path), Stage: ref.stage(),
		CTimeSec: u(0), CTimeNsec: u(4), MTimeSec: u(8), MTimeNsec: u(12),
		Dev: u(16), Ino: u(20), Mode: Mode(u(24)), UID: u(28), GID: u(32), Size: u(36),
		AssumeValid: ref.flags&flagAssume != 0,
	}
	copy(e.ID[:], b[40:60])
	if ref.flags&flagExtend != 0 {
		ext := binary.BigEndian.Uint16(b[indexFixed:])
		e.SkipWorktree = ext&extSkipWork != 0
		e.IntentToAdd = ext&extIntent != 0
	}
	return e
}

// written is the time of the index file in its parts, for the racy check.
func (ix *Index) written() (sec, nsec uint32) {
	if ix.stat == nil {
		return 0, 0
	}
	return timeParts(ix.stat.ModTime())
}

func timeParts(t time.Time) (sec, nsec uint32) {
	return uint32(t.Unix()), uint32(t.Nanosecond()) //nolint:gosec // git stores the low 32 bits
}
