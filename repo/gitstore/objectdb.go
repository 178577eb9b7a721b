package gitstore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zlib"

	"git-novel/schema"
)

// maxObject bounds the size of one object that is read into memory.
const maxObject = 512 << 20

// errNoObject is the internal "not here".
var errNoObject = errors.New("no such object")

// errDamaged is the cause when stored bytes cannot be decoded.
var errDamaged = errors.New("the stored object is damaged")

// object is a decoded object.
type object struct {
	typ  ObjectType
	data []byte
}

// objectDB finds objects: loose files and packs, then those of alternates. When an object
// is nowhere, the pack directories are listed again once: a concurrent "git gc" may have moved it.
type objectDB struct {
	dirs  []*objectDir // nil until first use; the first is our own
	root  string
	extra []string // further directories, see Repo.AddObjects
	cache *objectCache
	// packFirst is where the last object was found: the next one is most likely in the same kind of place.
	packFirst bool
	inflat    io.ReadCloser // reused zlib reader
	// pending holds the objects of a batch that are not written yet; see Batch.Reader.
	pending func(schema.OID) (object, bool, error)
}

// objectDir is one objects directory with its packs.
type objectDir struct {
	path   string
	packs  []*pack
	listed bool
}

func newObjectDB(commonDir string) *objectDB {
	return &objectDB{root: filepath.Join(commonDir, "objects"), cache: newObjectCache(32 << 20)}
}

func (db *objectDB) close() {
	for _, d := range db.dirs {
		for _, p := range d.packs {
			p.close()
		}
	}
	db.dirs = nil
}

// directories lists our objects directory and its alternates, depth first like git, each once.
func (db *objectDB) directories() []*objectDir {
	if db.dirs != nil {
		return db.dirs
	}
	seen := map[string]bool{}
	var add func(path string, depth int)
	add = func(path string, depth int) {
		if seen[path] || depth > 5 {
			return
		}
		seen[path] = true
		db.dirs = append(db.dirs, &objectDir{path: path})
		data, err := readBounded(filepath.Join(path, "info", "alternates"), maxSmallFile)
		if err != nil {
			return
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			line = strings.TrimRight(line, "\r")
			if line == "" || line[0] == '#' {
				continue
			}
			if strings.HasPrefix(line, `"`) {
				if s, err := strconv.Unquote(line); err == nil {
					line = s
				}
			}
			if next := absFrom(path, line); isDir(next) {
				add(next, depth+1)
			}
		}
	}
	add(db.root, 0)
	for _, path := range db.extra {
		add(path, 0)
	}
	return db.dirs
}

// AddObjects makes the repository read objects from further directories too. git keeps the objects of a push in such a
// place of their own until its pre-receive hook has agreed.
func (r *Repo) AddObjects(dirs ...string) {
	r.db.close()
	for _, d := range dirs {
		r.db.extra = append(r.db.extra, realPath(d))
	}
}

// get reads an object.
func (db *objectDB) get(id schema.OID) (object, error) {
	if db.pending != nil {
		if o, ok, err := db.pending(id); ok || err != nil {
			return o, err
		}
	}
	if o, ok := db.cache.get(cacheKey{id: id}); ok {
		return o, nil
	}
	o, err := db.find(id)
	if err == nil && o.typ != BlobObject {
		db.cache.put(cacheKey{id: id}, o)
	}
	if errors.Is(err, errNoObject) && id == EmptyTree() {
		return object{typ: TreeObject}, nil
	}
	return o, err
}

func (db *objectDB) find(id schema.OID) (object, error) {
	var damage error
	for round := range 2 {
		for _, d := range db.directories() {
			if round == 1 {
				d.list()
			}
			for range 2 {
				o, err := db.read(d, id)
				if err == nil {
					return o, nil
				}
				if !errors.Is(err, errNoObject) {
					damage = err // another copy may be sound
				}
				db.packFirst = !db.packFirst
			}
		}
	}
	if damage != nil {
		return object{}, damage
	}
	return object{}, errNoObject
}

// read looks in one of the two places of a directory.
func (db *objectDB) read(d *objectDir, id schema.OID) (object, error) {
	if db.packFirst {
		return db.readPacked(d, id)
	}
	return db.readLoose(d, id)
}

// has tells where an object lies without reading it: the loose file or the pack that holds it. Without again the pack
// directories are not listed anew, which is enough for a writer: writing an object twice does no harm.
func (db *objectDB) has(id schema.OID, again bool) (file string, ok bool) {
	for round := range 2 {
		if round == 1 && !again {
			break
		}
		for _, d := range db.directories() {
			if round == 1 {
				d.list()
			}
			loose := loosePath(d.path, id)
			if _, err := os.Lstat(loose); err == nil {
				return loose, true
			}
			for _, p := range d.all() {
				if _, ok := p.find(id); ok {
					return p.base + ".pack", true
				}
			}
		}
	}
	return "", false
}

func loosePath(dir string, id schema.OID) string {
	s := id.String()
	return filepath.Join(dir, s[:2], s[2:])
}

// readLoose reads a loose object file.
func (db *objectDB) readLoose(d *objectDir, id schema.OID) (object, error) {
	raw, err := readBounded(loosePath(d.path, id), maxObject)
	if errors.Is(err, fs.ErrNotExist) {
		return object{}, errNoObject
	}
	if err != nil {
		return object{}, err
	}
	z, err := db.inflate(bytes.NewReader(raw))
	if err != nil {
		return object{}, errDamaged
	}
	var head [32]byte
	n, err := io.ReadAtLeast(z, head[:], 8)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return object{}, errDamaged
	}
	end := bytes.IndexByte(head[:n], 0)
	if end < 0 {
		return object{}, errDamaged
	}
	word, digits, _ := strings.Cut(string(head[:end]), " ")
	typ := typeOf(word)
	size, err := strconv.ParseInt(digits, 10, 64)
	if typ == 0 || err != nil || size < 0 || size > maxObject {
		return object{}, errDamaged
	}
	data, err := readSized(z, head[end+1:n], size)
	if err != nil {
		return object{}, err
	}
	return object{typ: typ, data: data}, nil
}

// readSized reads exactly size bytes, of which the first are already there, and checks that the stream ends with them.
func readSized(z io.Reader, first []byte, size int64) ([]byte, error) {
	if int64(len(first)) > size {
		return nil, errDamaged
	}
	// The size is a claim of the file: large buffers grow with the bytes that really come.
	buf := bytes.NewBuffer(make([]byte, 0, min(size, 1<<20)+bytes.MinRead))
	buf.Write(first)
	if _, err := buf.ReadFrom(io.LimitReader(z, size-int64(len(first))+1)); err != nil {
		return nil, errDamaged
	}
	if int64(buf.Len()) != size {
		return nil, errDamaged
	}
	return buf.Bytes(), nil
}

// inflate resets the shared zlib reader.
func (db *objectDB) inflate(src io.Reader) (io.Reader, error) {
	if db.inflat == nil {
		z, err := zlib.NewReader(src)
		if err != nil {
			return nil, err
		}
		db.inflat = z
		return z, nil
	}
	err := db.inflat.(zlib.Resetter).Reset(src, nil)
	return db.inflat, err
}

func typeOf(word string) ObjectType {
	switch word {
	case "blob":
		return BlobObject
	case "tree":
		return TreeObject
	case "commit":
		return CommitObject
	case "tag":
		return TagObject
	default:
		return 0
	}
}
