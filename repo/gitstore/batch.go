package gitstore

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git's object names are SHA-1
	"io"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zlib"

	"git-novel/schema"
)

// PackThreshold is the number of new objects from which a batch is written as one pack instead of loose files. A
// transition makes some twenty objects and stays below it, so that libraries without the git program, where nobody
// repacks, do not fill up with tiny packs.
const PackThreshold = 64

// Batch collects new objects and writes them together. Nothing is on disk before Flush.
type Batch struct {
	r       *Repo
	objects []*pendingObject
	byID    map[schema.OID]*pendingObject
	packing bool // the batch is large enough to become a pack, and its objects are deflated as they come
	zip     *deflater
	group   sync.WaitGroup
	safe    map[string]bool // object files found to hold some of our objects, and made durable
}

// pendingObject is an object that is not written yet. In a pack the bytes of blobs are dropped once deflated, so that a
// whole novel does not have to fit into memory twice.
type pendingObject struct {
	id      schema.OID
	typ     ObjectType
	size    int
	raw     []byte
	deflate []byte
	written bool
}

// NewBatch starts an empty batch.
func (r *Repo) NewBatch() *Batch {
	return &Batch{r: r, byID: map[schema.OID]*pendingObject{}, safe: map[string]bool{}}
}

// Len is the number of distinct objects that wait for Flush.
func (b *Batch) Len() int { return len(b.byID) }

// Blob adds a file's bytes, which must not be changed afterwards.
func (b *Batch) Blob(data []byte) schema.OID { return b.add(BlobObject, data) }

// Tree adds a folder. The entries may come in any order; names that git forbids, duplicates and bad modes are all
// reported at once (CodeInvalid).
func (b *Batch) Tree(entries []Entry) (schema.OID, error) {
	data, err := encodeTree(entries)
	if err != nil {
		return schema.OID{}, err
	}
	return b.add(TreeObject, data), nil
}

// Commit adds a commit from its fields; ID and Raw are ignored.
func (b *Batch) Commit(c *Commit) (schema.OID, error) {
	data, err := encodeCommit(c)
	if err != nil {
		return schema.OID{}, err
	}
	return b.add(CommitObject, data), nil
}

// Raw adds an object that is already in git's form, e.g. one read from another repository.
func (b *Batch) Raw(t ObjectType, data []byte) (schema.OID, error) {
	if t < CommitObject || t > TagObject {
		return schema.OID{}, schema.Errorf(schema.CodeUnexpected, "an object of unknown type was to be written")
	}
	return b.add(t, data), nil
}

func (b *Batch) add(t ObjectType, data []byte) schema.OID {
	id := hashObject(t, data)
	if _, ok := b.byID[id]; ok {
		return id
	}
	o := &pendingObject{id: id, typ: t, size: len(data), raw: data}
	b.byID[id] = o
	b.objects = append(b.objects, o)
	switch {
	case b.packing:
		b.deflateLater(o)
	case len(b.objects) >= PackThreshold:
		b.packing = true
		for _, o := range b.objects {
			b.deflateLater(o)
		}
	}
	return id
}

// deflateLater compresses an object for the pack in the background; it waits when enough others are under way.
func (b *Batch) deflateLater(o *pendingObject) {
	if o.written = b.stored(o.id); o.written {
		return
	}
	z := b.deflater().take()
	b.group.Go(func() {
		o.deflate = z.deflate(nil, o.raw)
		if o.typ == BlobObject {
			o.raw = nil
		}
		z.done()
	})
}

// stored reports that the object is there already, and makes sure that it stays.
func (b *Batch) stored(id schema.OID) bool {
	file, ok := b.r.db.has(id, false)
	if !ok || b.safe[file] {
		return ok
	}
	b.safe[file] = refresh(file, b.r.env.Clock())
	return b.safe[file]
}

func (b *Batch) deflater() *deflater {
	if b.zip == nil {
		b.zip = newDeflater()
	}
	return b.zip
}

// hashObject gives the object's name.
func hashObject(t ObjectType, data []byte) schema.OID {
	h := sha1.New() //nolint:gosec // git's object names are SHA-1
	_, _ = h.Write(objectHeader(t, len(data)))
	_, _ = h.Write(data)
	var id schema.OID
	h.Sum(id[:0])
	return id
}

func objectHeader(t ObjectType, size int) []byte {
	b := make([]byte, 0, 24)
	b = append(b, t.String()...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(size), 10)
	return append(b, 0)
}

// treeData reads a tree of the batch or of the store.
func (b *Batch) treeData(id schema.OID) ([]byte, error) {
	if o, ok := b.byID[id]; ok && o.typ == TreeObject {
		return o.raw, nil
	}
	return b.r.treeData(id)
}

// Reader is a view of the repository in which the objects of the batch can already be read. It shares the open files of
// the repository and must not be closed.
func (b *Batch) Reader() *Repo {
	view := *b.r
	db := *b.r.db
	db.dirs = b.r.db.directories()
	db.pending = b.object
	view.db = &db
	return &view
}

func (b *Batch) object(id schema.OID) (object, bool, error) {
	o, ok := b.byID[id]
	if !ok {
		return object{}, false, nil
	}
	if o.raw != nil || o.size == 0 {
		return object{typ: o.typ, data: o.raw}, true, nil
	}
	b.group.Wait()
	z, err := zlib.NewReader(bytes.NewReader(o.deflate))
	if err != nil {
		return object{}, false, damaged(id, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return object{}, false, damaged(id, err)
	}
	return object{typ: o.typ, data: data}, true, nil
}

// Flush writes the objects that are not stored yet and returns when they are durable: loose files, or one pack from
// PackThreshold objects on. After an error nothing that was half written is visible.
func (b *Batch) Flush(ctx context.Context) error {
	b.group.Wait()
	var fresh []*pendingObject
	for _, o := range b.objects {
		if o.written {
			continue
		}
		if !b.packing && b.stored(o.id) {
			continue
		}
		fresh = append(fresh, o)
	}
	if err := ctx.Err(); err != nil {
		return schema.Wrap(err, schema.CodeInterrupted, "interrupted before the objects were written")
	}
	if len(fresh) == 0 {
		b.reset()
		return nil
	}
	var err error
	if b.packing {
		err = b.writePack(fresh)
	} else {
		err = b.writeLoose(fresh)
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write git objects into %s", b.r.db.root)
	}
	b.reset()
	return nil
}

// reset forgets the objects, which are stored now. The pack list may lack the new pack, which the next miss repairs.
func (b *Batch) reset() {
	b.objects, b.packing = nil, false
	clear(b.byID)
}
