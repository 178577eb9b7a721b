package gitstore

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's index checksum is SHA-1
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"

	"git-novel/schema"
)

// IndexEdit is one change to the index: the entry that stands for Path afterwards. Stat, when given, is the file that
// holds exactly the blob ID; without it git will look at the file by itself. A Delete takes the path out.
type IndexEdit struct {
	Path   string
	Mode   Mode
	ID     schema.OID
	Stat   os.FileInfo
	Delete bool
}

// patched applies edits (sorted by path, each path once) and gives the bytes of the new index, its checksum included.
// smudge names the kept entries whose size is to be zeroed, by position.
func (ix *Index) patched(edits []IndexEdit, smudge map[int]bool, skipHash bool) ([]byte, error) {
	out := make([]byte, 12, len(ix.data)+len(edits)*128+64)
	copy(out, "DIRC")
	binary.BigEndian.PutUint32(out[4:], uint32(ix.Version)) //nolint:gosec // 2, 3 or 4
	w := indexWriter{ix: ix, out: out}
	structural := false
	i := 0
	for k := range edits {
		e := &edits[k]
		at := i + ix.searchFrom(i, e.Path)
		w.keep(i, at, smudge)
		i = at
		old := 0
		for i < len(ix.refs) && string(ix.refs[i].path) == e.Path {
			i++
			old++
		}
		if e.Delete {
			structural = structural || old > 0
			w.broken = w.broken || old > 0
			continue
		}
		if err := ix.clash(e.Path, at, i, edits); err != nil {
			return nil, err
		}
		structural = structural || old != 1
		w.insert(e, at, i)
	}
	w.keep(i, len(ix.refs), smudge)
	binary.BigEndian.PutUint32(w.out[8:], uint32(w.count)) //nolint:gosec // bounded by the file size
	w.extensions(edits, structural)
	if skipHash {
		return append(w.out, make([]byte, 20)...), nil
	}
	sum := sha1.Sum(w.out) //nolint:gosec // git's index checksum is SHA-1
	return append(w.out, sum[:]...), nil
}

// searchFrom is search in refs[from:].
func (ix *Index) searchFrom(from int, path string) int {
	n, _ := slices.BinarySearchFunc(ix.refs[from:], path, func(e indexRef, p string) int {
		return strings.Compare(string(e.path), p)
	})
	for n > 0 && string(ix.refs[from+n-1].path) == path {
		n--
	}
	return n
}

// clash refuses a path that would be file and folder at once. The other entry is somebody's staged work.
func (ix *Index) clash(path string, at, next int, edits []IndexEdit) error {
	gone := func(p string) bool {
		k, ok := slices.BinarySearchFunc(edits, p, func(e IndexEdit, p string) int { return strings.Compare(e.Path, p) })
		return ok && edits[k].Delete
	}
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		if n := ix.search(path[:i]); n < len(ix.refs) && string(ix.refs[n].path) == path[:i] && !gone(path[:i]) {
			return schema.Errorf(schema.CodeConflict, "%s is staged as a file, so %s cannot be added to the git index", path[:i], path).
				WithHint("take it out of the index with: git rm --cached %s", quoteArg(path[:i]))
		}
	}
	_ = at
	for n := next + ix.searchFrom(next, path+"/"); n < len(ix.refs); n++ {
		below := string(ix.refs[n].path)
		if !strings.HasPrefix(below, path+"/") {
			break
		}
		if !gone(below) {
			return schema.Errorf(schema.CodeConflict, "%s is staged below the folder %s, so a file of that name cannot be added to the git index", below, path).
				WithHint("take it out of the index with: git rm --cached %s", quoteArg(below))
		}
	}
	return nil
}

// indexWriter builds the entries of the new index.
type indexWriter struct {
	ix     *Index
	out    []byte
	last   []byte // path of the entry written last, for version 4
	broken bool   // version 4: the next kept entry has lost its predecessor and must be encoded anew
	count  int
}

// keep copies the entries from up to to.
func (w *indexWriter) keep(from, to int, smudge map[int]bool) {
	if from >= to {
		return
	}
	refs := w.ix.refs
	w.count += to - from
	start := from
	if w.ix.Version == 4 && w.broken {
		w.reencode(from, smudge[from])
		start++
	}
	if start < to {
		base := len(w.out)
		w.out = append(w.out, w.ix.data[refs[start].start:refs[to-1].end]...)
		for i := start; i < to && len(smudge) > 0; i++ {
			if smudge[i] {
				at := base + refs[i].start - refs[start].start
				clear(w.out[at+36 : at+40])
			}
		}
	}
	w.broken = false
	w.last = refs[to-1].path
}

// reencode writes an old entry with its name relative to the new predecessor.
func (w *indexWriter) reencode(i int, smudge bool) {
	ref := w.ix.refs[i]
	fixed := indexFixed
	if ref.flags&flagExtend != 0 {
		fixed += 2
	}
	at := len(w.out)
	w.out = append(w.out, w.ix.data[ref.start:ref.start+fixed]...)
	if smudge {
		clear(w.out[at+36 : at+40])
	}
	w.nameV4(ref.path)
}

// nameV4 writes how many bytes of the last name to cut off, and what to put there instead.
func (w *indexWriter) nameV4(path []byte) {
	n := 0
	for n < len(path) && n < len(w.last) && path[n] == w.last[n] {
		n++
	}
	w.out = appendOfs(w.out, len(w.last)-n)
	w.out = append(w.out, path[n:]...)
	w.out = append(w.out, 0)
	w.last = path
}

// appendOfs is the inverse of readOfs.
func appendOfs(b []byte, n int) []byte {
	var tmp [10]byte
	i := len(tmp) - 1
	tmp[i] = byte(n & 0x7f)
	for n >>= 7; n > 0; n >>= 7 {
		n--
		i--
		tmp[i] = byte(n&0x7f) | 0x80
	}
	return append(b, tmp[i:]...)
}

// insert writes a new entry in place of the old ones [at, next). The assume-unchanged and skip-worktree flags of an old
// entry stay: they are the author's wish.
func (w *indexWriter) insert(e *IndexEdit, at, next int) {
	var flags, ext uint16
	if next-at == 1 {
		old := w.ix.refs[at]
		flags = old.flags & flagAssume
		if old.flags&flagExtend != 0 {
			ext = binary.BigEndian.Uint16(w.ix.data[old.start+indexFixed:]) &^ extIntent
		}
	}
	if ext != 0 {
		flags |= flagExtend
	}
	flags |= uint16(min(len(e.Path), nameMask)) //nolint:gosec // at most 0xfff
	var d statData
	if e.Stat != nil {
		d = statOf(e.Stat)
	}
	start := len(w.out)
	for _, v := range []uint32{
		d.ctimeSec, d.ctimeNsec, d.mtimeSec, d.mtimeNsec, d.dev, d.ino, uint32(e.Mode), d.uid, d.gid, d.size,
	} {
		w.out = binary.BigEndian.AppendUint32(w.out, v)
	}
	w.out = append(w.out, e.ID[:]...)
	w.out = binary.BigEndian.AppendUint16(w.out, flags)
	if ext != 0 {
		w.out = binary.BigEndian.AppendUint16(w.out, ext)
	}
	w.count++
	if w.ix.Version == 4 {
		w.nameV4([]byte(e.Path))
		w.broken = true
		return
	}
	w.out = append(w.out, e.Path...)
	pad := 8 - (len(w.out)-start)%8
	w.out = append(w.out, make([]byte, pad)...)
	w.last = []byte(e.Path)
}

// extensions keeps the optional extensions that stay true: the cache tree with the changed folders marked, resolved
// conflicts, and the untracked cache while no path came or went. The offset tables and the file system monitor's bitmap
// speak of positions; git makes them again.
func (w *indexWriter) extensions(edits []IndexEdit, structural bool) {
	for _, x := range w.ix.exts {
		data := x.data
		switch x.sig {
		case "TREE":
			tree, ok := invalidateTree(data, edits)
			if !ok {
				continue
			}
			data = tree
		case "UNTR":
			if structural {
				continue
			}
		case "REUC":
		default:
			continue
		}
		w.out = append(w.out, x.sig...)
		w.out = binary.BigEndian.AppendUint32(w.out, uint32(len(data))) //nolint:gosec // came from a 32-bit length
		w.out = append(w.out, data...)
	}
}

// invalidateTree marks every folder above an edited path in the cache tree as unknown.
func invalidateTree(data []byte, edits []IndexEdit) ([]byte, bool) {
	dirs := map[string]bool{"": true}
	for _, e := range edits {
		for i := range len(e.Path) {
			if e.Path[i] == '/' {
				dirs[e.Path[:i]] = true
			}
		}
	}
	p := cacheTree{in: data, out: make([]byte, 0, len(data)), dirs: dirs}
	ok := p.node("", 0)
	return p.out, ok && len(p.in) == 0
}

// cacheTree copies a cache-tree extension node by node: name NUL entries SP subtrees LF [id].
type cacheTree struct {
	in, out []byte
	dirs    map[string]bool
}

func (p *cacheTree) node(parent string, depth int) bool {
	if depth > maxTreeDepth {
		return false
	}
	name, rest, ok := bytes.Cut(p.in, []byte{0})
	if !ok {
		return false
	}
	line, rest, ok := bytes.Cut(rest, []byte("\n"))
	if !ok {
		return false
	}
	entries, subs, ok := strings.Cut(string(line), " ")
	count, err1 := strconv.Atoi(entries)
	children, err2 := strconv.Atoi(subs)
	if !ok || err1 != nil || err2 != nil || children < 0 {
		return false
	}
	path := joinPath(parent, string(name))
	var id []byte
	if count >= 0 {
		if len(rest) < 20 {
			return false
		}
		id, rest = rest[:20], rest[20:]
	}
	p.in = rest
	p.out = append(append(p.out, name...), 0)
	if count < 0 || p.dirs[path] {
		p.out = append(p.out, "-1 "+subs+"\n"...)
	} else {
		p.out = append(append(append(p.out, line...), '\n'), id...)
	}
	for range children {
		if !p.node(path, depth+1) {
			return false
		}
	}
	return true
}
