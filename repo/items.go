package repo

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Item is one file of a book as it lies on disk and in one snapshot: what moves when the book is deleted or renamed.
type Item struct {
	Path    string
	Size    int64          // in bytes, on disk; of the snapshot's version when it is not there
	Head    gitstore.Entry // in the snapshot; zero when it has not got it
	Work    schema.OID     // on disk; zero when it is not there
	Mode    gitstore.Mode  // on disk, else the snapshot's
	Ignored bool           // git ignores it, and it is not in the snapshot
}

// Tracked reports a file that the snapshot has.
func (i *Item) Tracked() bool { return !i.Head.IsZero() }

// Missing reports a file of the snapshot that was deleted on disk.
func (i *Item) Missing() bool { return i.Work.IsZero() }

// Edited reports a file of the snapshot that lies otherwise on disk.
func (i *Item) Edited() bool {
	return i.Tracked() && !i.Missing() && (i.Work != i.Head.ID || i.Mode != i.Head.Mode)
}

// Unsaved reports a file that git has not got as it lies on disk.
func (i *Item) Unsaved() bool { return !i.Ignored && (!i.Tracked() || i.Edited() || i.Missing()) }

// Items lists every file below the folders, and the named files that are there, by path: those on disk and those of the
// snapshot. What no transition can move is told as faults: links, files above MaxFile, repositories inside, devices. Empty
// folders are nothing.
func (l *Library) Items(snap *Snapshot, dirs, files []string) ([]Item, []schema.Fault, error) {
	c := &itemScan{l: l, ignores: l.store.Ignores(), modes: l.store.Config().Bool("core.filemode", true), items: map[string]*Item{}}
	for _, dir := range dirs {
		if err := snap.Walk(dir, c.inHead); err != nil {
			return nil, nil, err
		}
		if err := c.walk(dir); err != nil {
			return nil, nil, err
		}
	}
	for _, p := range files {
		e, err := snap.entry(p)
		if err != nil {
			return nil, nil, err
		}
		if !e.IsZero() {
			if err := c.inHead(p, e); err != nil {
				return nil, nil, err
			}
		}
		if err := c.onDisk(p); err != nil {
			return nil, nil, err
		}
	}
	out := make([]Item, 0, len(c.items))
	for _, i := range c.items {
		if i.Missing() {
			size, err := l.store.BlobSize(i.Head.ID)
			if err != nil {
				return nil, nil, err
			}
			i.Size = size
		}
		out = append(out, *i)
	}
	slices.SortFunc(out, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	return out, c.faults, nil
}

// itemScan collects items.
type itemScan struct {
	l       *Library
	ignores *gitstore.Ignores
	modes   bool // the file system keeps the executable bit
	items   map[string]*Item
	faults  []schema.Fault
}

func (c *itemScan) fault(p, rule string, msg schema.Text) {
	c.faults = append(c.faults, schema.Fault{File: p, Rule: rule, Msg: msg})
}

func (c *itemScan) inHead(p string, e gitstore.Entry) error {
	if !e.Mode.IsFile() {
		c.fault(p, "no-file", schema.Textf("is a link or a submodule; only files can be moved"))
		return nil
	}
	c.items[p] = &Item{Path: p, Head: e, Mode: e.Mode}
	return nil
}

func (c *itemScan) walk(dir string) error {
	list, err := c.l.readDir(dir)
	if schema.CodeOf(err) == schema.CodeInvalid && err != nil {
		c.fault(dir, "no-folder", schema.Textf("is a link or no folder; only files can be moved"))
		return nil //nolint:nilerr // it is told as a fault
	}
	if err != nil {
		return err
	}
	for _, d := range list {
		p := dir + "/" + d.Name()
		switch {
		case d.IsDir() && isDotGit(d.Name()):
			c.fault(p, "repository-inside", schema.Textf("is a git repository of its own; move it away first"))
		case d.IsDir():
			if err := c.walk(p); err != nil {
				return err
			}
		default:
			if err := c.onDisk(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *itemScan) onDisk(p string) error {
	if err := CheckPath(p); err != nil {
		c.fault(p, "bad-name", schema.Textf("has a name that git does not allow"))
		return nil //nolint:nilerr // it is told as a fault
	}
	info, err := c.l.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return schema.Wrap(err, schema.CodeUnexpected, "cannot look at %s", p)
	case !info.Mode().IsRegular():
		c.fault(p, "no-file", schema.Textf("is a link or a submodule; only files can be moved"))
		return nil
	case info.Size() > MaxFile:
		c.fault(p, "too-large", schema.Textf("has %d bytes; %d are allowed", info.Size(), int64(MaxFile)))
		return nil
	}
	blob, err := c.l.FileBlob(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it went away meanwhile
	}
	if err != nil {
		return err
	}
	i := c.items[p]
	if i == nil {
		i = &Item{Path: p, Mode: gitstore.ModeFile, Ignored: c.ignores.Match(p, false)}
		c.items[p] = i
	}
	i.Work, i.Size = blob, info.Size()
	if c.modes {
		i.Mode = gitstore.ModeFile
		if info.Mode().Perm()&0o100 != 0 {
			i.Mode = gitstore.ModeExec
		}
	}
	return nil
}

// checkStaged refuses staged versions that are neither in HEAD nor on disk, for moving the file would lose them, and gives
// the paths that are staged without being in HEAD.
func (l *Library) checkStaged(items []Item) (fresh []string, err error) {
	ix, err := l.store.ReadIndex()
	if err != nil || ix.Unsupported != "" {
		return nil, err // git moves the index itself then
	}
	var faults []schema.Fault
	for i := range items {
		it := &items[i]
		for _, e := range ix.Stages(it.Path) {
			switch {
			case e.Stage != 0:
				faults = append(faults, schema.Fault{File: it.Path, Rule: "unmerged", Msg: schema.Textf("has an unresolved conflict")})
			case !e.IntentToAdd && e.ID != it.Head.ID && e.ID != it.Work:
				faults = append(faults, schema.Fault{File: it.Path, Rule: "staged", Msg: schema.Textf("holds a staged edit that is not committed")})
			case !it.Tracked():
				fresh = append(fresh, it.Path)
			}
		}
	}
	if len(faults) == 0 {
		return fresh, nil
	}
	return nil, schema.Errorf(schema.CodeConflict, "the index holds edits of files that this command moves").
		WithHint("commit them with git commit, or drop them with: git restore --staged -- %s", quoteArg(faults[0].File)).
		WithDetails(faults...)
}

// Unstage takes paths out of the index whose files were moved away and that no commit has: what was staged of them is kept
// where they went. A failure leaves entries that `git status` shows and that do no harm.
func (l *Library) Unstage(paths []string) {
	if len(paths) == 0 {
		return
	}
	lock, err := l.store.LockIndex(l.o.Wait)
	if err != nil {
		return
	}
	defer lock.Rollback()
	var edits []gitstore.IndexEdit
	for _, p := range paths {
		if _, err := l.root.Lstat(p); errors.Is(err, fs.ErrNotExist) {
			edits = append(edits, gitstore.IndexEdit{Path: p, Delete: true})
		}
	}
	if lock.Apply(edits) == nil {
		_ = lock.Commit()
	}
}

// RemoveEmptyDirs removes the folders that are empty, with what is empty in them: git keeps none, and an empty folder in
// novels/ would look like a book. Folders of the two trees themselves stay.
func (l *Library) RemoveEmptyDirs(dirs []string) {
	for _, d := range dirs {
		l.removeHollow(d)
	}
}

func (l *Library) removeHollow(dir string) {
	if CheckPath(dir) != nil || !strings.Contains(dir, "/") {
		return
	}
	list, err := l.readDir(dir)
	if err != nil {
		return
	}
	for _, d := range list {
		if d.IsDir() {
			l.removeHollow(path.Join(dir, d.Name()))
		}
	}
	_ = l.root.Remove(dir)
}

// ListFolders lists the paths of the folders directly in a folder of the worktree, by name; none when it is not there.
func (l *Library) ListFolders(dir string) ([]string, error) {
	list, err := l.readDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range list {
		if d.IsDir() {
			out = append(out, dir+"/"+d.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

// TakeAway takes files that are kept elsewhere out of the current branch and from disk, in this transaction. What is staged
// of them and is nowhere else is refused. It gives the paths for Unstage.
func TakeAway(tx *Tx, items []Item) (staged []string, err error) {
	if staged, err = tx.l.checkStaged(items); err != nil {
		return nil, err
	}
	for i := range items {
		if err := tx.RemoveSeen(items[i].Path, items[i].Work); err != nil {
			return nil, err
		}
	}
	return staged, nil
}
