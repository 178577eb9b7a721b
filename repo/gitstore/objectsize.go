package gitstore

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"git-novel/schema"
)

// size gives type and size of an object, from its header where that says it: a loose file, or a whole object in a pack.
// Deltas are rare among blobs that were written lately and are simply read.
func (db *objectDB) size(id schema.OID) (ObjectType, int64, error) {
	if db.pending == nil {
		for _, d := range db.directories() {
			if typ, n, ok := db.looseSize(d, id); ok {
				return typ, n, nil
			}
			for _, p := range d.all() {
				if typ, n, ok := p.size(id); ok {
					return typ, n, nil
				}
			}
		}
	}
	o, err := db.get(id)
	return o.typ, int64(len(o.data)), err
}

func (db *objectDB) looseSize(d *objectDir, id schema.OID) (ObjectType, int64, bool) {
	f, err := os.Open(loosePath(d.path, id))
	if err != nil {
		return 0, 0, false
	}
	defer func() { _ = f.Close() }()
	z, err := db.inflate(f)
	if err != nil {
		return 0, 0, false
	}
	var head [32]byte
	n, _ := io.ReadFull(z, head[:]) // a short object ends early
	end := bytes.IndexByte(head[:n], 0)
	if end < 0 {
		return 0, 0, false
	}
	word, digits, _ := strings.Cut(string(head[:end]), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	return typeOf(word), size, err == nil && size >= 0 && typeOf(word) != 0
}

// size is the size of an object that is stored whole in the pack.
func (p *pack) size(id schema.OID) (ObjectType, int64, bool) {
	at, ok := p.find(id)
	if !ok || !p.openData() {
		return 0, 0, false
	}
	var head [16]byte
	n, _ := p.data.ReadAt(head[:], at) // the last object may be shorter
	typ, size, err := entryHeader(bytes.NewReader(head[:n]))
	return typ, size, err == nil && typ >= CommitObject && typ <= TagObject
}
