package gitstore

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's object names are SHA-1
	"strconv"
	"sync"

	"git-novel/schema"
)

// PackThreshold is the number of new objects from which a batch is written as one pack instead of loose files. A
// transition makes some twenty objects and stays below it, so that libraries without the git program, where nobody
// repacks, do not fill up with tiny packs.
const PackThreshold = 64

// spillSize is the number of bytes from which a batch goes to disk as it grows, so that a whole novel does not have to
// fit into memory. What a hook or a check builds only to look at stays below it.
const spillSize = 8 << 20

// Batch collects new objects and writes them together. None of them is visible before Flush. A batch that is given up
// must be told so with Discard.
type Batch struct {
	r       *Repo
	objects []*pendingObject
	byID    map[schema.OID]*pendingObject
	held    int         // bytes of the objects in memory
	scratch bool        // built only to be read: never goes to disk
	pack    *packWriter // set once the batch goes to disk
	zip     *deflater
	group   sync.WaitGroup  // objects on their way into the pack
	safe    map[string]bool // object files found to hold some of our objects, and made durable

	table     *segmentTable // of the blob that was deflated in segments
	tablePath string
}

// pendingObject is an object that is not visible yet. The bytes of blobs are dropped once they are in the pack; those of
// trees are read again by PatchTree.
type pendingObject struct {
	id      schema.OID
	typ     ObjectType
	size    int
	raw     []byte
	packed  bool   // it lies in the unfinished pack
	at      int64  // where
	written bool   // it was stored before
	path    string // of a large blob, where PatchTree put it
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
	b.held += len(data)
	switch {
	case b.scratch:
	case b.pack != nil:
		b.intoPack(o)
	case b.held >= spillSize:
		b.startPack()
	}
	return id
}

// startPack opens the pack and sends all objects on their way into it.
func (b *Batch) startPack() {
	b.pack = newPackWriter(b.r)
	for _, o := range b.objects {
		b.intoPack(o)
	}
}

// intoPack deflates an object and appends it to the pack in the background; it waits when enough others are under way.
// Errors are kept by the pack and reported by Flush.
func (b *Batch) intoPack(o *pendingObject) {
	if o.written = b.stored(o.id); o.written {
		return
	}
	z := b.deflater().take()
	p := b.pack
	b.group.Go(func() {
		defer z.done()
		o.at = p.append(o, z.deflate(nil, o.raw))
		o.packed = true
		if o.typ == BlobObject {
			o.raw = nil
		}
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
	b.group.Wait()
	switch {
	case o.raw != nil || o.size == 0:
		return object{typ: o.typ, data: o.raw}, true, nil
	case !o.packed:
		return object{}, false, nil // stored before
	}
	data, err := b.pack.read(o)
	if err != nil {
		return object{}, false, damaged(id, err)
	}
	return object{typ: o.typ, data: data}, true, nil
}

// Flush writes the objects that are not stored yet and returns when they are durable: loose files, or one pack from
// PackThreshold objects on. After an error nothing that was half written is visible.
func (b *Batch) Flush(ctx context.Context) error {
	if b.pack == nil {
		fresh := b.objects[:0]
		for _, o := range b.objects {
			if !b.stored(o.id) {
				fresh = append(fresh, o)
			}
		}
		b.objects = fresh
	}
	if err := ctx.Err(); err != nil {
		return schema.Wrap(err, schema.CodeInterrupted, "interrupted before the objects were written")
	}
	if b.pack == nil && len(b.objects) >= PackThreshold {
		b.startPack()
	}
	var err error
	if b.pack != nil {
		b.group.Wait()
		err = b.pack.finish()
	} else if len(b.objects) > 0 {
		err = b.writeLoose(b.objects)
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write git objects into %s", b.r.db.root)
	}
	b.Discard()
	return nil
}

// Discard gives up what was not flushed and removes its temporary file. After Flush it does nothing.
func (b *Batch) Discard() {
	b.group.Wait()
	if b.pack != nil {
		b.pack.discard()
	}
	b.objects, b.pack, b.held = nil, nil, 0
	clear(b.byID)
}
