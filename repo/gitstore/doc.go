// Package gitstore is the native git engine: it reads and writes a repository without the git program, speaking git's own
// protocol (object files, packs, lock files, refs, reflogs, the index) and syncing every step, so that what it says is
// done survives a power loss.
//
// It owns every byte under the git directory that this program touches, and the stat cache that tells whether a worktree
// file changed. It knows nothing of books and chapters.
//
// It must not start programs, must not write worktree files, must not repack or prune, and must never remove a lock file
// that it did not create. What it cannot do itself (signing, foreign hooks, content filters, split or sparse index) it
// reports through Foreign and Index.Unsupported, and the caller hands the work to git.
//
// It may import schema, and it is the only package that may import go-git. Of go-git it uses the encodings (delta
// application, pack index), not its storage: go-git's writers neither sync nor honour git's locks, and its pack index
// decoder builds two maps over all objects before it answers the first question, which costs more than a whole
// transaction does here (DESIGN 15, P1). The own reader looks names up in the index file where it lies.
//
// A Repo belongs to one goroutine. Several processes may use one repository at the same time.
package gitstore
