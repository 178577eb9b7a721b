package gitstore

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-novel/schema"
)

// IndexLock is the held index.lock with the index as it stands under it. Exactly one of Commit and Rollback ends it;
// Rollback after Commit does nothing.
type IndexLock struct {
	r      *Repo
	lock   *lockFile
	index  *Index
	out    []byte // the patched file, nil while nothing changed
	edited bool
	ready  bool // the lock file holds the patched index
}

// LockIndex takes index.lock as git does, trying again for up to wait. While somebody else holds it: CodeConflict naming
// the file, which is never removed.
func (r *Repo) LockIndex(wait time.Duration) (*IndexLock, error) {
	tries := 1
	for sum := time.Duration(0); sum < wait; tries++ {
		sum += time.Duration(tries) * lockStep
	}
	lock, err := r.takeLock(filepath.Join(r.loc.GitDir, "index"), tries)
	if err != nil {
		return nil, err
	}
	ix, err := r.ReadIndex()
	if err != nil {
		lock.release()
		return nil, err
	}
	return &IndexLock{r: r, lock: lock, index: ix}, nil
}

// Index is the index under the lock, edits not included.
func (l *IndexLock) Index() *Index { return l.index }

// Apply prepares the index with the edits, in any order. All other entries stay as they are, staged changes and
// conflicts of other paths included. It may be called once.
func (l *IndexLock) Apply(edits []IndexEdit) error {
	ix := l.index
	if ix.Unsupported != "" {
		return schema.Errorf(schema.CodeGit, "the git index uses %s, which only git itself can change", ix.Unsupported).
			WithHint("install git, or switch it off with: git update-index --no-split-index, git sparse-checkout disable")
	}
	if l.edited {
		return schema.Errorf(schema.CodeUnexpected, "the git index was edited twice under one lock")
	}
	l.edited = true
	sorted := slices.Clone(edits)
	slices.SortFunc(sorted, func(a, b IndexEdit) int { return strings.Compare(a.Path, b.Path) })
	for i, e := range sorted {
		if _, err := splitPath(e.Path); err != nil {
			return err
		}
		if !e.Delete && (!e.Mode.valid() || e.Mode == ModeDir || e.ID.IsZero()) {
			return schema.Errorf(schema.CodeUnexpected, "the entry %q has no valid mode or object", e.Path)
		}
		if i > 0 && sorted[i-1].Path == e.Path {
			return schema.Errorf(schema.CodeUnexpected, "the path %q is changed twice in one commit", e.Path)
		}
	}
	sums := make(chan bool, 1)
	go func() { sums <- ix.sumOK() }()
	out, err := ix.patched(sorted, l.r.smudged(ix, sorted), l.r.config.Bool("index.skiphash", l.r.config.Bool("feature.manyfiles", false)))
	if !<-sums {
		return schema.Errorf(schema.CodeGit, "the git index %s is damaged", l.lock.target).
			WithHint("make a new one from the last commit with: git reset (your files stay as they are)")
	}
	if err != nil {
		return err
	}
	l.out = out
	return nil
}

// smudged finds the kept entries that look unchanged only because they were changed in the very moment the old index was
// written. The new index is younger, so this is the last chance to tell; like git we zero their size, which makes
// everybody look at the file.
func (r *Repo) smudged(ix *Index, edits []IndexEdit) map[int]bool {
	root, err := r.worktree()
	if err != nil || ix.stat == nil {
		return nil
	}
	edited := make(map[string]bool, len(edits))
	for _, e := range edits {
		edited[e.Path] = true
	}
	sec, nsec := ix.written()
	rules := r.statRules()
	var out map[int]bool
	for i := range ix.refs {
		ref := &ix.refs[i]
		b := ix.data[ref.start:]
		if !racy(be32(b[8:]), be32(b[12:]), sec, nsec) || ref.stage() != 0 || edited[string(ref.path)] {
			continue
		}
		e := ix.decode(i)
		if !e.Mode.IsFile() || e.SkipWorktree || e.AssumeValid || e.IntentToAdd || e.MTimeSec == 0 {
			continue
		}
		st, err := root.Lstat(filepath.FromSlash(e.Path))
		if err != nil || !rules.same(&e, st) {
			continue // seen to differ anyway
		}
		if id, err := hashFile(root, e.Path); err == nil && id == e.ID {
			continue
		}
		if out == nil {
			out = map[int]bool{}
		}
		out[i] = true
	}
	return out
}

func be32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// Prepare writes the patched index into the lock file and syncs it, so that Commit is only a rename. A caller that moves a
// ref in between learns of a full disk this way before anything is visible.
func (l *IndexLock) Prepare() error {
	if l.out == nil {
		return nil
	}
	l.r.env.step("index.write")
	if err := l.lock.write(l.out); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", l.lock.name)
	}
	l.out, l.ready = nil, true
	return nil
}

// Commit makes the new index durable and visible. Without a change it only releases the lock.
func (l *IndexLock) Commit() error {
	todo, err := l.CommitLater()
	if err != nil {
		return err
	}
	return todo.Sync()
}

// CommitLater is Commit without the last sync, which the caller owes.
func (l *IndexLock) CommitLater() (Pending, error) {
	defer l.Rollback()
	if err := l.Prepare(); err != nil || !l.ready {
		return Pending{}, err
	}
	l.ready = false
	l.r.env.step("index.rename")
	if err := l.lock.commit(); err != nil {
		return Pending{}, schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", l.lock.target)
	}
	l.r.env.step("index.sync")
	return Pending{dirs: []string{l.r.loc.GitDir}}, nil
}

// Rollback releases the lock and leaves the index as it is.
func (l *IndexLock) Rollback() { l.lock.release() }
