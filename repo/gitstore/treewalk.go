package gitstore

import (
	"bytes"
	"strings"

	"git-novel/schema"
)

// Change is one file that differs between two trees. A zero Entry stands for "absent".
type Change struct {
	Path     string
	Old, New Entry
}

// Lookup finds the entry at a slash-separated path below a tree; the empty path is the tree itself.
func (r *Repo) Lookup(root schema.OID, path string) (Entry, bool, error) {
	e := Entry{Mode: ModeDir, ID: root}
	if path == "" {
		return e, true, nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if !e.IsDir() {
			return Entry{}, false, nil
		}
		data, err := r.treeData(e.ID)
		if err != nil {
			return Entry{}, false, err
		}
		found, ok, err := findEntry(data, part)
		if err != nil {
			return Entry{}, false, damaged(e.ID, err)
		}
		if !ok {
			return Entry{}, false, nil
		}
		e = Entry{Name: part, Mode: found.mode, ID: found.id}
	}
	return e, true, nil
}

func findEntry(data []byte, name string) (rawEntry, bool, error) {
	s := treeScanner{data: data}
	for s.next() {
		if string(s.cur.name) == name {
			return s.cur, true, nil
		}
	}
	return rawEntry{}, false, s.err
}

// Walk calls fn for every file below dir (the whole tree for ""), in git's order, with its path from the root. Folders
// are entered, not reported; a dir that does not exist has no files.
func (r *Repo) Walk(root schema.OID, dir string, fn func(path string, e Entry) error) error {
	e, ok, err := r.Lookup(root, dir)
	if err != nil || !ok || !e.IsDir() {
		return err
	}
	return r.walk(e.ID, dir, 0, fn)
}

// maxTreeDepth bounds recursion over hostile trees; git's own limit (core.maxTreeDepth) is 2048.
const maxTreeDepth = 2048

func (r *Repo) walk(id schema.OID, dir string, depth int, fn func(path string, e Entry) error) error {
	if depth > maxTreeDepth {
		return schema.Errorf(schema.CodeGit, "folders in the git tree are nested more than %d deep", maxTreeDepth)
	}
	entries, err := r.Tree(id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := joinPath(dir, e.Name)
		if e.IsDir() {
			err = r.walk(e.ID, p, depth+1, fn)
		} else {
			err = fn(p, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func joinPath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// Diff calls fn for every file that differs between the trees a and b below prefix, in git's order. Equal subtrees are
// not read. The zero id is the empty tree.
func (r *Repo) Diff(a, b schema.OID, prefix string, fn func(Change) error) error {
	old, _, err := r.Lookup(a, prefix)
	if err != nil {
		return err
	}
	now, _, err := r.Lookup(b, prefix)
	if err != nil {
		return err
	}
	return r.diffEntry(old, now, prefix, 0, fn)
}

// diffEntry compares what stands at one path on both sides.
func (r *Repo) diffEntry(old, now Entry, path string, depth int, fn func(Change) error) error {
	if old.ID == now.ID && old.Mode == now.Mode {
		return nil
	}
	if depth > maxTreeDepth {
		return schema.Errorf(schema.CodeGit, "folders in the git tree are nested more than %d deep", maxTreeDepth)
	}
	c := Change{Path: path, Old: old, New: now}
	var from, to schema.OID
	if old.IsDir() {
		from, c.Old = old.ID, Entry{}
	}
	if now.IsDir() {
		to, c.New = now.ID, Entry{}
	}
	if !c.Old.IsZero() || !c.New.IsZero() {
		if err := fn(c); err != nil {
			return err
		}
	}
	if from == to {
		return nil
	}
	return r.diffTrees(from, to, path, depth, fn)
}

// diffTrees walks two sorted trees side by side.
func (r *Repo) diffTrees(a, b schema.OID, dir string, depth int, fn func(Change) error) error {
	oldData, err := r.treeData(a)
	if err != nil {
		return err
	}
	newData, err := r.treeData(b)
	if err != nil {
		return err
	}
	x, y := treeScanner{data: oldData}, treeScanner{data: newData}
	skipCommon(&x, &y)
	moreX, moreY := x.next(), y.next()
	for moreX || moreY {
		var old, now Entry
		var order int
		switch {
		case !moreY:
			order = -1
		case !moreX:
			order = 1
		default:
			order = treeOrder(x.cur.name, x.cur.mode == ModeDir, y.cur.name, y.cur.mode == ModeDir)
		}
		same := order == 0 && x.cur.id == y.cur.id && x.cur.mode == y.cur.mode
		if !same && order <= 0 {
			old = x.cur.entry()
		}
		if !same && order >= 0 {
			now = y.cur.entry()
		}
		if order <= 0 {
			moreX = x.next()
		}
		if order >= 0 {
			moreY = y.next()
		}
		if same {
			continue
		}
		name := old.Name
		if old.IsZero() {
			name = now.Name
		}
		if err := r.diffEntry(old, now, joinPath(dir, name), depth+1, fn); err != nil {
			return err
		}
		if moreX && moreY && bytes.Equal(x.data[x.cur.start:], y.data[y.cur.start:]) {
			return nil // the rest is the same
		}
	}
	if x.err != nil {
		return damaged(a, x.err)
	}
	if y.err != nil {
		return damaged(b, y.err)
	}
	return nil
}

// skipCommon moves both scanners behind the entries that both trees begin with. In a folder of thousands of chapters this
// is most of the work of a diff.
func skipCommon(x, y *treeScanner) {
	n := min(len(x.data), len(y.data))
	const block = 1024
	same := 0
	for same+block <= n && bytes.Equal(x.data[same:same+block], y.data[same:same+block]) {
		same += block
	}
	for same < n && x.data[same] == y.data[same] {
		same++
	}
	s, at := treeScanner{data: x.data}, 0
	for s.next() && s.pos <= same {
		at = s.pos
	}
	x.pos, y.pos = at, at
}

func (e rawEntry) entry() Entry { return Entry{Name: string(e.name), Mode: e.mode, ID: e.id} }
