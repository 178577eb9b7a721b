package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"git-novel/schema"
)

// lockFile is a held <file>.lock: created exclusively, filled, synced, then renamed over the file. It is git's own
// protocol, and only the file that we created is ever removed.
type lockFile struct {
	target, name string
	f            *os.File
	held         bool
}

// lockStep is the first wait for a lock; each further one is longer by the same.
const lockStep = 20 * time.Millisecond

// takeLock creates target.lock, waiting lockStep, 2·lockStep, … between tries. When somebody keeps holding it: CodeConflict naming
// the file.
func (r *Repo) takeLock(target string, tries int) (*lockFile, error) {
	name := target + ".lock"
	for i := 1; ; i++ {
		r.env.step("lock")
		f, err := r.env.createLock(name)
		switch {
		case err == nil:
			l := &lockFile{target: target, name: name, f: f, held: true}
			if err := r.share(name); err != nil {
				l.release()
				return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make the lock file %s", name)
			}
			return l, nil
		case errors.Is(err, fs.ErrNotExist):
			// A deletion next to us may have removed the empty folder.
			if merr := r.makeDirs(filepath.Dir(name)); merr != nil {
				return nil, schema.Wrap(merr, schema.CodeUnexpected, "cannot make the lock file %s", name)
			}
		case !errors.Is(err, fs.ErrExist):
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot make the lock file %s", name)
		}
		if i >= tries {
			return nil, schema.Errorf(schema.CodeConflict, "another program is working in this repository and holds %s", name).
				WithHint("wait for it to finish and run the command again; if nothing is running, a crashed program left the file, then remove it by hand")
		}
		time.Sleep(time.Duration(i) * lockStep)
	}
}

// write fills and syncs the lock file.
func (l *lockFile) write(data []byte) error {
	err := writeSynced(l.f, data)
	l.f = nil
	return err
}

// fill writes the lock file and leaves it to flush to sync it.
func (l *lockFile) fill(data []byte) error {
	_, err := l.f.Write(data)
	return err
}

// flush syncs what fill wrote.
func (l *lockFile) flush() error {
	if l == nil || l.f == nil {
		return nil
	}
	err := l.f.Sync()
	if cerr := l.f.Close(); err == nil {
		err = cerr
	}
	l.f = nil
	return err
}

// commit renames the lock file over its target. The caller syncs the folder.
func (l *lockFile) commit() error {
	if err := os.Rename(l.name, l.target); err != nil {
		return err
	}
	l.held = false
	return nil
}

// release removes the lock file if it is still ours.
func (l *lockFile) release() {
	if l == nil {
		return
	}
	if l.f != nil {
		_ = l.f.Close()
		l.f = nil
	}
	if l.held {
		_ = os.Remove(l.name)
		l.held = false
	}
}
