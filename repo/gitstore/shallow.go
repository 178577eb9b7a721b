package gitstore

import "git-novel/schema"

// HistoryCommit is Commit without the parents that a shallow clone has not got: where its history ends, a commit reads as a
// first one, as it does for git log.
func (r *Repo) HistoryCommit(id schema.OID) (*Commit, error) { return r.logCommit(id) }

// Shallow reports a clone whose history is cut off.
func (r *Repo) Shallow() (bool, error) {
	list, err := r.readShallow()
	return len(list) > 0, err
}
