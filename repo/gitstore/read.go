package gitstore

import (
	"errors"

	"git-novel/schema"
)

// Blob reads a file's bytes. The result must not be changed.
func (r *Repo) Blob(id schema.OID) ([]byte, error) { return r.typed(id, BlobObject) }

// BlobSize is the size of a blob in bytes. As a rule the blob is not read for it.
func (r *Repo) BlobSize(id schema.OID) (int64, error) {
	typ, size, err := r.db.size(id)
	if err != nil {
		return 0, objectError(id, err)
	}
	if typ != BlobObject {
		return 0, schema.Errorf(schema.CodeGit, "the git object %s is a %s, not a %s", id, typ, BlobObject)
	}
	return size, nil
}

// Tree reads the entries of a tree in git's order. The zero id reads as the empty tree.
func (r *Repo) Tree(id schema.OID) ([]Entry, error) {
	data, err := r.treeData(id)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data)
	if err != nil {
		return nil, damaged(id, err)
	}
	return entries, nil
}

// Commit reads a commit.
func (r *Repo) Commit(id schema.OID) (*Commit, error) {
	data, err := r.typed(id, CommitObject)
	if err != nil {
		return nil, err
	}
	c, err := parseCommit(data)
	if err != nil {
		return nil, damaged(id, err)
	}
	c.ID = id
	return c, nil
}

// Raw reads any object as it is stored. The result must not be changed.
func (r *Repo) Raw(id schema.OID) (ObjectType, []byte, error) {
	o, err := r.db.get(id)
	if err != nil {
		return 0, nil, objectError(id, err)
	}
	return o.typ, o.data, nil
}

// Has reports that an object is stored.
func (r *Repo) Has(id schema.OID) bool {
	if r.db.pending != nil {
		if _, ok, err := r.db.pending(id); ok && err == nil {
			return true
		}
	}
	_, ok := r.db.has(id, true)
	return ok
}

func (r *Repo) typed(id schema.OID, want ObjectType) ([]byte, error) {
	o, err := r.db.get(id)
	if err != nil {
		return nil, objectError(id, err)
	}
	if o.typ != want {
		return nil, schema.Errorf(schema.CodeGit, "the git object %s is a %s, not a %s", id, o.typ, want)
	}
	return o.data, nil
}

// treeData reads the bytes of a tree; the zero id is the empty tree.
func (r *Repo) treeData(id schema.OID) ([]byte, error) {
	if id.IsZero() {
		return nil, nil
	}
	return r.typed(id, TreeObject)
}

func objectError(id schema.OID, err error) error {
	var typed *schema.Error
	switch {
	case errors.As(err, &typed):
		return err
	case errors.Is(err, errNoObject):
		return schema.Wrap(err, schema.CodeGit, "the git object %s is missing", id).
			WithHint("check the repository with: git fsck --full; a partial or shallow clone can be completed with git fetch")
	default:
		return damaged(id, err)
	}
}

func damaged(id schema.OID, err error) error {
	return schema.Wrap(err, schema.CodeGit, "the git object %s cannot be read", id).
		WithHint("check the repository with: git fsck --full, and restore the object from a backup")
}
