package gitstore

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sharing is core.sharedRepository: the permissions that files of a repository get when several accounts work in it.
type sharing struct {
	bits  os.FileMode // added, or all of them when exact
	exact bool
}

func readSharing(c *Config) sharing {
	v, ok := c.Get("core.sharedrepository")
	if !ok {
		return sharing{}
	}
	switch strings.ToLower(v) {
	case "umask", "0", "false", "no", "off", "":
		return sharing{}
	case "group", "1", "true", "yes", "on":
		return sharing{bits: 0o660}
	case "all", "world", "everybody", "2":
		return sharing{bits: 0o664}
	}
	if n, err := strconv.ParseUint(v, 8, 32); err == nil && n&0o600 == 0o600 {
		return sharing{bits: os.FileMode(n) & 0o666, exact: true}
	}
	return sharing{}
}

// mode is what the permissions of a file or folder become.
func (s sharing) mode(st os.FileInfo) os.FileMode {
	perm, tweak := st.Mode().Perm(), s.bits
	if perm&0o200 == 0 {
		tweak &^= 0o222
	}
	if perm&0o100 != 0 {
		tweak |= tweak & 0o444 >> 2
	}
	if s.exact {
		perm = tweak
	} else {
		perm |= tweak
	}
	if st.IsDir() && perm&0o060 != 0 {
		return perm | os.ModeSetgid
	}
	return perm
}

// share gives a new file or folder the permissions of a shared repository.
func (r *Repo) share(path string) error {
	if r.shared.bits == 0 {
		return nil
	}
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	want := r.shared.mode(st)
	if st.Mode()&(os.ModePerm|os.ModeSetgid) == want {
		return nil
	}
	return os.Chmod(path, want)
}

// newTemp is createTemp with the permissions of a shared repository.
func (r *Repo) newTemp(dir, prefix string, perm os.FileMode) (*os.File, error) {
	f, err := createTemp(dir, prefix, perm)
	if err != nil {
		return nil, err
	}
	if err := r.share(f.Name()); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// makeDirs creates a folder of the repository with its missing parents, durably.
func (r *Repo) makeDirs(dir string) error {
	if isDir(dir) {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := r.makeDirs(parent); err != nil {
			return err
		}
	}
	if err := makeDirs(dir); err != nil {
		return err
	}
	return r.share(dir)
}
