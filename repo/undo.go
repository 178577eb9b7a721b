package repo

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// undo takes back what carryOut did before cause stopped it, and returns cause.
func (s *session) undo(j *journal, cause error) error {
	s.dropIndex()
	if s.branch != nil {
		s.branch.Rollback()
		s.branch = nil
	}
	if s.sides != nil {
		s.sides.Rollback()
		s.sides = nil
	}
	if err := s.undoAll(j); err != nil {
		j.Undo = true
		_ = s.l.writeJournal(j)
		return schema.Wrap(cause, schema.CodeOf(cause),
			"the command failed and could not be undone completely; the next command undoes the rest")
	}
	s.l.dropJournal(true)
	return cause
}

func (s *session) undoAll(j *journal) error {
	if s.sidesMoved {
		if err := s.l.revertRefs(j.Refs); err != nil {
			return err
		}
	}
	touched := map[string]bool{}
	for _, c := range slices.Backward(s.done) {
		kept, err := s.l.swap(c.path, c.blob, c.seen, c.perm)
		if err != nil {
			return err
		}
		if kept {
			s.l.o.Notice(keptText(c.path))
		}
		touched[path.Dir(c.path)] = true
	}
	s.l.removeMade(s.dirs)
	return s.l.syncDirs(touched)
}

func keptText(p string) schema.Text {
	return schema.Textf("%s was edited meanwhile and stays as it is", p)
}

// swap turns the worktree file p from one blob into another, zero being "absent". A file that is neither was edited by
// somebody else and is kept: true.
func (l *Library) swap(p string, from, to schema.OID, perm fs.FileMode) (kept bool, err error) {
	now, err := l.workBlob(p)
	if err != nil {
		return true, nil //nolint:nilerr // no file, a link, or too large: not what this program wrote
	}
	if now == to {
		return false, nil
	}
	if now != from {
		return true, nil
	}
	if to.IsZero() {
		if err := l.root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, schema.Wrap(err, schema.CodeUnexpected, "cannot remove %s", p)
		}
		return false, nil
	}
	data, err := l.store.Blob(to)
	if err != nil {
		return false, err
	}
	dir := path.Dir(p)
	dirty, err := atomicfile.MkdirAll(l.root, dir, 0o755)
	if err != nil {
		return false, err
	}
	if perm == 0 {
		perm = 0o644
	}
	st, err := atomicfile.StageAs(l.root, nearTemp(p), data, perm)
	if err != nil {
		return false, err
	}
	if err := st.Rename(p, now.IsZero()); err != nil {
		st.Discard()
		if errors.Is(err, fs.ErrExist) {
			return true, nil
		}
		return false, err
	}
	for _, d := range dirty {
		if err := atomicfile.SyncDir(l.root, d); err != nil {
			return false, err
		}
	}
	return false, nil
}

// removeMade removes folders that were made for files that are not there after all, where they are empty.
func (l *Library) removeMade(dirs []string) {
	for _, d := range slices.Backward(dirs) {
		if CheckPath(d) == nil {
			_ = l.root.Remove(d)
		}
	}
}

// revertRefs gives refs their old values back where they have the new ones.
func (l *Library) revertRefs(refs []journalRef) error {
	var back []gitstore.RefUpdate
	for _, r := range refs {
		now, _, err := l.store.Ref(r.Name)
		if err != nil {
			return err
		}
		if now == r.New && r.New != r.Old {
			back = append(back, gitstore.RefUpdate{Name: r.Name, Old: r.New, New: r.Old})
		}
	}
	return l.moveRefs(back)
}

// moveRefs moves refs at once.
func (l *Library) moveRefs(updates []gitstore.RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	locks, err := l.lockRefs(context.Background(), updates)
	if err != nil {
		return err
	}
	if err := locks.Commit(); err != nil {
		locks.Rollback()
		return err
	}
	return nil
}
