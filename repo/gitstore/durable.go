package gitstore

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// createTemp makes a new file with a random name in dir. os.CreateTemp is not used: its files are 0600, and the final
// file of a shared repository must keep the permissions that the umask gives.
func createTemp(dir, prefix string, perm os.FileMode) (*os.File, error) {
	for range 100 {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(filepath.Join(dir, prefix+hex.EncodeToString(b[:])), os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}

// makeDirs creates dir and its missing parents and makes each new entry durable.
func makeDirs(dir string) error {
	err := os.Mkdir(dir, 0o777)
	switch {
	case err == nil:
		return syncDir(filepath.Dir(dir))
	case errors.Is(err, fs.ErrNotExist):
		if err := makeDirs(filepath.Dir(dir)); err != nil {
			return err
		}
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return syncDir(filepath.Dir(dir))
	case errors.Is(err, fs.ErrExist):
		if isDir(dir) {
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: dir, Err: errNotDir}
	default:
		return err
	}
}

var errNotDir = errors.New("not a directory")

// writeSynced fills an open file, syncs and closes it.
func writeSynced(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
