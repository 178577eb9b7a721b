package gitstore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// syncJobs bounds the syncs that are under way at once. A journalling file system commits them together, so that twenty
// cost little more than one.
const syncJobs = 16

// writeLoose writes objects as loose files: all temporary files are synced in parallel, then each gets its name, then
// the folders are synced in parallel.
func (b *Batch) writeLoose(objects []*pendingObject) (err error) {
	root := b.r.db.root
	env := b.r.env
	env.step("objects.temp")
	temps := make([]string, len(objects))
	defer func() {
		if err != nil {
			for _, t := range temps {
				if t != "" {
					_ = os.Remove(t)
				}
			}
		}
	}()
	zip := b.deflater()
	var g errgroup.Group
	g.SetLimit(syncJobs)
	large := b.largest(objects)
	for i, o := range objects {
		g.Go(func() error {
			var data []byte
			if o == large {
				data = b.deflateSegments(o)
			} else {
				z := zip.take()
				data = bytes.Clone(z.deflate(objectHeader(o.typ, len(o.raw)), o.raw))
				z.done()
			}
			f, err := b.r.newTemp(root, "tmp_obj_", 0o444)
			if err != nil {
				return err
			}
			temps[i] = f.Name()
			return writeSynced(f, data)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var dirs []string
	newDir := false
	for i, o := range objects {
		target := loosePath(root, o.id)
		env.step("objects.rename")
		made, err := b.place(temps[i], target)
		if err != nil {
			return err
		}
		temps[i] = ""
		newDir = newDir || made
		if dir := filepath.Dir(target); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	b.rememberSegments()
	env.step("objects.sync")
	if newDir {
		dirs = append(dirs, root)
	}
	return b.syncFolders(dirs, objects)
}

// largest is the blob that is worth deflating in segments, nil when there is none.
func (b *Batch) largest(objects []*pendingObject) *pendingObject {
	var large *pendingObject
	for _, o := range objects {
		if b.r.segmentFile(o.path) != "" && len(o.raw) <= maxSegments*segmentSize && (large == nil || o.size > large.size) {
			large = o
		}
	}
	return large
}

// place gives a finished file its name and tells whether its folder had to be made. A "git prune-packed" next to us may
// remove the folder, empty as it is, right after we made it.
func (b *Batch) place(temp, target string) (made bool, err error) {
	dir := filepath.Dir(target)
	for range 5 {
		switch err = os.Mkdir(dir, 0o777); {
		case err == nil:
			made = true
			if err := b.r.share(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return made, err
			}
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
		if err = os.Rename(temp, target); err == nil {
			return made, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		// A read-only file of the same name cannot be replaced on Windows; it holds the same object.
		if _, serr := os.Lstat(target); serr == nil {
			return made, os.Remove(temp)
		}
		return made, err
	}
	return made, err
}

// syncFolders makes the new names durable. A folder that is gone again was emptied by git, whose pack then has the objects.
func (b *Batch) syncFolders(dirs []string, objects []*pendingObject) error {
	var s errgroup.Group
	s.SetLimit(syncJobs)
	for _, d := range dirs {
		s.Go(func() error { return syncDir(d) })
	}
	err := s.Wait()
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, o := range objects {
		if _, ok := b.r.db.has(o.id, true); !ok {
			return err
		}
	}
	for _, d := range dirs {
		if err := syncDir(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// refresh makes sure that an object file which is already there survives: git's own writer may not have synced it, and an
// old unreachable object may be about to be pruned. False means that it must be written again.
func refresh(file string, now time.Time) bool {
	st, err := os.Lstat(file)
	if err != nil {
		return false
	}
	if st.ModTime().Before(now) {
		if err := os.Chtimes(file, time.Time{}, now); err != nil {
			return false
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err == nil && syncDir(filepath.Dir(file)) == nil
}
