package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-novel/schema"
)

// FolderSize is how much lies below a folder.
type FolderSize struct {
	Files int   `json:"files"`
	Size  int64 `json:"size"` // bytes
}

// DiskUse counts what lies below a folder of the library on disk, ignored files and links included, links not followed. A
// folder that is not there has nothing. Links are listed by path.
func (l *Library) DiskUse(dir string) (use FolderSize, links []string, err error) {
	if err := CheckPath(dir); err != nil {
		return use, nil, err
	}
	err = fs.WalkDir(l.root.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went away meanwhile
		}
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			links = append(links, p)
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it went away meanwhile
		}
		use.Files++
		use.Size += info.Size()
		return nil
	})
	if err != nil {
		return use, links, schema.Wrap(err, schema.CodeUnexpected, "cannot read the folder %s", dir)
	}
	return use, links, nil
}

// GitSize counts what lies in the common git folder.
func (l *Library) GitSize() FolderSize {
	var use FolderSize
	_ = filepath.WalkDir(l.loc.CommonDir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a size is not worth a failure
		}
		if info, err := d.Info(); err == nil {
			use.Files++
			use.Size += info.Size()
		}
		return nil
	})
	return use
}

// GitLocks lists git's own lock files that are there now: of the index, of HEAD, of the configuration and of refs. A lock
// that stays when no git command runs was left by one that died.
func (l *Library) GitLocks() []string {
	var out []string
	add := func(file string) {
		if _, err := os.Lstat(file); err == nil {
			out = append(out, file)
		}
	}
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		add(filepath.Join(l.loc.GitDir, name))
	}
	for _, name := range []string{"config.lock", "packed-refs.lock", "shallow.lock"} {
		add(filepath.Join(l.loc.CommonDir, name))
	}
	_ = filepath.WalkDir(filepath.Join(l.loc.CommonDir, "refs"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(file, ".lock") {
			out = append(out, file)
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// MissingDrivers names the settings of .git/config, and the lines of .gitignore and .gitattributes, that a library needs and
// this one has not got: a clone has none of the first.
func (l *Library) MissingDrivers() []string {
	var out []string
	cfg := l.store.Config()
	for _, kv := range drivers() {
		if have, ok := cfg.Get(kv[0]); !ok || have != kv[1] {
			out = append(out, kv[0])
		}
	}
	for _, file := range blockFiles() {
		data, _, err := l.read(file)
		if err != nil || string(mergeBlock(data, blockLines(file))) != string(data) {
			out = append(out, file)
		}
	}
	return out
}
