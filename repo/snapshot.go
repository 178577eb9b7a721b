package repo

import (
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Snapshot is the tree of one commit, or the empty tree of a branch without commits. It stays what it is whatever happens
// to the library.
type Snapshot struct {
	store  *gitstore.Repo
	commit schema.OID
	tree   schema.OID
}

// Snapshot is HEAD now.
func (l *Library) Snapshot() (*Snapshot, error) {
	head, err := l.store.Head()
	if err != nil {
		return nil, err
	}
	return l.SnapshotAt(head.ID)
}

// SnapshotAt is the tree of a commit; the zero id is the empty tree.
func (l *Library) SnapshotAt(commit schema.OID) (*Snapshot, error) {
	s := &Snapshot{store: l.store, commit: commit, tree: gitstore.EmptyTree()}
	if commit.IsZero() {
		return s, nil
	}
	c, err := l.store.Commit(commit)
	if err != nil {
		return nil, err
	}
	s.tree = c.Tree
	return s, nil
}

// Commit is the id of the commit, zero on a branch without commits.
func (s *Snapshot) Commit() schema.OID { return s.commit }

// Tree is the id of the tree.
func (s *Snapshot) Tree() schema.OID { return s.tree }

// Read gives a file's bytes and blob id. Absent, or no file: CodeNotFound; more than MaxFile bytes: CodeInvalid.
func (s *Snapshot) Read(path string) ([]byte, schema.OID, error) {
	e, err := s.entry(path)
	if err != nil {
		return nil, schema.OID{}, err
	}
	if !e.Mode.IsFile() {
		return nil, schema.OID{}, schema.Errorf(schema.CodeNotFound, "there is no file %s in %s", path, s.name())
	}
	size, err := s.store.BlobSize(e.ID)
	if err != nil {
		return nil, schema.OID{}, err
	}
	if size > MaxFile {
		return nil, schema.OID{}, tooLarge(path, size)
	}
	data, err := s.store.Blob(e.ID)
	if err != nil {
		return nil, schema.OID{}, err
	}
	return data, e.ID, nil
}

// Blob gives a file's blob id, and whether there is such a file.
func (s *Snapshot) Blob(path string) (schema.OID, bool, error) {
	e, err := s.entry(path)
	if err != nil {
		return schema.OID{}, false, err
	}
	return e.ID, e.Mode.IsFile(), nil
}

// List gives the entries of a folder in git's order; none when there is no such folder. "" and "." are the top.
func (s *Snapshot) List(dir string) ([]gitstore.Entry, error) {
	id := s.tree
	if dir != "" && dir != "." {
		e, err := s.entry(dir)
		if err != nil {
			return nil, err
		}
		if !e.IsDir() {
			return nil, nil
		}
		id = e.ID
	}
	return s.store.Tree(id)
}

// Walk calls fn for every file below dir, in git's order.
func (s *Snapshot) Walk(dir string, fn func(path string, e gitstore.Entry) error) error {
	return s.store.Walk(s.tree, dir, fn)
}

// entry is the zero Entry when path is absent.
func (s *Snapshot) entry(path string) (gitstore.Entry, error) {
	if err := CheckPath(path); err != nil {
		return gitstore.Entry{}, err
	}
	if s.tree == gitstore.EmptyTree() {
		return gitstore.Entry{}, nil
	}
	e, ok, err := s.store.Lookup(s.tree, path)
	if err != nil || !ok {
		return gitstore.Entry{}, err
	}
	return e, nil
}

func (s *Snapshot) name() string {
	if s.commit.IsZero() {
		return "HEAD"
	}
	return s.commit.Short()
}

// TreeOf gives the tree id of a folder; the zero id when there is no such folder.
func (s *Snapshot) TreeOf(dir string) (schema.OID, error) {
	e, err := s.entry(dir)
	if err != nil || !e.IsDir() {
		return schema.OID{}, err
	}
	return e.ID, nil
}

// BlobBytes reads a blob that a tree of the snapshot names; path is for messages. More than MaxFile bytes: CodeInvalid.
func (s *Snapshot) BlobBytes(path string, id schema.OID) ([]byte, error) {
	size, err := s.store.BlobSize(id)
	if err != nil {
		return nil, err
	}
	if size > MaxFile {
		return nil, tooLarge(path, size)
	}
	return s.store.Blob(id)
}
