package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"

	"git-novel/schema"
)

// Folder is an open folder. Names in it are reached without walking down from the root each time, which os.Root does
// component by component: for a novel of thousands of files that is most of the work.
type Folder struct {
	root *os.Root // of the path below
	path string
	here *os.Root // the folder itself
	dir  *os.File // the same, for the calls that os.Root does not have
}

// OpenFolder opens a folder, slash separated and below root.
func OpenFolder(root *os.Root, dir string) (*Folder, error) {
	here, err := root.OpenRoot(dir)
	return newFolder(root, path.Clean(dir), here, err)
}

// Open opens a folder in the folder.
func (f *Folder) Open(name string) (*Folder, error) {
	here, err := f.here.OpenRoot(name)
	return newFolder(f.root, path.Join(f.path, name), here, err)
}

func newFolder(root *os.Root, dir string, here *os.Root, err error) (*Folder, error) {
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot open the folder %s", dir)
	}
	f := &Folder{root: root, path: dir, here: here}
	if f.dir, err = here.Open("."); err != nil {
		_ = here.Close()
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot open the folder %s", dir)
	}
	return f, nil
}

// Close gives the folder back.
func (f *Folder) Close() {
	_ = f.dir.Close()
	_ = f.here.Close()
}

// Lstat looks at a name in the folder.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) { return f.here.Lstat(name) }

// Mkdir makes a folder in the folder. False: the name is taken.
func (f *Folder) Mkdir(name string, perm fs.FileMode) (bool, error) {
	err := f.here.Mkdir(name, perm)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return false, schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", path.Join(f.path, name))
}

// Stage is StageIn this folder.
func (f *Folder) Stage(data []byte, perm fs.FileMode, sync bool) (*Staged, error) {
	name := TempPrefix + rand.Text()
	st, err := stage(f.here, name, data, perm, sync)
	if err != nil {
		return nil, err
	}
	st.root, st.temp, st.in = f.root, path.Join(f.path, name), f
	return st, nil
}

// PlaceIn is Place for a name in an open folder.
func (s *Staged) PlaceIn(f *Folder, name string) error {
	if s.in != nil {
		done, err := rename(s.in.dir, path.Base(s.temp), f.dir, name)
		switch {
		case errors.Is(err, fs.ErrExist):
			return schema.Wrap(fs.ErrExist, schema.CodeConflict, "%s exists already", path.Join(f.path, name))
		case err != nil:
			return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", path.Join(f.path, name))
		case done:
			return nil
		}
	}
	return s.Place(path.Join(f.path, name))
}
