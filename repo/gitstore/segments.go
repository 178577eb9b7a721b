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
	"runtime"
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
	if file != nil {
		defer func() { _ = file.Close() }()
	}
	n := (len(o.raw) + segmentSize - 1) / segmentSize
	next := &segmentTable{id: o.id, list: make([]segment, n)}
	parts := make([][]byte, n) // nil for those that are taken over
	zip := b.deflater()
	fresh := func(i int) {
		text := o.segment(i)
		z := zip.take()
		parts[i] = bytes.Clone(z.segment(text))
		z.done()
		s := &next.list[i]
		s.size, s.adler, s.crc = uint32(len(parts[i])), adler32.Checksum(text), crc32.Checksum(parts[i], castagnoli()) //nolint:gosec // about segmentSize
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			s := &next.list[i]
			if s.sum = sha256.Sum256(o.segment(i)); i < len(old.list) && old.list[i].sum == s.sum {
				*s = old.list[i]
				return nil
			}
			fresh(i)
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	size := 64
	for i := range next.list {
		size += int(next.list[i].size)
	}
	head := objectHeader(o.typ, len(o.raw))
	out := append(make([]byte, 0, size), 0x78, 0x01)
	z := zip.take()
	out = append(out, z.segment(head)...)
	z.done()
	sum := adler32.Checksum(head)
	for i := range next.list {
		s := &next.list[i]
		at := len(out)
		if parts[i] == nil {
			if part, ok := s.read(file, out[at:at:cap(out)]); ok {
				out = out[:at+len(part)]
				next.copied.Add(1)
			} else {
				fresh(i)
			}
		}
		out = append(out, parts[i]...)
		s.at = uint32(at) //nolint:gosec // below maxSegments of segmentSize
		sum = joinAdler(sum, s.adler, len(o.segment(i)))
	}
	out = append(out, 0x03, 0x00) // the empty last block
	b.table, b.tablePath = next, o.path
	return binary.BigEndian.AppendUint32(out, sum)
}

// segment is the text of the i-th segment.
func (o *pendingObject) segment(i int) []byte {
	return o.raw[i*segmentSize : min((i+1)*segmentSize, len(o.raw))]
}

// read reads the deflated segment from the object file of the last version into buf.
func (s *segment) read(file *os.File, buf []byte) ([]byte, bool) {
	if file == nil || int(s.size) > cap(buf) {
		return nil, false
	}
	part := buf[:s.size]
	n, err := file.ReadAt(part, int64(s.at))
	return part, err == nil && n == len(part) && crc32.Checksum(part, castagnoli()) == s.crc
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

// lastSegments reads where the segments of the last version of a path lie, and opens the object file they lie in.
func (r *Repo) lastSegments(path string) (*segmentTable, *os.File) {
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
	file, err := os.Open(loosePath(r.db.root, t.id))
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
