package gitstore

import (
	"context"
	"iter"
	"os"
	"time"

	"git-novel/schema"
)

type Location struct {
	GitDir    string
	CommonDir string
	WorkTree  string
}

type Env struct {
	Home          string
	XDGConfigHome string
	Getenv        func(string) string
	Clock         func() time.Time
	Failpoint     func(name string)
}

type Repo struct{}

type Config struct{}

var errLater = schema.Errorf(schema.CodeUnexpected, "unfinished")

func Discover(dir string) (Location, error)                    { return Location{}, errLater }
func Open(loc Location, env Env) (*Repo, error)                { return nil, errLater }
func Create(dir, branch string, env Env) (*Repo, error)        { return nil, errLater }
func CreateBare(dir, branch string, env Env) (*Repo, error)    { return nil, errLater }
func (r *Repo) Close() error                                   { return nil }
func (r *Repo) Location() Location                             { return Location{} }
func (r *Repo) Config() *Config                                { return nil }
func (r *Repo) SetConfig(key, value string) error              { return errLater }
func (r *Repo) UnsetConfig(key string) error                   { return errLater }
func (c *Config) Get(key string) (string, bool)                { return "", false }
func (c *Config) All(key string) []string                      { return nil }
func (c *Config) Bool(key string, def bool) bool               { return def }
func (c *Config) Int(key string, def int) int                  { return def }
func (r *Repo) Identity() (author, committer Ident, err error) { return Ident{}, Ident{}, errLater }

func (r *Repo) Blob(id schema.OID) ([]byte, error)            { return nil, errLater }
func (r *Repo) BlobSize(id schema.OID) (int64, error)         { return 0, errLater }
func (r *Repo) Tree(id schema.OID) ([]Entry, error)           { return nil, errLater }
func (r *Repo) Commit(id schema.OID) (*Commit, error)         { return nil, errLater }
func (r *Repo) Raw(id schema.OID) (ObjectType, []byte, error) { return 0, nil, errLater }
func (r *Repo) Has(id schema.OID) bool                        { return false }
func (r *Repo) Lookup(root schema.OID, path string) (Entry, bool, error) {
	return Entry{}, false, errLater
}
func (r *Repo) Walk(root schema.OID, dir string, fn func(path string, e Entry) error) error {
	return errLater
}

type Change struct {
	Path     string
	Old, New Entry
}

func (r *Repo) Diff(a, b schema.OID, prefix string, fn func(Change) error) error { return errLater }
func (r *Repo) Log(from schema.OID, fn func(*Commit) (more bool, err error)) error {
	return errLater
}
func (r *Repo) LogTips(tips []schema.OID, hide func(schema.OID) bool, fn func(*Commit) (more bool, err error)) error {
	return errLater
}
func (r *Repo) IsAncestor(a, b schema.OID) (bool, error) { return false, errLater }
func (r *Repo) MergeBase(a, b schema.OID) (schema.OID, bool, error) {
	return schema.OID{}, false, errLater
}
func (c *Commit) Signature() (sig string, payload []byte, signed bool) { return "", nil, false }

type Batch struct{}

type Edit struct {
	Path   string
	Mode   Mode
	ID     schema.OID
	Delete bool
}

const PackThreshold = 256

func (r *Repo) NewBatch() *Batch                                   { return nil }
func (b *Batch) Blob(data []byte) schema.OID                       { return schema.OID{} }
func (b *Batch) Tree(entries []Entry) (schema.OID, error)          { return schema.OID{}, errLater }
func (b *Batch) Commit(c *Commit) (schema.OID, error)              { return schema.OID{}, errLater }
func (b *Batch) Raw(t ObjectType, data []byte) (schema.OID, error) { return schema.OID{}, errLater }
func (b *Batch) PatchTree(root schema.OID, edits []Edit) (schema.OID, error) {
	return schema.OID{}, errLater
}
func (b *Batch) IndexTree(ix *Index) (schema.OID, error) { return schema.OID{}, errLater }
func (b *Batch) Reader() *Repo                           { return nil }
func (b *Batch) Len() int                                { return 0 }
func (b *Batch) Flush(ctx context.Context) error         { return errLater }

type Head struct {
	Ref              string
	ID               schema.OID
	Detached, Unborn bool
}

type Ref struct {
	Name   string
	ID     schema.OID
	Target string
}

type RefUpdate struct {
	Name     string
	Old, New schema.OID
	Reflog   string
	By       Ident
}

type RefLocks struct{}

type ReflogEntry struct {
	Old, New schema.OID
	By       Ident
	Message  string
}

func (r *Repo) Head() (Head, error)                                  { return Head{}, errLater }
func (r *Repo) Ref(name string) (schema.OID, bool, error)            { return schema.OID{}, false, errLater }
func (r *Repo) Refs(prefix string) ([]Ref, error)                    { return nil, errLater }
func (r *Repo) Reflog(name string) ([]ReflogEntry, error)            { return nil, errLater }
func (r *Repo) ResolveRev(rev string) (schema.OID, error)            { return schema.OID{}, errLater }
func (r *Repo) LockRefs(updates []RefUpdate) (*RefLocks, error)      { return nil, errLater }
func (l *RefLocks) Commit() error                                    { return errLater }
func (l *RefLocks) Rollback()                                        {}
func (r *Repo) Busy() (op string, busy bool)                         { return "", false }
func (r *Repo) Foreign(paths []string) (reason string, foreign bool) { return "", false }
func CheckRefName(name string) error                                 { return errLater }

type Index struct {
	Unsupported string
	Version     int
}

type IndexEntry struct {
	Path                                   string
	ID                                     schema.OID
	Mode                                   Mode
	Stage                                  int
	Size                                   uint32
	CTimeSec, CTimeNsec                    uint32
	MTimeSec, MTimeNsec                    uint32
	Dev, Ino, UID, GID                     uint32
	SkipWorktree, IntentToAdd, AssumeValid bool
}

type IndexEdit struct {
	Path   string
	Mode   Mode
	ID     schema.OID
	Stat   os.FileInfo
	Delete bool
}

type IndexLock struct{}

func (r *Repo) ReadIndex() (*Index, error)                       { return nil, errLater }
func (r *Repo) ReadIndexAt(file string) (*Index, error)          { return nil, errLater }
func (ix *Index) Len() int                                       { return 0 }
func (ix *Index) Entry(path string) (IndexEntry, bool)           { return IndexEntry{}, false }
func (ix *Index) Stages(path string) []IndexEntry                { return nil }
func (ix *Index) Entries(prefix string) iter.Seq[IndexEntry]     { return nil }
func (r *Repo) LockIndex(wait time.Duration) (*IndexLock, error) { return nil, errLater }
func (l *IndexLock) Index() *Index                               { return nil }
func (l *IndexLock) Apply(edits []IndexEdit) error               { return errLater }
func (l *IndexLock) Commit() error                               { return errLater }
func (l *IndexLock) Rollback()                                   {}
func (r *Repo) FileBlob(path string) (schema.OID, error)         { return schema.OID{}, errLater }
