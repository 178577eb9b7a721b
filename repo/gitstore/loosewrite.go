package gitstore

import (
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
	for i, o := range objects {
		g.Go(func() error {
			z := zip.take()
			data := z.deflate(objectHeader(o.typ, len(o.raw)), o.raw)
			z.done()
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
		dir := filepath.Dir(target)
		if !slices.Contains(dirs, dir) {
			switch err := os.Mkdir(dir, 0o777); {
			case err == nil:
				newDir = true
				if err := b.r.share(dir); err != nil {
					return err
				}
			case !errors.Is(err, fs.ErrExist):
				return err
			}
			dirs = append(dirs, dir)
		}
		env.step("objects.rename")
		if err := os.Rename(temps[i], target); err != nil {
			// A read-only file of the same name cannot be replaced on Windows; it holds the same object.
			if _, serr := os.Lstat(target); serr != nil {
				return err
			}
			_ = os.Remove(temps[i])
		}
		temps[i] = ""
	}
	env.step("objects.sync")
	if newDir {
		dirs = append(dirs, root)
	}
	var s errgroup.Group
	s.SetLimit(syncJobs)
	for _, d := range dirs {
		s.Go(func() error { return syncDir(d) })
	}
	return s.Wait()
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
