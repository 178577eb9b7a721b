package gitstore

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // git's pack trailer is SHA-1
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"golang.org/x/sync/errgroup"
)

// packSink counts, hashes and checks what is written to a pack.
type packSink struct {
	w   *bufio.Writer
	sum hash.Hash
	crc uint32
	at  uint64
}

func (s *packSink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	_, _ = s.sum.Write(p[:n])
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p[:n])
	s.at += uint64(n) //nolint:gosec // a count
	return n, err
}

// writePack writes the deflated objects as one pack with its index. Both are synced before they get their names, the pack
// first: a pack without an index is ignored, an index without a pack is damage.
func (b *Batch) writePack(objects []*pendingObject) (err error) {
	dir := filepath.Join(b.r.db.root, "pack")
	if err := b.r.makeDirs(dir); err != nil {
		return err
	}
	b.r.env.step("pack.temp")
	f, err := b.r.newTemp(dir, "tmp_pack_", 0o444)
	if err != nil {
		return err
	}
	packTemp, idxTemp := f.Name(), ""
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(packTemp)
			if idxTemp != "" {
				_ = os.Remove(idxTemp)
			}
		}
	}()
	index := new(idxfile.Writer)
	sum, err := fillPack(f, objects, index)
	if err != nil {
		return err
	}
	if err := index.OnFooter(sum); err != nil {
		return err
	}
	g, err := b.r.newTemp(dir, "tmp_idx_", 0o444)
	if err != nil {
		return err
	}
	idxTemp = g.Name()
	var both errgroup.Group
	both.Go(f.Sync)
	both.Go(func() error { return writeIdx(g, index) })
	if err := both.Wait(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	base := filepath.Join(dir, "pack-"+sum.String())
	b.r.env.step("pack.rename")
	if err := os.Rename(packTemp, base+".pack"); err != nil {
		return err
	}
	b.r.env.step("pack.rename-idx")
	if err := os.Rename(idxTemp, base+".idx"); err != nil {
		return err
	}
	b.r.env.step("pack.sync")
	return syncDir(dir)
}

// fillPack writes header, objects and trailer.
func fillPack(f *os.File, objects []*pendingObject, index *idxfile.Writer) (plumbing.Hash, error) {
	s := &packSink{w: bufio.NewWriterSize(f, 1<<20), sum: sha1.New()} //nolint:gosec // git's pack trailer is SHA-1
	var head [12]byte
	copy(head[:], "PACK")
	binary.BigEndian.PutUint32(head[4:], 2)
	count := uint32(len(objects)) //nolint:gosec // memory ends first
	binary.BigEndian.PutUint32(head[8:], count)
	if err := index.OnHeader(count); err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := s.Write(head[:]); err != nil {
		return plumbing.ZeroHash, err
	}
	for _, o := range objects {
		at := s.at
		s.crc = 0
		if _, err := s.Write(packEntryHeader(o.typ, o.size)); err != nil {
			return plumbing.ZeroHash, err
		}
		if _, err := s.Write(o.deflate); err != nil {
			return plumbing.ZeroHash, err
		}
		index.Add(plumbing.Hash(o.id), at, s.crc)
	}
	var sum plumbing.Hash
	s.sum.Sum(sum[:0])
	if _, err := s.w.Write(sum[:]); err != nil {
		return plumbing.ZeroHash, err
	}
	return sum, s.w.Flush()
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

var _ io.Writer = (*packSink)(nil)
