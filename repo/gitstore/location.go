package gitstore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-novel/schema"
)

// Location says where the parts of a repository lie. All paths are absolute, symbolic links resolved.
type Location struct {
	GitDir    string // HEAD, index and the other files of this worktree
	CommonDir string // objects, refs and config; the same as GitDir except in a linked worktree
	WorkTree  string // empty in a bare repository
}

// maxSmallFile bounds the control files that are read whole: configs, HEAD, .git files.
const maxSmallFile = 8 << 20

// Discover finds the repository that dir lies in, walking up like git does, linked worktrees and bare repositories
// included. The environment (GIT_DIR and its kin) is ignored on purpose: inside a hook of another repository it names the
// wrong one. CodeNotLibrary when there is none.
func Discover(dir string) (Location, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Location{}, schema.Wrap(err, schema.CodeUnexpected, "cannot resolve the path %s", dir)
	}
	if target, err := filepath.EvalSymlinks(abs); err == nil {
		abs = target
	}
	for d := abs; ; d = filepath.Dir(d) {
		loc, ok, err := probe(d)
		if err != nil || ok {
			return loc, err
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	return Location{}, schema.Errorf(schema.CodeNotLibrary, "%s is not inside a git repository", dir).
		WithHint("make a library here with: git novel init")
}

// probe looks for a repository at exactly d.
func probe(d string) (Location, bool, error) {
	dot := filepath.Join(d, ".git")
	switch st, err := os.Lstat(dot); {
	case err == nil && st.Mode().IsRegular():
		target, err := readGitFile(dot)
		if err != nil {
			return Location{}, false, err
		}
		loc, err := locate(target, d)
		return loc, err == nil, err
	case err == nil:
		if isGitDir(dot) {
			loc, err := locate(dot, d)
			return loc, err == nil, err
		}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
		return Location{}, false, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", dot)
	}
	if !isGitDir(d) {
		return Location{}, false, nil
	}
	// A hook of a repository with a worktree may run inside its git directory.
	work := ""
	if filepath.Base(d) == ".git" {
		work = filepath.Dir(d)
	}
	loc, err := locate(d, work)
	return loc, err == nil, err
}

// locate completes a Location from a git directory and the worktree it was found through.
func locate(gitDir, work string) (Location, error) {
	if target, err := filepath.EvalSymlinks(gitDir); err == nil {
		gitDir = target
	}
	if !isGitDir(gitDir) {
		return Location{}, schema.Errorf(schema.CodeNotLibrary, "%s is named as a git directory but is none", gitDir)
	}
	loc := Location{GitDir: gitDir, CommonDir: gitDir, WorkTree: work}
	common, ok, err := readLine(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return Location{}, err
	}
	if ok && common != "" {
		loc.CommonDir = absFrom(gitDir, common)
		if work == "" {
			// Inside .git/worktrees/<id>: the file "gitdir" names the worktree's .git file.
			if back, ok, err := readLine(filepath.Join(gitDir, "gitdir")); err == nil && ok && back != "" {
				loc.WorkTree = filepath.Dir(absFrom(gitDir, back))
			}
		}
		return loc, nil
	}
	return loc.withConfig()
}

// withConfig applies core.bare and core.worktree of the repository's own config, as submodules need.
func (loc Location) withConfig() (Location, error) {
	file := filepath.Join(loc.CommonDir, "config")
	data, err := readBounded(file, maxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return loc, nil
	}
	if err != nil {
		return Location{}, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	c := &Config{}
	err = parseConfig(file, data, func(v configVar) error {
		c.add(v)
		return nil
	})
	if err != nil {
		return Location{}, err
	}
	if tree, ok := c.Get("core.worktree"); ok && tree != "" {
		loc.WorkTree = absFrom(loc.GitDir, tree)
	} else if c.Bool("core.bare", false) {
		loc.WorkTree = ""
	}
	return loc, nil
}

// isGitDir reports what git takes for a git directory: a HEAD, and objects and refs there or in the common directory.
func isGitDir(d string) bool {
	st, err := os.Lstat(filepath.Join(d, "HEAD"))
	if err != nil || st.IsDir() {
		return false
	}
	common := d
	if line, ok, err := readLine(filepath.Join(d, "commondir")); err == nil && ok && line != "" {
		common = absFrom(d, line)
	}
	return isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}

// readGitFile reads a .git file ("gitdir: PATH").
func readGitFile(file string) (string, error) {
	line, _, err := readLine(file)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(line, "gitdir: ")
	if !ok || target == "" {
		return "", schema.Errorf(schema.CodeNotLibrary, "%s does not name a git directory", file)
	}
	return absFrom(filepath.Dir(file), target), nil
}

// readLine reads a one-line control file; ok is false when it does not exist.
func readLine(file string) (line string, ok bool, err error) {
	data, err := readBounded(file, maxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	return string(bytes.TrimRight(data, "\r\n")), true, nil
}

// absFrom resolves p against base and cleans it, following links where the target exists.
func absFrom(base, p string) string {
	p = filepath.FromSlash(p)
	if !filepath.IsAbs(p) {
		p = filepath.Join(base, p)
	}
	if target, err := filepath.EvalSymlinks(p); err == nil {
		return target
	}
	return filepath.Clean(p)
}

// errTooLarge is the cause when a file exceeds its bound.
var errTooLarge = errors.New("file is larger than the limit")

// readBounded reads a whole file of at most limit bytes.
func readBounded(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readAllBounded(f, limit)
}

func readAllBounded(f *os.File, limit int64) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errTooLarge}
	}
	buf := make([]byte, st.Size()+1)
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return buf[:n], nil
	}
	if err != nil {
		return nil, err
	}
	// The file grew while it was read.
	rest, err := io.ReadAll(io.LimitReader(f, limit-int64(n)+1))
	if err != nil {
		return nil, err
	}
	buf = append(buf, rest...)
	if int64(len(buf)) > limit {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errTooLarge}
	}
	return buf, nil
}
