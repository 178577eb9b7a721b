package gitstore

import (
	"crypto/sha1" //nolint:gosec // git's object names are SHA-1
	"io"
	"os"

	"git-novel/schema"
)

// FileBlobAs is FileBlob for a caller that has just looked at the file itself, without following links, and has read the
// index: listing a folder of 9,999 files gives their information for one call each, where looking each up by its path takes
// four.
func (r *Repo) FileBlobAs(ix *Index, path string, st os.FileInfo) (schema.OID, error) {
	if !st.Mode().IsRegular() {
		return schema.OID{}, notRegular(path)
	}
	if e, ok := ix.Entry(path); ok && !e.IntentToAdd && ix.Unsupported == "" {
		sec, nsec := ix.written()
		if r.statRules().same(&e, st) && !racy(e.MTimeSec, e.MTimeNsec, sec, nsec) {
			return e.ID, nil
		}
	}
	root, err := r.worktree()
	if err != nil {
		return schema.OID{}, err
	}
	return hashFile(root, path)
}

// HashReader gives the blob id of size bytes that are read, without holding them in memory. n is how many there were, up to
// size + 1: the id counts only when it is size.
func HashReader(r io.Reader, size int64) (id schema.OID, n int64, err error) {
	h := sha1.New() //nolint:gosec // git's object names are SHA-1
	_, _ = h.Write(objectHeader(BlobObject, int(size)))
	n, err = io.Copy(h, io.LimitReader(r, size+1))
	h.Sum(id[:0])
	return id, n, err
}
