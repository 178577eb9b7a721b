package workflow

import (
	"path"
	"slices"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
)

// Kinds of plan entries (seed novel_draft, planBookDelete).
const (
	EntryDir   = "dir"   // a folder, with everything in it
	EntryFiles = "files" // the book's files of a flat folder
)

// Keys of plan entries; a flat data folder's is data:<folder>.
const (
	EntryBook     = "book"
	EntryMaterial = "material"
	EntryRecords  = "data:books"
	EntryDrafts   = "data:drafts"
	EntryWork     = "data:tmp"
)

// PlanEntry is one part of what belongs to a book.
type PlanEntry struct {
	Key       string   `json:"key"`
	Kind      string   `json:"kind"`
	Path      string   `json:"path"`
	Size      int64    `json:"size"`  // bytes, of everything below
	Files     int      `json:"files"` // of all of them
	Names     []string `json:"names,omitempty"`
	Unsaved   []string `json:"unsaved,omitempty"` // git has not got them as they lie on disk
	Untracked int      `json:"untracked,omitempty"`
	Ignored   int      `json:"ignored,omitempty"`

	items []repo.Item
}

// bookItems lists what belongs to a book, part by part; parts without files are left out. The faults are what cannot be
// moved.
func (s *Session) bookItems(snap *repo.Snapshot, name schema.BookName) ([]PlanEntry, []schema.Fault, error) {
	entries := []PlanEntry{
		{Key: EntryBook, Kind: EntryDir, Path: schema.BookDir(name)},
		{Key: EntryMaterial, Kind: EntryDir, Path: schema.MaterialDir + "/" + string(name)},
		{Key: EntryRecords, Kind: EntryDir, Path: schema.BookDataDir(name)},
		{Key: EntryDrafts, Kind: EntryDir, Path: schema.DraftDir(name)},
	}
	known, err := s.bookNames(snap)
	if err != nil {
		return nil, nil, err
	}
	for _, folder := range schema.FlatDataFolders() {
		entries = append(entries, PlanEntry{Key: "data:" + folder, Kind: EntryFiles, Path: schema.DataDir + "/" + folder})
	}
	entries = append(entries, PlanEntry{Key: EntryWork, Kind: EntryDir, Path: schema.TmpDir + "/" + string(name)})
	var out []PlanEntry
	var faults []schema.Fault
	for _, e := range entries {
		var dirs, files []string
		if e.Kind == EntryDir {
			dirs = []string{e.Path}
		} else if files, err = s.scopedFiles(snap, e.Path, name, known); err != nil {
			return nil, nil, err
		}
		items, bad, err := s.lib.Items(snap, dirs, files)
		if err != nil {
			return nil, nil, err
		}
		faults = append(faults, bad...)
		if len(items) == 0 {
			continue
		}
		e.fill(items)
		out = append(out, e)
	}
	return out, faults, nil
}

func (e *PlanEntry) fill(items []repo.Item) {
	e.items, e.Files = items, len(items)
	for i := range items {
		it := &items[i]
		e.Size += it.Size
		if e.Kind == EntryFiles {
			e.Names = append(e.Names, path.Base(it.Path))
		}
		switch {
		case it.Ignored:
			e.Ignored++
		case !it.Tracked():
			e.Untracked++
		}
		if it.Unsaved() {
			e.Unsaved = append(e.Unsaved, it.Path)
		}
	}
}

// bookNames lists every name that stands for a book here: those with a state, and folders that carry a book's name.
func (s *Session) bookNames(snap *repo.Snapshot) ([]schema.BookName, error) {
	names, err := repo.Books(snap)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{schema.NovelsDir, schema.MaterialDir, schema.BooksDir, schema.DraftsDir} {
		list, err := s.lib.ListFolders(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if n := path.Base(f); schema.IsBookName(n) {
				names = append(names, schema.BookName(n))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// scopedFiles lists the files of a flat data folder that belong to the book by their name, on disk and in git.
func (s *Session) scopedFiles(snap *repo.Snapshot, dir string, name schema.BookName, known []schema.BookName) ([]string, error) {
	list, err := s.lib.ListFiles(dir)
	if err != nil {
		return nil, err
	}
	entries, err := snap.List(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Mode.IsFile() {
			list = append(list, dir+"/"+e.Name)
		}
	}
	slices.Sort(list)
	var out []string
	for _, p := range slices.Compact(list) {
		if owner, ok := schema.ScopedBook(path.Base(p), append(slices.Clip(known), name)); ok && owner == name {
			out = append(out, p)
		}
	}
	return out, nil
}

// cannotMove is the refusal of a book that holds what no transition can move.
func cannotMove(name schema.BookName, faults []schema.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeConflict, "the book %s holds things that cannot be moved", string(name)).
		WithHint("move them out of the book's folders, then run the command again").WithDetails(faults...)
}

func entryDirs(entries []PlanEntry) []string {
	var out []string
	for _, e := range entries {
		if e.Kind == EntryDir {
			out = append(out, e.Path)
		}
	}
	return out
}

// keysOf lists the keys of a plan.
func keysOf(entries []PlanEntry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Key)
	}
	return out
}

func joined(words []string) string { return strings.Join(words, ", ") }
