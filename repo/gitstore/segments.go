package gitstore

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // names a cache file, not a secret
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/adler32"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"git-novel/schema"
)

// A large file that changes in one place from commit to commit, such as the summaries of a finished serial, is deflated in
// segments that stand alone: those that did not change are copied from the object of the last version. What git reads is an
// ordinary zlib stream of several blocks. Where the segments of the last version lie is remembered in a cache file of the
// path; the file can be deleted, and everything in it is checked before it is used: the text of a segment by its SHA-256,
// its deflated bytes by their CRC.
const (
	segmentSize  = 128 << 10
	segmentedMin = 256 << 10 // smaller blobs are deflated in one go
	segmentMagic = "novel segments 1\n"
	maxSegments  = 1 << 14
	segmentEntry = sha256.Size + 4*4
)

// segment is one part of a deflated blob.
type segment struct {
	sum   [sha256.Size]byte // of its text
	at    uint32            // in the object file
	size  uint32            // deflated
	adler uint32            // of its text
	crc   uint32            // of the deflated bytes
}

// segmentTable says where the segments of one object lie.
type segmentTable struct {
	id     schema.OID
	list   []segment
	copied atomic.Int32 // segments taken from the last version
}

// deflateSegments gives the object file of a large blob, taking from the last version at path what it can.
func (b *Batch) deflateSegments(o *pendingObject) []byte {
	old, file := b.r.lastSegments(o.path)
	n := (len(o.raw) + segmentSize - 1) / segmentSize
	next := &segmentTable{id: o.id, list: make([]segment, n)}
	parts := make([][]byte, n)
	zip := b.deflater()
	var g errgroup.Group
	for i := range n {
		text := o.raw[i*segmentSize : min((i+1)*segmentSize, len(o.raw))]
		g.Go(func() error {
			z := zip.take()
			defer z.done()
			s := &next.list[i]
			s.sum = sha256.Sum256(text)
			if i < len(old.list) && old.list[i].sum == s.sum {
				if part, ok := old.list[i].bytes(file); ok {
					parts[i], s.adler, s.crc = part, old.list[i].adler, old.list[i].crc
					next.copied.Add(1)
					return nil
				}
			}
			parts[i] = bytes.Clone(z.segment(text))
			s.adler, s.crc = adler32.Checksum(text), crc32.Checksum(parts[i], castagnoli())
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	head := objectHeader(o.typ, len(o.raw))
	z := zip.take()
	out := append([]byte{0x78, 0x01}, z.segment(head)...)
	z.done()
	sum := adler32.Checksum(head)
	for i, part := range parts {
		s := &next.list[i]
		s.at, s.size = uint32(len(out)), uint32(len(part)) //nolint:gosec // below maxSegments of segmentSize
		out = append(out, part...)
		sum = joinAdler(sum, s.adler, min(segmentSize, len(o.raw)-i*segmentSize))
	}
	out = append(out, 0x03, 0x00) // the empty last block
	b.table, b.tablePath = next, o.path
	return binary.BigEndian.AppendUint32(out, sum)
}

// bytes cuts the deflated segment out of the object file of the last version.
func (s segment) bytes(file []byte) ([]byte, bool) {
	if int64(s.at)+int64(s.size) > int64(len(file)) {
		return nil, false
	}
	part := file[s.at : s.at+s.size]
	return part, crc32.Checksum(part, castagnoli()) == s.crc
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// joinAdler gives the Adler-32 of two texts in a row from those of each; size is the length of the second in bytes.
func joinAdler(first, second uint32, size int) uint32 {
	const mod = 65521
	n := uint32(size % mod) //nolint:gosec // below mod
	a1, b1 := first&0xffff, first>>16
	a2, b2 := second&0xffff, second>>16
	a := (a1 + a2 + mod - 1) % mod
	b := (uint64(b1) + uint64(b2) + uint64(n)*uint64(a1+mod-1)) % mod
	return uint32(b)<<16 | a //nolint:gosec // below mod
}

// segmentFile is the cache file of a path, "" when there is no folder for it.
func (r *Repo) segmentFile(path string) string {
	if r.env.Cache == "" || path == "" {
		return ""
	}
	sum := sha1.Sum([]byte(path)) //nolint:gosec // a name
	return filepath.Join(r.env.Cache, "segments-"+hex.EncodeToString(sum[:8]))
}

// lastSegments reads where the segments of the last version of a path lie, and the object file they lie in.
func (r *Repo) lastSegments(path string) (*segmentTable, []byte) {
	name := r.segmentFile(path)
	if name == "" {
		return &segmentTable{}, nil
	}
	data, err := readBounded(name, int64(len(segmentMagic)+24+maxSegments*segmentEntry+4))
	if err != nil {
		return &segmentTable{}, nil
	}
	t, ok := parseSegments(data)
	if !ok {
		return &segmentTable{}, nil
	}
	file, err := readBounded(loosePath(r.db.root, t.id), maxObject)
	if err != nil {
		return &segmentTable{}, nil // git has packed it
	}
	return t, file
}

func parseSegments(data []byte) (*segmentTable, bool) {
	t := &segmentTable{}
	body := len(data) - 4
	if body < len(segmentMagic)+len(t.id) || string(data[:len(segmentMagic)]) != segmentMagic ||
		crc32.Checksum(data[:body], castagnoli()) != binary.LittleEndian.Uint32(data[body:]) {
		return t, false
	}
	rest := data[len(segmentMagic):body]
	rest = rest[copy(t.id[:], rest):]
	if len(rest)%segmentEntry != 0 {
		return t, false
	}
	for ; len(rest) > 0; rest = rest[segmentEntry:] {
		s := segment{sum: [sha256.Size]byte(rest)}
		u := func(i int) uint32 { return binary.LittleEndian.Uint32(rest[sha256.Size+4*i:]) }
		s.at, s.size, s.adler, s.crc = u(0), u(1), u(2), u(3)
		t.list = append(t.list, s)
	}
	return t, true
}

// rememberSegments writes the table of the object that was deflated in segments, once it has its name. It is a cache: what
// fails is not worth a word.
func (b *Batch) rememberSegments() {
	if b.table == nil {
		return
	}
	t, name := b.table, b.r.segmentFile(b.tablePath)
	b.table = nil
	if name == "" || len(t.list) > maxSegments {
		return
	}
	out := append([]byte(segmentMagic), t.id[:]...)
	for i := range t.list {
		s := &t.list[i]
		out = append(out, s.sum[:]...)
		for _, v := range []uint32{s.at, s.size, s.adler, s.crc} {
			out = binary.LittleEndian.AppendUint32(out, v)
		}
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli()))
	f, err := b.r.newTemp(filepath.Dir(name), "tmp_segments_", 0o644)
	if err != nil {
		return
	}
	_, err = f.Write(out)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil || os.Rename(f.Name(), name) != nil {
		_ = os.Remove(f.Name())
	}
}
