package repo

import (
	"slices"

	"git-novel/schema"
)

// Config is the library's config.toml as it lies on disk, with the defaults filled in; the defaults alone when there is
// none. A file that does not parse is CodeInvalid with every fault.
func (l *Library) Config() (*schema.Config, error) {
	data, err := l.ReadFile(schema.ConfigPath)
	if err != nil && schema.CodeOf(err) != schema.CodeNotFound {
		return nil, err
	}
	return schema.ParseConfig(schema.ConfigPath, data, schema.LibraryScope)
}

// ListFiles lists the paths of the regular files directly in a folder of the worktree, by name; none when it is not there.
func (l *Library) ListFiles(dir string) ([]string, error) {
	list, err := l.readDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range list {
		if d.Type().IsRegular() {
			out = append(out, dir+"/"+d.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

// ReadBookState reads a book's state.json from a snapshot. Damaged: CodeInvalid with file, line and column.
func ReadBookState(l *Library, snap *Snapshot, name schema.BookName) (*schema.BookState, error) {
	b, err := loadState(l, snap, name)
	if err != nil {
		return nil, err
	}
	return &b.State, nil
}
