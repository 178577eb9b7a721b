package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"syscall"

	"git-novel/schema"
)

// TempPrefix begins the name of every temporary file, so that what a crash leaves behind can be told from the author's
// files.
const TempPrefix = ".novel-tmp-"

// Write makes name, slash separated and below root, hold data: a synced temporary file in the same folder is renamed over
// it and the folder is synced. The folder must exist.
func Write(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	st, err := Stage(root, path.Dir(name), data, perm)
	if err != nil {
		return err
	}
	if err := st.Replace(name); err != nil {
		st.Discard()
		return err
	}
	return SyncDir(root, path.Dir(name))
}

// WriteFile is Write for a file outside any library, such as the user's own settings: file is a path of the system, and
// its folder is made when it is missing.
func WriteFile(file string, data []byte, perm fs.FileMode) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a folder that git and editors share with the author
		return schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot open the folder %s", dir)
	}
	defer func() { _ = root.Close() }()
	return Write(root, filepath.Base(file), data, perm)
}

// Create makes name exclusively and syncs it and its folder. An existing name is an error for which
// errors.Is(err, fs.ErrExist) holds; nothing is left behind on failure.
func Create(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	st, err := Stage(root, path.Dir(name), data, perm)
	if err != nil {
		return err
	}
	if err := st.Place(name); err != nil {
		st.Discard()
		return err
	}
	return SyncDir(root, path.Dir(name))
}

// Append adds data to the end of name, making the file when it is missing, and syncs it. When it fails part of the way,
// the file is cut back to what it held before, so a later append does not follow half a record.
func Append(root *os.Root, name string, data []byte, perm fs.FileMode) (err error) {
	created := false
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		created = true
		f, err = root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, perm)
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot open %s for appending", name)
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = schema.Wrap(cerr, schema.CodeUnexpected, "cannot write %s", name)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", name)
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err != nil {
		// Best effort: the caller learns of the first failure either way.
		_ = f.Truncate(info.Size())
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", name)
	}
	if created {
		return SyncDir(root, path.Dir(name))
	}
	return nil
}

// Staged is a synced temporary file that waits to get its name.
type Staged struct {
	root *os.Root
	temp string
	info fs.FileInfo
	in   *Folder // where it lies, when that is open
}

// Stage writes data to a new temporary file in dir, slash separated and below root, and syncs it. dir must be on the
// file system of the later target.
func Stage(root *os.Root, dir string, data []byte, perm fs.FileMode) (*Staged, error) {
	return StageIn(root, dir, data, perm, true)
}

// StageIn is Stage, and without sync leaves the file to a later SyncAll.
func StageIn(root *os.Root, dir string, data []byte, perm fs.FileMode, sync bool) (*Staged, error) {
	return stage(root, path.Join(dir, TempPrefix+rand.Text()), data, perm, sync)
}

// StageAs is Stage with a name of the caller's choice, for files that a later process has to find again. An older file of
// that name is replaced.
func StageAs(root *os.Root, temp string, data []byte, perm fs.FileMode) (*Staged, error) {
	_ = root.Remove(temp)
	return stage(root, temp, data, perm, true)
}

func stage(root *os.Root, temp string, data []byte, perm fs.FileMode, sync bool) (*Staged, error) {
	dir := path.Dir(temp)
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot write in the folder %s", dir)
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = root.Remove(temp)
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot write in the folder %s", dir)
	}
	return &Staged{root: root, temp: temp, info: info}, nil
}

// Holds reports whether a file is the staged one, unchanged since it was written.
func (s *Staged) Holds(now fs.FileInfo) bool {
	return os.SameFile(s.info, now) && s.info.Size() == now.Size() && s.info.ModTime().Equal(now.ModTime())
}

// Chmod gives the file exactly these permissions, whatever the process masks.
func (s *Staged) Chmod(perm fs.FileMode) error {
	if s.info.Mode().Perm() == perm.Perm() {
		return nil
	}
	if err := s.root.Chmod(s.temp, perm.Perm()); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", s.temp)
	}
	return nil
}

// Name is where the temporary file lies, below its root.
func (s *Staged) Name() string { return s.temp }

// Replace gives the file its name, over whatever has it now. The folder is not synced.
func (s *Staged) Replace(name string) error {
	if err := s.root.Rename(s.temp, name); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", name)
	}
	return nil
}

// Place gives the file a name that must be free: a file that appeared there is never overwritten, and the error then
// satisfies errors.Is(err, fs.ErrExist). The folder is not synced.
func (s *Staged) Place(name string) error {
	err := s.root.Link(s.temp, name)
	switch {
	case err == nil:
		_ = s.root.Remove(s.temp)
		return nil
	case errors.Is(err, fs.ErrExist):
		return schema.Wrap(fs.ErrExist, schema.CodeConflict, "%s exists already", name)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EXDEV):
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", name)
	}
	// No hard links on this file system: hold the name with an empty file, then rename over our own.
	f, cerr := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(cerr, fs.ErrExist) {
		return schema.Wrap(fs.ErrExist, schema.CodeConflict, "%s exists already", name)
	}
	if cerr != nil {
		return schema.Wrap(cerr, schema.CodeUnexpected, "cannot write %s", name)
	}
	_ = f.Close()
	if err := s.root.Rename(s.temp, name); err != nil {
		_ = s.root.Remove(name)
		return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", name)
	}
	return nil
}

// Exchange gives the file its name and takes what had the name in its place, in one step, so that nobody can slip a change
// in between a look at the old file and its replacement: the caller looks at the old file afterwards, under Name, and
// exchanges again to take the step back. False: the file system cannot do that, and nothing has changed.
func (s *Staged) Exchange(name string) (bool, error) {
	ok, err := exchange(s.root, s.temp, name)
	if err != nil {
		return false, schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", name)
	}
	return ok, nil
}

// Rename is Place when the name must be free, and Replace otherwise.
func (s *Staged) Rename(name string, fresh bool) error {
	if fresh {
		return s.Place(name)
	}
	return s.Replace(name)
}

// Discard removes a temporary file that got no name. Calling it after Replace or Place does nothing.
func (s *Staged) Discard() { _ = s.root.Remove(s.temp) }

// SyncDir makes the names in dir, below root, durable.
func SyncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there; NTFS journals names itself
	}
	d, err := root.Open(dir)
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot sync the folder %s", dir)
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot sync the folder %s", dir)
	}
	return nil
}

// MkdirAll makes dir, slash separated and below root, and every missing folder above it, and returns the folders that
// have to be synced for the new names to last: the parents of what was made. A folder that exists is no error.
func MkdirAll(root *os.Root, dir string, perm fs.FileMode) (dirty []string, err error) {
	dir = path.Clean(dir)
	if dir == "." {
		return nil, nil
	}
	info, err := root.Lstat(dir)
	if err == nil {
		if !info.IsDir() {
			return nil, schema.Errorf(schema.CodeConflict, "%s is not a folder", dir)
		}
		return nil, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", dir)
	}
	parent := path.Dir(dir)
	if dirty, err = MkdirAll(root, parent, perm); err != nil {
		return nil, err
	}
	if err := root.Mkdir(dir, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", dir)
	}
	return append(dirty, parent), nil
}
