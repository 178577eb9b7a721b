package repo

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strconv"
	"syscall"

	"golang.org/x/sync/errgroup"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// manyFiles is from how many new files on the file system is synced as a whole instead of file by file.
const manyFiles = 48

// stageFiles writes and syncs the contents of all changed files in the work folder.
func (s *session) stageFiles(ctx context.Context, p *plan) error {
	var todo []*change
	for _, c := range p.changes {
		if c.work() && c.want == wantWrite {
			todo = append(todo, c)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	bulk := len(todo) >= manyFiles && atomicfile.CanSyncAll
	var err error
	if s.stage, err = atomicfile.OpenFolder(s.l.root, s.stageDir); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	if bulk {
		g.SetLimit(1) // nothing waits for the disk, and new names in one folder only queue up for it
	}
	for _, c := range todo {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return s.stageFile(c, !bulk)
		})
	}
	if err := g.Wait(); err != nil || !bulk {
		return err
	}
	return atomicfile.SyncAll(s.l.root)
}

// stageFile writes the content of one change. Runs beside others.
func (s *session) stageFile(c *change, sync bool) error {
	st, err := s.stage.Stage(c.data, perm(c.mode), sync)
	if err != nil {
		return err
	}
	c.staged = st
	if c.seen.IsZero() {
		return nil
	}
	if info, err := s.l.root.Lstat(c.path); err == nil {
		c.perm = info.Mode().Perm()
		return st.Chmod(c.perm)
	}
	return nil
}

// applyWork gives the staged files their names and takes removed ones away, removals first: on a file system that ignores
// case, a rename within it would otherwise remove what it wrote.
// It returns the folders to sync.
func (s *session) applyWork(p *plan) (map[string]bool, error) {
	touched := map[string]bool{}
	s.folders = folders{l: s.l}
	defer s.folders.close()
	for _, c := range p.changes {
		if c.work() && c.want == wantGone {
			if err := s.l.fail("remove " + c.path); err != nil {
				return nil, err
			}
			if err := s.removeFile(c); err != nil {
				return nil, err
			}
			touched[path.Dir(c.path)] = true
		}
	}
	for _, c := range p.changes {
		if c.work() && c.want == wantWrite {
			if err := s.l.fail("write " + c.path); err != nil {
				return nil, err
			}
			dirty, err := s.placeFile(c)
			if err != nil {
				return nil, err
			}
			for _, d := range dirty {
				touched[d] = true
			}
		}
	}
	for _, c := range s.done {
		if c.want == wantGone {
			for _, d := range s.l.removeEmpty(path.Dir(c.path)) {
				touched[path.Dir(d)] = true
			}
		}
	}
	return touched, nil
}

// removeFile takes one file away if it still is what was seen. It is moved into the work folder first and looked at there,
// where nobody changes it any more.
func (s *session) removeFile(c *change) error {
	info, err := s.l.lstat(c.path)
	if err != nil || !info.Mode().IsRegular() {
		return s.tx.edited(c.path)
	}
	c.perm = info.Mode().Perm()
	aside := path.Join(s.stageDir, "gone-"+strconv.Itoa(len(s.done)))
	err = s.l.root.Rename(c.path, aside)
	if errors.Is(err, syscall.EXDEV) {
		return s.removeHere(c)
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot remove %s", c.path)
	}
	if now, err := s.l.workBlob(aside); err != nil || now != c.seen {
		return s.putBack(c, aside)
	}
	s.done = append(s.done, c)
	return nil
}

// putBack returns a file that turned out to hold something else than was seen. When its name has been taken again
// meanwhile, it gets another one beside it.
func (s *session) putBack(c *change, aside string) error {
	if s.l.root.Link(aside, c.path) == nil {
		return s.tx.edited(c.path)
	}
	kept := c.path + ".kept"
	if err := s.l.root.Rename(aside, kept); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", kept)
	}
	return schema.Errorf(schema.CodeConflict, "%s was changed while the command was at work; that version lies in %s now", c.path, kept).
		WithHint("run the command again")
}

// removeHere is removeFile for a file on another file system than the work folder.
func (s *session) removeHere(c *change) error {
	if now, err := s.l.workBlob(c.path); err != nil || now != c.seen {
		return s.tx.edited(c.path)
	}
	if err := s.l.root.Remove(c.path); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot remove %s", c.path)
	}
	s.done = append(s.done, c)
	return nil
}

// placeFile gives one staged file its name, if what has that name still is what was seen. It returns the folders to sync.
func (s *session) placeFile(c *change) ([]string, error) {
	dir := path.Dir(c.path)
	folder, dirty, err := s.folders.open(dir, &s.dirs)
	if err != nil {
		return nil, err
	}
	if err := s.name(c, folder); err != nil {
		return nil, err
	}
	s.done = append(s.done, c)
	if info, err := folder.Lstat(path.Base(c.path)); err == nil && c.staged.Holds(info) {
		c.stat = info
	}
	return append(dirty, dir), nil
}

// name gives a staged file its name. One that has to be free is checked by taking it; an old file is looked at after it has
// been exchanged for the new one, and put back when it is not what was seen.
func (s *session) name(c *change, folder *atomicfile.Folder) error {
	if c.seen.IsZero() {
		err := c.staged.PlaceIn(folder, path.Base(c.path))
		if errors.Is(err, syscall.EXDEV) {
			s.crossed = true
			err = s.l.place(c.staged, c.path, c.data, true)
		}
		if errors.Is(err, fs.ErrExist) {
			return s.tx.edited(c.path)
		}
		return err
	}
	info, err := s.l.lstat(c.path)
	if err != nil || !info.Mode().IsRegular() {
		return s.tx.edited(c.path)
	}
	swapped, err := c.staged.Exchange(c.path)
	if err != nil {
		return err
	}
	old := c.path
	if swapped {
		old = c.staged.Name()
	}
	now, err := s.l.workBlob(old)
	same := err == nil && now == c.seen
	switch {
	case !same && swapped:
		if _, err := c.staged.Exchange(c.path); err != nil {
			return err
		}
		return s.tx.edited(c.path)
	case !same:
		return s.tx.edited(c.path)
	case swapped:
		return nil
	}
	return s.l.place(c.staged, c.path, c.data, false)
}

// place names a staged file; fresh means that the name must be free. When the work folder is on another file system, the
// file is staged again in its own folder, under a name that recovery can find.
func (l *Library) place(st *atomicfile.Staged, p string, data []byte, fresh bool) error {
	err := st.Rename(p, fresh)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	near, err := atomicfile.StageAs(l.root, nearTemp(p), data, 0o644)
	if err != nil {
		return err
	}
	if err := near.Rename(p, fresh); err != nil {
		near.Discard()
		return err
	}
	*st = *near
	return nil
}

// nearTemp is the temporary name of a file in its own folder.
func nearTemp(p string) string {
	return path.Join(path.Dir(p), atomicfile.TempPrefix+schema.HashBlob([]byte(p)).Short())
}

// removeEmpty removes a folder and those above it as long as they are empty, as git does, but never the two folders that
// make a library. It returns what it removed.
func (l *Library) removeEmpty(dir string) []string {
	var gone []string
	for ; dir != "." && dir != novelsDir && dir != dataDir; dir = path.Dir(dir) {
		if l.root.Remove(dir) != nil {
			break
		}
		gone = append(gone, dir)
	}
	return gone
}

// syncFolders makes the names of a transaction durable.
func (s *session) syncFolders(dirs map[string]bool) error {
	if len(dirs) >= manyFiles && atomicfile.CanSyncAll && !s.crossed {
		return atomicfile.SyncAll(s.l.root)
	}
	return s.l.syncDirs(dirs)
}

// syncDirs makes the names in these folders durable. A folder that is gone meanwhile has nothing to sync.
func (l *Library) syncDirs(dirs map[string]bool) error {
	var g errgroup.Group
	for d := range dirs {
		g.Go(func() error {
			err := atomicfile.SyncDir(l.root, d)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
	}
	return g.Wait()
}
