package repo

import (
	"errors"
	"io/fs"
	"path"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
)

// folders keeps the folders open that a transaction writes into. Its files come sorted by path, so few are needed at once.
type folders struct {
	l    *Library
	kept []*openFolder
}

type openFolder struct {
	path string
	*atomicfile.Folder
}

// keptFolders is how many folders stay open: the one that is written to and those above it.
const keptFolders = 8

// open opens a folder and makes it and what is above it where it is missing. made receives the folders that were made,
// outermost first; dirty are those in which names are new. A link on the way is CodeInvalid.
func (f *folders) open(dir string, made *[]string) (folder *atomicfile.Folder, dirty []string, err error) {
	for _, k := range f.kept {
		if k.path == dir {
			return k.Folder, nil, nil
		}
	}
	if dir == "." {
		folder, err = atomicfile.OpenFolder(f.l.root, dir)
	} else {
		folder, dirty, err = f.below(dir, made)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(f.kept) >= keptFolders {
		f.drop(dir)
	}
	f.kept = append(f.kept, &openFolder{path: dir, Folder: folder})
	return folder, dirty, nil
}

func (f *folders) below(dir string, made *[]string) (folder *atomicfile.Folder, dirty []string, err error) {
	above, dirty, err := f.open(path.Dir(dir), made)
	if err != nil {
		return nil, nil, err
	}
	switch fresh, err := above.Mkdir(path.Base(dir), 0o755); {
	case err != nil:
		return nil, nil, err
	case fresh:
		*made = append(*made, dir)
		dirty = append(dirty, path.Dir(dir))
	default:
		if err := f.isFolder(dir); err != nil {
			return nil, nil, err
		}
	}
	folder, err = above.Open(path.Base(dir))
	return folder, dirty, err
}

// isFolder refuses a link or a file in the place of a folder.
func (f *folders) isFolder(dir string) error {
	info, err := f.l.lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return schema.Wrap(err, schema.CodeConflict, "%s is not a folder", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return schema.Errorf(schema.CodeConflict, "%s is not a folder", dir)
	}
	return nil
}

// drop closes the folder kept longest that is not above dir.
func (f *folders) drop(dir string) {
	for i, k := range f.kept {
		if k.path != "." && !within(dir, k.path) {
			k.Close()
			f.kept = append(f.kept[:i], f.kept[i+1:]...)
			return
		}
	}
}

func within(p, dir string) bool {
	return len(p) > len(dir) && p[:len(dir)] == dir && p[len(dir)] == '/'
}

func (f *folders) close() {
	for _, k := range f.kept {
		k.Close()
	}
	f.kept = nil
}
