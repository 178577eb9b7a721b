package repo

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// The cache of records maps the tree id of a record folder to the chapter's Evidence, so that the board of a long serial
// parses no record twice. The key is the content, so an entry is never wrong, only unused; a file that is not whole counts
// as absent, and the file can be deleted at any time.
//
// Layout: magic, number of entries, the sorted index (tree id, offset and length of its entry), the entries, and a CRC-32
// of all of it. Reading it is one search in the index for each chapter.
const (
	recordCacheFile  = "records.cache"
	recordCacheMagic = "novel records 1\n"
	indexEntrySize   = 20 + 4 + 4
	maxRecordCache   = 64 << 20
	maxCacheEntries  = 50_000
	// minCacheMisses is how many records have to be parsed before the file is written anew: a transition changes one, and
	// must not pay for 9,999.
	minCacheMisses = 64
)

type recordCache struct {
	data   []byte // nil when there is no valid file
	n      int
	fresh  map[schema.OID]*Evidence
	wanted map[schema.OID]bool // asked for through this handle
}

func (l *Library) openRecordCache() *recordCache {
	c := &recordCache{fresh: map[schema.OID]*Evidence{}, wanted: map[schema.OID]bool{}}
	own, err := l.ownRoot()
	if err != nil {
		return c
	}
	info, err := own.Stat(recordCacheFile)
	if err != nil || info.Size() > maxRecordCache {
		return c
	}
	data, err := own.ReadFile(recordCacheFile)
	if err != nil {
		return c
	}
	c.open(data)
	return c
}

// open takes a file as the cache when it is whole.
func (c *recordCache) open(data []byte) {
	head := len(recordCacheMagic) + 4
	if len(data) < head+4 || string(data[:len(recordCacheMagic)]) != recordCacheMagic {
		return
	}
	body := data[:len(data)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return
	}
	n := int(binary.LittleEndian.Uint32(data[len(recordCacheMagic):]))
	if n < 0 || n > maxCacheEntries || head+n*indexEntrySize > len(body) {
		return
	}
	c.data, c.n = body, n
}

func (c *recordCache) get(tree schema.OID) (*Evidence, bool) {
	c.wanted[tree] = true
	if e, ok := c.fresh[tree]; ok {
		return e, true
	}
	raw, ok := c.find(tree)
	if !ok {
		return nil, false
	}
	e, ok := decodeEvidence(raw)
	return e, ok
}

func (c *recordCache) put(tree schema.OID, e *Evidence) { c.fresh[tree] = e }

func (c *recordCache) find(tree schema.OID) ([]byte, bool) {
	lo, hi := 0, c.n
	for lo < hi {
		mid := (lo + hi) / 2
		id, raw := c.at(mid)
		switch d := bytes.Compare(id, tree[:]); {
		case d == 0:
			return raw, raw != nil
		case d < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil, false
}

func (c *recordCache) at(i int) (id, raw []byte) {
	p := c.data[len(recordCacheMagic)+4+i*indexEntrySize:]
	off, size := int(binary.LittleEndian.Uint32(p[20:])), int(binary.LittleEndian.Uint32(p[24:]))
	if off < 0 || size < 0 || off > len(c.data) || size > len(c.data)-off {
		return p[:20], nil
	}
	return p[:20], c.data[off : off+size]
}

// save writes the file anew when enough is new. It is a cache: what fails is not worth a word.
func (c *recordCache) save(l *Library) {
	if len(c.fresh) < minCacheMisses {
		return
	}
	own, err := l.ownRoot()
	if err != nil {
		return
	}
	if atomicfile.Write(own, recordCacheFile, c.render(), 0o644) == nil {
		c.fresh = map[schema.OID]*Evidence{}
		c.data, c.n = nil, 0
		if data, err := own.ReadFile(recordCacheFile); err == nil {
			c.open(data)
		}
	}
}

func (c *recordCache) render() []byte {
	entries := make(map[schema.OID][]byte, c.n+len(c.fresh))
	for i := range c.n {
		id, raw := c.at(i)
		tree := schema.OID(id)
		if raw != nil && (c.wanted[tree] || c.n+len(c.fresh) <= maxCacheEntries) {
			entries[tree] = raw
		}
	}
	for tree, e := range c.fresh {
		if len(entries) < maxCacheEntries {
			entries[tree] = encodeEvidence(e)
		}
	}
	ids := slices.SortedFunc(maps.Keys(entries), func(a, b schema.OID) int { return bytes.Compare(a[:], b[:]) })
	out := []byte(recordCacheMagic)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(ids))) //nolint:gosec // bounded by maxCacheEntries
	off := len(out) + len(ids)*indexEntrySize
	for _, id := range ids {
		out = append(out, id[:]...)
		out = binary.LittleEndian.AppendUint32(out, uint32(off))              //nolint:gosec // bounded by the size of the records
		out = binary.LittleEndian.AppendUint32(out, uint32(len(entries[id]))) //nolint:gosec // same
		off += len(entries[id])
	}
	for _, id := range ids {
		out = append(out, entries[id]...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}
