package repo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// MaxFile is the largest file, in bytes, that is read from the worktree or written to it.
const MaxFile = 16 << 20

// CheckPath refuses a path that is no clean, slash-separated path below the library, or that names git's own folder under
// any of the spellings that a file system takes for it.
func CheckPath(p string) error {
	if p == "." || !fs.ValidPath(p) || strings.ContainsAny(p, "\\\x00") {
		return schema.Errorf(schema.CodeUsage, "%q is not a path inside the library", p)
	}
	for part := range strings.SplitSeq(p, "/") {
		if isDotGit(part) {
			return schema.Errorf(schema.CodeUsage, "%q is not a path inside the library", p)
		}
	}
	return nil
}

func isDotGit(name string) bool {
	// NTFS drops trailing dots and spaces and knows the short name; HFS+ drops some invisible characters.
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimRight(name, ". ")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// lstat looks at a path of the worktree without following a symlink at any step: git does not look behind one either. An
// absent path is fs.ErrNotExist.
func (l *Library) lstat(p string) (fs.FileInfo, error) {
	if err := CheckPath(p); err != nil {
		return nil, err
	}
	if err := l.realDir(path.Dir(p)); err != nil {
		return nil, err
	}
	info, err := l.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot look at %s", p)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, l.linkError(p)
	}
	return info, nil
}

// realDir refuses a folder that is reached through a symlink. During an Update each folder is looked at once.
func (l *Library) realDir(dir string) error {
	if dir == "." || l.okDirs[dir] {
		return nil
	}
	if err := l.realDir(path.Dir(dir)); err != nil {
		return err
	}
	info, err := l.root.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case err != nil:
		return schema.Wrap(err, schema.CodeUnexpected, "cannot look at %s", dir)
	case info.Mode()&fs.ModeSymlink != 0:
		return l.linkError(dir)
	case !info.IsDir():
		return fs.ErrNotExist
	}
	if l.okDirs != nil {
		l.okDirs[dir] = true
	}
	return nil
}

func (l *Library) linkError(p string) error {
	if _, err := l.root.Stat(p); err != nil {
		return schema.Errorf(schema.CodeInvalid, "%s is a symbolic link that leads out of the library or nowhere", p).
			WithHint("put the file or folder itself in its place")
	}
	return schema.Errorf(schema.CodeInvalid, "%s is a symbolic link; the library holds files and folders only", p).
		WithHint("put the file or folder itself in its place")
}

// ReadFile reads a file of the worktree. Absent: CodeNotFound; a symlink, no regular file or more than MaxFile bytes:
// CodeInvalid.
func (l *Library) ReadFile(p string) ([]byte, error) {
	data, _, err := l.read(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Wrap(fs.ErrNotExist, schema.CodeNotFound, "there is no file %s", p)
	}
	return data, err
}

// read gives the bytes and the file's information; fs.ErrNotExist when it is absent.
func (l *Library) read(p string) ([]byte, fs.FileInfo, error) {
	f, opened, err := l.openFile(p)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, 0, opened.Size()+512)
	data, err = readInto(data, io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", p)
	}
	if len(data) > MaxFile {
		return nil, nil, tooLarge(p, int64(len(data)))
	}
	return data, opened, nil
}

// openFile opens a file of the worktree for reading; fs.ErrNotExist when it is absent.
func (l *Library) openFile(p string) (*os.File, fs.FileInfo, error) {
	info, err := l.lstat(p)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, schema.Errorf(schema.CodeInvalid, "%s is not a file", p)
	}
	if info.Size() > MaxFile {
		return nil, nil, tooLarge(p, info.Size())
	}
	f, err := l.root.Open(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", p)
	}
	opened, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", p)
	}
	if !opened.Mode().IsRegular() {
		_ = f.Close()
		return nil, nil, schema.Errorf(schema.CodeInvalid, "%s is not a file", p)
	}
	return f, opened, nil
}

func readInto(buf []byte, r io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}

func tooLarge(p string, size int64) error {
	return schema.Errorf(schema.CodeInvalid, "%s has %d bytes; %d are allowed", p, size, int64(MaxFile)).
		WithHint("split the file")
}

// FileBlob is the git blob id of a worktree file, from the index's stat cache where that is certain. Absent:
// CodeNotFound.
func (l *Library) FileBlob(p string) (schema.OID, error) {
	info, err := l.lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return schema.OID{}, schema.Wrap(fs.ErrNotExist, schema.CodeNotFound, "there is no file %s", p)
	}
	if err != nil {
		return schema.OID{}, err
	}
	if !info.Mode().IsRegular() {
		return schema.OID{}, schema.Errorf(schema.CodeInvalid, "%s is not a file", p)
	}
	return l.store.FileBlob(p)
}

// workBlob is the id of the bytes that lie at p now, read and not remembered; the zero id when nothing is there.
func (l *Library) workBlob(p string) (schema.OID, error) {
	f, info, err := l.openFile(p)
	if errors.Is(err, fs.ErrNotExist) {
		return schema.OID{}, nil
	}
	if err != nil {
		return schema.OID{}, err
	}
	id, n, err := gitstore.HashReader(f, info.Size())
	_ = f.Close()
	if err == nil && n == info.Size() {
		return id, nil
	}
	data, _, err := l.read(p) // it is being written to: what there is now
	if err != nil {
		return schema.OID{}, err
	}
	return schema.HashBlob(data), nil
}

// parents lists the folders above p, nearest first, without the root.
func parents(p string) []string {
	var out []string
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		out = append(out, d)
	}
	return out
}
