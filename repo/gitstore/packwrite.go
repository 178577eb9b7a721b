package gitstore

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // git's pack trailer is SHA-1
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/klauspost/compress/zlib"
	"golang.org/x/sync/errgroup"
)

// packWriter is a pack that grows in a temporary file. Objects come from several goroutines.
type packWriter struct {
	r     *Repo
	mu    sync.Mutex
	f     *os.File // nil after finish and discard
	buf   *bufio.Writer
	at    int64
	count uint32
	index idxfile.Writer
	err   error // the first one; later appends do nothing
}

// newPackWriter creates the temporary file. An error waits for finish.
func newPackWriter(r *Repo) *packWriter {
	p := &packWriter{r: r}
	dir := filepath.Join(r.db.root, "pack")
	if p.err = r.makeDirs(dir); p.err != nil {
		return p
	}
	r.env.step("pack.temp")
	if p.f, p.err = r.newTemp(dir, tempPack, 0o444); p.err != nil {
		return p
	}
	p.buf = bufio.NewWriterSize(p.f, 1<<20)
	p.write(make([]byte, packHeader)) // the count is not known yet
	return p
}

// tempPack begins the name of a pack that is being written. git's own prune knows the first part of it and removes what a
// crash left, in two weeks.
const tempPack = "tmp_pack_novel_"

// RemoveTempPacks removes packs that a process which was killed did not finish. No other process of ours may be writing into
// the repository.
func (r *Repo) RemoveTempPacks() {
	dir := filepath.Join(r.db.root, "pack")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPack) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// packHeader is the size of a pack's header: signature, version, number of objects.
const packHeader = 12

// write appends bytes unless something failed before.
func (p *packWriter) write(b []byte) {
	if p.err == nil {
		_, p.err = p.buf.Write(b)
		p.at += int64(len(b))
	}
}

// append adds an object with its deflated bytes and gives its place.
func (p *packWriter) append(o *pendingObject, deflated []byte) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, head := p.at, packEntryHeader(o.typ, o.size)
	p.write(head)
	p.write(deflated)
	crc := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, deflated)
	p.index.Add(plumbing.Hash(o.id), uint64(at), crc) //nolint:gosec // an offset
	p.count++
	return at
}

// read gives back an object of the unfinished pack.
func (p *packWriter) read(o *pendingObject) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = p.buf.Flush()
	}
	if p.err != nil {
		return nil, p.err
	}
	at := o.at + int64(len(packEntryHeader(o.typ, o.size)))
	z, err := zlib.NewReader(bufio.NewReader(io.NewSectionReader(p.f, at, p.at-at)))
	if err != nil {
		return nil, err
	}
	return readSized(z, nil, int64(o.size))
}

// finish completes the pack, writes its index, syncs both and gives them their names, the pack first: a pack without an
// index is ignored, an index without a pack is damage. A batch whose objects were all stored before leaves no pack.
func (p *packWriter) finish() error {
	if p.err != nil || p.count == 0 {
		return p.err
	}
	sum, err := p.seal()
	if err != nil {
		return err
	}
	if err := p.index.OnFooter(sum); err != nil {
		return err
	}
	dir := filepath.Dir(p.f.Name())
	idx, err := p.r.newTemp(dir, "tmp_idx_", 0o444)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(idx.Name()) }() // gone already when all went well
	var both errgroup.Group
	both.Go(p.f.Sync)
	both.Go(func() error { return writeIdx(idx, &p.index) })
	if err := both.Wait(); err != nil {
		return err
	}
	temp := p.f.Name()
	if err := p.f.Close(); err != nil {
		return err
	}
	base := filepath.Join(dir, "pack-"+sum.String())
	p.r.env.step("pack.rename")
	if err := os.Rename(temp, base+".pack"); err != nil {
		return err
	}
	p.f = nil
	p.r.env.step("pack.rename-idx")
	if err := os.Rename(idx.Name(), base+".idx"); err != nil {
		return err
	}
	p.r.env.step("pack.sync")
	return syncDir(dir)
}

// seal writes header and trailer. The trailer covers the header, so the file is read once more for it.
func (p *packWriter) seal() (sum plumbing.Hash, err error) {
	if err := p.buf.Flush(); err != nil {
		return sum, err
	}
	var head [packHeader]byte
	copy(head[:], "PACK")
	binary.BigEndian.PutUint32(head[4:], 2)
	binary.BigEndian.PutUint32(head[8:], p.count)
	if _, err := p.f.WriteAt(head[:], 0); err != nil {
		return sum, err
	}
	h := sha1.New() //nolint:gosec // git's pack trailer is SHA-1
	if _, err := io.CopyBuffer(h, io.NewSectionReader(p.f, 0, p.at), make([]byte, 1<<18)); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	_, err = p.f.WriteAt(sum[:], p.at)
	return sum, err
}

// discard removes the temporary file of an unfinished pack.
func (p *packWriter) discard() {
	if p.f == nil {
		return
	}
	_ = p.f.Close() // after a failed rename it is closed already
	_ = os.Remove(p.f.Name())
	p.f = nil
}

// packEntryHeader is type and size: four bits of size, then seven a byte.
func packEntryHeader(t ObjectType, size int) []byte {
	c := byte(t)<<4 | byte(size&15)
	size >>= 4
	var out []byte
	for size > 0 {
		out = append(out, c|0x80)
		c = byte(size & 0x7f)
		size >>= 7
	}
	return append(out, c)
}

// writeIdx writes, syncs and closes the index of a pack.
func writeIdx(f *os.File, w *idxfile.Writer) error {
	index, err := w.Index()
	if err == nil {
		buf := bufio.NewWriterSize(f, 1<<18)
		if _, err = idxfile.NewEncoder(buf).Encode(index); err == nil {
			err = buf.Flush()
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
