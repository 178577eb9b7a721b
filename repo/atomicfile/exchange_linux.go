package atomicfile

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of one file system in one step. False: this file system cannot.
func exchange(root *os.Root, a, b string) (bool, error) {
	da, err := root.Open(path.Dir(a))
	if err != nil {
		return false, err
	}
	defer func() { _ = da.Close() }()
	db, err := root.Open(path.Dir(b))
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	err = unix.Renameat2(int(da.Fd()), path.Base(a), int(db.Fd()), path.Base(b), unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EXDEV), errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOTSUP):
		return false, nil
	}
	return false, err
}

// rename gives a file a name that must be free, in one step. False: this file system cannot.
func rename(from *os.File, a string, to *os.File, b string) (bool, error) {
	err := unix.Renameat2(int(from.Fd()), a, int(to.Fd()), b, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOTSUP):
		return false, nil
	}
	return false, err
}
