package gitstore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"git-novel/schema"
)

// pack is one pack with its index. The index is searched in the file: a transaction asks for a handful of objects and
// must not pay for reading the names of all of them. After some questions the names are read whole.
type pack struct {
	base    string // path without extension
	idx     *os.File
	data    *os.File
	count   uint32
	fanout  [256]uint32
	version int
	names   []byte
	asked   int
	bad     bool
	buf     *bufio.Reader
}

// readNamesAfter is the number of questions after which the names are read whole.
const readNamesAfter = 48

// maxNamesHeld bounds what is read whole: one million objects.
const maxNamesHeld = 20 << 20

// maxDeltaChain is above what any git writes (4095).
const maxDeltaChain = 8192

// all gives the packs, listing the directory the first time.
func (d *objectDir) all() []*pack {
	if !d.listed {
		d.list()
	}
	return d.packs
}

// list reads the pack directory and adds new packs in front. Packs whose files are gone stay usable while they are open.
// A pack without index is not there for us, and does not disturb the others.
func (d *objectDir) list() {
	d.listed = true
	entries, err := os.ReadDir(filepath.Join(d.path, "pack"))
	if err != nil {
		return
	}
	known := map[string]bool{}
	for _, p := range d.packs {
		known[p.base] = true
	}
	var fresh []*pack
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !strings.HasPrefix(name, "pack-") {
			continue
		}
		if base := filepath.Join(d.path, "pack", name); !known[base] {
			fresh = append(fresh, &pack{base: base})
		}
	}
	d.packs = append(fresh, d.packs...)
}

func (p *pack) close() {
	for _, f := range []*os.File{p.idx, p.data} {
		if f != nil {
			_ = f.Close()
		}
	}
	p.idx, p.data = nil, nil
}

// open reads the header and the fan-out table of the index.
func (p *pack) open() bool {
	if p.idx != nil {
		return true
	}
	if p.bad {
		return false
	}
	p.bad = true // until proven otherwise
	f, err := os.Open(p.base + ".idx")
	if err != nil {
		return false
	}
	var head [8 + 1024]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		_ = f.Close()
		return false
	}
	table := head[:1024]
	p.version = 1
	if bytes.Equal(head[:4], []byte("\xfftOc")) {
		p.version = int(binary.BigEndian.Uint32(head[4:]))
		table = head[8:]
	}
	prev := uint32(0)
	for i := range p.fanout {
		n := binary.BigEndian.Uint32(table[4*i:])
		if n < prev {
			_ = f.Close()
			return false
		}
		p.fanout[i], prev = n, n
	}
	p.count = prev
	st, err := f.Stat()
	if err != nil || p.version > 2 || st.Size() < p.minSize() {
		_ = f.Close()
		return false
	}
	p.idx, p.bad = f, false
	return true
}

// minSize is the size of an index of this many objects without 64-bit offsets.
func (p *pack) minSize() int64 {
	if p.version == 1 {
		return 1024 + 24*int64(p.count) + 40
	}
	return 8 + 1024 + 28*int64(p.count) + 40
}

// nameAt reads the i-th object name.
func (p *pack) nameAt(i uint32, id *schema.OID) bool {
	if p.names != nil {
		copy(id[:], p.names[20*int64(i):])
		return true
	}
	at := 8 + 1024 + 20*int64(i)
	if p.version == 1 {
		at = 1024 + 24*int64(i) + 4
	}
	_, err := p.idx.ReadAt(id[:], at)
	return err == nil
}

// search gives the position of the first name that is not below id, within the fan-out bucket of its first byte.
func (p *pack) search(id schema.OID) (lo, end uint32, ok bool) {
	if !p.open() {
		return 0, 0, false
	}
	p.asked++
	if p.asked > readNamesAfter && p.names == nil && p.version == 2 && 20*int64(p.count) <= maxNamesHeld {
		names := make([]byte, 20*int64(p.count))
		if _, err := p.idx.ReadAt(names, 8+1024); err == nil {
			p.names = names
		}
	}
	if id[0] > 0 {
		lo = p.fanout[id[0]-1]
	}
	end = p.fanout[id[0]]
	hi := end
	for lo < hi {
		mid := lo + (hi-lo)/2
		var have schema.OID
		if !p.nameAt(mid, &have) {
			return 0, 0, false
		}
		if bytes.Compare(have[:], id[:]) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, end, true
}

// find gives the offset of an object in the pack.
func (p *pack) find(id schema.OID) (int64, bool) {
	at, end, ok := p.search(id)
	var have schema.OID
	if !ok || at >= end || !p.nameAt(at, &have) || have != id {
		return 0, false
	}
	return p.offset(at)
}

func (p *pack) offset(i uint32) (int64, bool) {
	var b [8]byte
	if p.version == 1 {
		_, err := p.idx.ReadAt(b[:4], 1024+24*int64(i))
		return int64(binary.BigEndian.Uint32(b[:])), err == nil
	}
	base := 8 + 1024 + 24*int64(p.count)
	if _, err := p.idx.ReadAt(b[:4], base+4*int64(i)); err != nil {
		return 0, false
	}
	n := binary.BigEndian.Uint32(b[:])
	if n&(1<<31) == 0 {
		return int64(n), true
	}
	if _, err := p.idx.ReadAt(b[:], base+4*int64(p.count)+8*int64(n&(1<<31-1))); err != nil {
		return 0, false
	}
	long := binary.BigEndian.Uint64(b[:])
	return int64(long), long < 1<<62 //nolint:gosec // checked in the same line
}

// withPrefix gives up to limit object names that start with the given hexadecimal digits.
func (p *pack) withPrefix(first schema.OID, match func(schema.OID) bool, limit int) []schema.OID {
	at, end, ok := p.search(first)
	var out []schema.OID
	for ; ok && at < end && len(out) < limit; at++ {
		var have schema.OID
		if !p.nameAt(at, &have) || !match(have) {
			break
		}
		out = append(out, have)
	}
	return out
}

// readPacked reads an object from the packs of d.
func (db *objectDB) readPacked(d *objectDir, id schema.OID) (object, error) {
	var damage error
	for i, p := range d.all() {
		at, ok := p.find(id)
		if !ok {
			continue
		}
		o, err := db.unpack(p, at)
		if err == nil {
			// What is asked for next is most likely in the same pack.
			copy(d.packs[1:i+1], d.packs[:i])
			d.packs[0] = p
			return o, nil
		}
		damage = err
	}
	if damage != nil {
		return object{}, damage
	}
	return object{}, errNoObject
}

// openData opens the pack file itself.
func (p *pack) openData() bool {
	if p.data == nil {
		f, err := os.Open(p.base + ".pack")
		if err != nil {
			return false
		}
		p.data = f
	}
	return true
}

// packDelta is one link of a delta chain that waits for its base.
type packDelta struct {
	at   int64
	data []byte
}

// unpack decodes the object at an offset, its delta chain included.
func (db *objectDB) unpack(p *pack, at int64) (object, error) {
	if !p.openData() {
		return object{}, errNoObject // the pack went away between listing and reading
	}
	var chain []packDelta
	var base object
	for {
		if o, ok := db.cache.get(cacheKey{pack: p, at: at}); ok {
			base = o
			break
		}
		typ, data, ref, ofs, err := db.entry(p, at)
		if err != nil {
			return object{}, err
		}
		if typ <= TagObject {
			base = object{typ: typ, data: data}
			if len(chain) > 0 {
				db.cache.put(cacheKey{pack: p, at: at}, base)
			}
			break
		}
		if len(chain) >= maxDeltaChain {
			return object{}, errDamaged
		}
		chain = append(chain, packDelta{at: at, data: data})
		if typ == refDelta {
			if in, ok := p.find(ref); ok {
				at = in
				continue
			}
			if base, err = db.get(ref); err != nil {
				return object{}, err
			}
			break
		}
		at = ofs
	}
	for i, link := range slices.Backward(chain) {
		data, err := packfile.PatchDelta(base.data, link.data)
		if err != nil {
			return object{}, errors.Join(errDamaged, err)
		}
		if len(data) > maxObject {
			return object{}, errTooLarge
		}
		base = object{typ: base.typ, data: data}
		if i > 0 {
			db.cache.put(cacheKey{pack: p, at: link.at}, base)
		}
	}
	return base, nil
}

// The pack format's two delta types.
const (
	ofsDelta ObjectType = 6
	refDelta ObjectType = 7
)

// entry reads the pack entry at an offset: a whole object, or a delta with its base's name or offset.
func (db *objectDB) entry(p *pack, at int64) (typ ObjectType, data []byte, ref schema.OID, ofs int64, err error) {
	src := io.NewSectionReader(p.data, at, 1<<62-at)
	if p.buf == nil {
		p.buf = bufio.NewReaderSize(src, 4096)
	} else {
		p.buf.Reset(src)
	}
	typ, size, err := entryHeader(p.buf)
	if err != nil || size > maxObject {
		return 0, nil, ref, 0, errDamaged
	}
	switch typ {
	case CommitObject, TreeObject, BlobObject, TagObject:
	case refDelta:
		if _, err := io.ReadFull(p.buf, ref[:]); err != nil {
			return 0, nil, ref, 0, errDamaged
		}
	case ofsDelta:
		back, err := readOfs(p.buf)
		if err != nil || back <= 0 || back > at-12 {
			return 0, nil, ref, 0, errDamaged
		}
		ofs = at - back
	default:
		return 0, nil, ref, 0, errDamaged
	}
	z, err := db.inflate(p.buf)
	if err != nil {
		return 0, nil, ref, 0, errDamaged
	}
	data, err = readSized(z, nil, size)
	return typ, data, ref, ofs, err
}

// entryHeader reads type and inflated size.
func entryHeader(r io.ByteReader) (ObjectType, int64, error) {
	c, err := r.ReadByte()
	if err != nil {
		return 0, 0, err
	}
	typ, size := ObjectType(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); err != nil {
			return 0, 0, err
		}
		if shift > 50 {
			return 0, 0, errDamaged
		}
		size |= int64(c&0x7f) << shift
	}
	return typ, size, nil
}

// readOfs reads the distance back to an offset delta's base.
func readOfs(r io.ByteReader) (int64, error) {
	c, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	n := int64(c & 0x7f)
	for c&0x80 != 0 {
		if c, err = r.ReadByte(); err != nil {
			return 0, err
		}
		if n > 1<<54 {
			return 0, errDamaged
		}
		n = (n+1)<<7 | int64(c&0x7f)
	}
	return n, nil
}
