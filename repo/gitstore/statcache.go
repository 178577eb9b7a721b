package gitstore

import (
	"crypto/sha1" //nolint:gosec // git's object names are SHA-1
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"git-novel/schema"
)

// statData is what the index remembers of a file.
type statData struct {
	ctimeSec, ctimeNsec uint32
	mtimeSec, mtimeNsec uint32
	dev, ino, uid, gid  uint32
	size                uint32
}

func statOf(st os.FileInfo) statData {
	var d statData
	d.mtimeSec, d.mtimeNsec = timeParts(st.ModTime())
	d.size = uint32(st.Size()) //nolint:gosec // git stores the low 32 bits
	d.fillSys(st)
	return d
}

// statRules is how far the file system's answers are trusted.
type statRules struct {
	ctime    bool // core.trustctime
	full     bool // core.checkStat is not "minimal"
	fileMode bool // core.fileMode
}

func (r *Repo) statRules() statRules {
	if r.rules != nil {
		return *r.rules
	}
	c := r.config
	check, _ := c.Get("core.checkstat")
	r.rules = &statRules{
		ctime:    c.Bool("core.trustctime", true),
		full:     !strings.EqualFold(check, "minimal"),
		fileMode: c.Bool("core.filemode", runtime.GOOS != "windows"),
	}
	return *r.rules
}

// same tells that the file looks as it did when the entry was made. Nanoseconds count when both sides have them: git
// ignores them in most builds, but a difference only makes us read the file.
func (k statRules) same(e *IndexEntry, st os.FileInfo) bool {
	d := statOf(st)
	if e.MTimeSec != d.mtimeSec || e.Size != d.size {
		return false
	}
	if k.full && e.MTimeNsec != 0 && d.mtimeNsec != 0 && e.MTimeNsec != d.mtimeNsec {
		return false
	}
	if k.full && k.ctime && e.CTimeSec != 0 && d.ctimeSec != 0 && e.CTimeSec != d.ctimeSec {
		return false
	}
	if k.full && (e.Ino != 0 && d.ino != 0 && e.Ino != d.ino || e.UID != d.uid || e.GID != d.gid) {
		return false
	}
	if e.Size == 0 && e.ID != schema.HashBlob(nil) {
		return false // a racy entry that was smudged so that it is looked at
	}
	return e.Mode.IsFile() && (!k.fileMode || (e.Mode == ModeExec) == (st.Mode().Perm()&0o100 != 0))
}

// racyMargin is above the step of the clock that file systems take their times from (up to 10 ms on Linux): two changes
// within one step have the same time.
const racyMargin = int64(20e6)

// racy tells that the file may have changed after it was looked at without its time telling: its time is not clearly
// before that of the index. Whole seconds are compared where either side has no finer time.
func racy(mtimeSec, mtimeNsec, ixSec, ixNsec uint32) bool {
	if ixSec == 0 {
		return true
	}
	if mtimeNsec == 0 || ixNsec == 0 {
		return mtimeSec >= ixSec
	}
	return int64(mtimeSec)*1e9+int64(mtimeNsec) >= int64(ixSec)*1e9+int64(ixNsec)-racyMargin
}

// FileBlob gives the blob id of a worktree file as it is now. An unchanged file is recognised by the index; everything
// else is read and hashed, its bytes as they are. CodeNotFound when there is no file, CodeInvalid when something other
// than a regular file stands there.
func (r *Repo) FileBlob(path string) (schema.OID, error) {
	root, err := r.worktree()
	if err != nil {
		return schema.OID{}, err
	}
	name := filepath.FromSlash(path)
	st, err := root.Lstat(name)
	if err != nil {
		return schema.OID{}, fileError(path, err)
	}
	if !st.Mode().IsRegular() {
		return schema.OID{}, notRegular(path)
	}
	ix, err := r.ReadIndex()
	if err != nil {
		return schema.OID{}, err
	}
	if e, ok := ix.Entry(path); ok && !e.IntentToAdd && ix.Unsupported == "" {
		sec, nsec := ix.written()
		if r.statRules().same(&e, st) && !racy(e.MTimeSec, e.MTimeNsec, sec, nsec) {
			return e.ID, nil
		}
	}
	return hashFile(root, path)
}

// Unsure gives those of the tracked paths whose files do not surely lie as the index has them: changed, gone, or looked at
// too soon after they were written. Nothing is read; FileBlob tells what such a file holds. It is made for thousands of
// paths: a link above a file is not looked for, for only times and sizes are compared.
func (r *Repo) Unsure(paths []string) ([]string, error) {
	root, err := r.worktree()
	if err != nil {
		return nil, err
	}
	ix, err := r.ReadIndex()
	if err != nil {
		return nil, err
	}
	rules := r.statRules()
	sec, nsec := ix.written()
	same := make([]bool, len(paths))
	const chunk = 512
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(paths); from += chunk {
		g.Go(func() error {
			for i := from; i < min(from+chunk, len(paths)); i++ {
				e, ok := ix.Entry(paths[i])
				if !ok || e.IntentToAdd || ix.Unsupported != "" || racy(e.MTimeSec, e.MTimeNsec, sec, nsec) {
					continue
				}
				st, err := os.Lstat(filepath.Join(root.Name(), filepath.FromSlash(paths[i])))
				same[i] = err == nil && st.Mode().IsRegular() && rules.same(&e, st)
			}
			return nil
		})
	}
	_ = g.Wait() // nothing fails
	var out []string
	for i, p := range paths {
		if !same[i] {
			out = append(out, p)
		}
	}
	return out, nil
}

func fileError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return schema.Wrap(err, schema.CodeNotFound, "there is no file %s", path)
	}
	return schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", path)
}

func notRegular(path string) error {
	return schema.Errorf(schema.CodeInvalid, "%s is not a regular file", path)
}

// hashFile hashes a worktree file without holding it in memory.
func hashFile(root *os.Root, path string) (schema.OID, error) {
	name := filepath.FromSlash(path)
	for range 3 {
		f, err := root.Open(name)
		if err != nil {
			return schema.OID{}, fileError(path, err)
		}
		st, err := f.Stat()
		if err == nil && !st.Mode().IsRegular() {
			_ = f.Close()
			return schema.OID{}, notRegular(path)
		}
		var id schema.OID
		var n int64
		if err == nil {
			h := sha1.New() //nolint:gosec // git's object names are SHA-1
			_, _ = h.Write(objectHeader(BlobObject, int(st.Size())))
			n, err = io.Copy(h, io.LimitReader(f, st.Size()+1))
			h.Sum(id[:0])
		}
		_ = f.Close()
		if err != nil {
			return schema.OID{}, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", path)
		}
		if n == st.Size() {
			return id, nil
		}
		// Somebody is writing the file right now: look again.
	}
	return schema.OID{}, schema.Errorf(schema.CodeConflict, "%s keeps changing while it is read", path).
		WithHint("save the file in the editor and run the command again")
}
