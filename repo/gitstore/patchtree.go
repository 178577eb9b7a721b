package gitstore

import (
	"slices"
	"strings"

	"git-novel/schema"
)

// Edit is one change to a tree: what stands at Path afterwards. With ModeDir a whole subtree is put there; a Delete takes
// away a file or a folder, and is no error when there is none.
type Edit struct {
	Path   string
	Mode   Mode
	ID     schema.OID
	Delete bool
}

// treeEdit is an Edit with the path still to go.
type treeEdit struct {
	parts []string
	edit  *Edit
}

// PatchTree applies edits to the tree root (the zero id is the empty tree) and gives the new tree. Only the trees on the
// edited paths are read and written; folders that become empty vanish. A file where a folder is needed, or the other way
// round, is CodeConflict.
func (b *Batch) PatchTree(root schema.OID, edits []Edit) (schema.OID, error) {
	list := make([]treeEdit, len(edits))
	var faults []schema.Fault
	for i := range edits {
		e := &edits[i]
		parts, err := splitPath(e.Path)
		if err != nil {
			faults = append(faults, schema.Fault{File: e.Path, Msg: schema.Textf("git does not allow the path %q", e.Path)})
		}
		if !e.Delete && (!e.Mode.valid() || e.ID.IsZero()) {
			faults = append(faults, schema.Fault{File: e.Path, Msg: schema.Textf("the entry %q has no valid mode or object", e.Path)})
		}
		if o := b.byID[e.ID]; o != nil && o.typ == BlobObject && o.size >= segmentedMin {
			o.path = e.Path
		}
		list[i] = treeEdit{parts: parts, edit: e}
	}
	if len(faults) > 0 {
		return schema.OID{}, schema.Errorf(schema.CodeInvalid, "the changes cannot be stored in git").WithDetails(faults...)
	}
	slices.SortFunc(list, func(x, y treeEdit) int { return slices.Compare(x.parts, y.parts) })
	for i := 1; i < len(list); i++ {
		if list[i].edit.Path == list[i-1].edit.Path {
			return schema.OID{}, schema.Errorf(schema.CodeUnexpected, "the path %q is changed twice in one commit", list[i].edit.Path)
		}
	}
	id, err := b.patch(root, list, 0)
	if err == nil && id.IsZero() {
		return b.add(TreeObject, nil), nil
	}
	return id, err
}

// editGroup is the edits that share one name in a folder.
type editGroup struct {
	name  string
	leaf  *Edit
	deep  []treeEdit
	old   rawEntry
	final Entry // zero when nothing stands there afterwards
}

// patch gives the id of the changed tree, zero when it became empty. The edits are sorted and share depth components.
func (b *Batch) patch(id schema.OID, list []treeEdit, depth int) (schema.OID, error) {
	data, err := b.treeData(id)
	if err != nil {
		return schema.OID{}, err
	}
	groups := groupEdits(list, depth)
	byName := make(map[string]*editGroup, len(groups))
	for i := range groups {
		byName[groups[i].name] = &groups[i]
	}
	s := treeScanner{data: data}
	for s.next() {
		if g, ok := byName[string(s.cur.name)]; ok {
			g.old = s.cur
		}
	}
	if s.err != nil {
		return schema.OID{}, damaged(id, s.err)
	}
	changed := false
	for i := range groups {
		g := &groups[i]
		if err := b.resolve(g, depth); err != nil {
			return schema.OID{}, err
		}
		changed = changed || g.final.Mode != g.old.mode || g.final.ID != g.old.id
	}
	if !changed {
		return id, nil
	}
	out := splice(data, groups)
	if len(out) == 0 {
		return schema.OID{}, nil
	}
	return b.add(TreeObject, out), nil
}

func groupEdits(list []treeEdit, depth int) []editGroup {
	var groups []editGroup
	for _, e := range list {
		name := e.parts[depth]
		if len(groups) == 0 || groups[len(groups)-1].name != name {
			groups = append(groups, editGroup{name: name})
		}
		g := &groups[len(groups)-1]
		if len(e.parts) == depth+1 {
			g.leaf = e.edit
		} else {
			g.deep = append(g.deep, e)
		}
	}
	return groups
}

// resolve decides what stands at the group's name afterwards.
func (b *Batch) resolve(g *editGroup, depth int) error {
	cur := Entry{Name: g.name, Mode: g.old.mode, ID: g.old.id}
	if g.leaf != nil {
		switch {
		case g.leaf.Delete:
			cur.Mode = 0
		case g.leaf.Mode == ModeDir:
			cur.Mode, cur.ID = ModeDir, g.leaf.ID
		case !cur.IsDir():
			g.final = Entry{Name: g.name, Mode: g.leaf.Mode, ID: g.leaf.ID}
			return b.under(g, g.final)
		}
	}
	if !cur.IsZero() && !cur.IsDir() {
		g.final = cur
		return b.under(g, cur)
	}
	if cur.IsZero() {
		cur = Entry{Name: g.name}
	}
	if len(g.deep) > 0 {
		id, err := b.patch(cur.ID, g.deep, depth+1)
		if err != nil {
			return err
		}
		cur.Mode, cur.ID = ModeDir, id
	}
	if cur.ID.IsZero() || cur.ID == EmptyTree() {
		cur = Entry{}
	}
	if g.leaf != nil && !g.leaf.Delete && g.leaf.Mode != ModeDir {
		if !cur.IsZero() {
			return schema.Errorf(schema.CodeConflict, "%s is a folder, so no file can be stored under that name", g.leaf.Path)
		}
		cur = Entry{Name: g.name, Mode: g.leaf.Mode, ID: g.leaf.ID}
	}
	g.final = cur
	return nil
}

// under refuses files below a file; taking away what is not there is fine.
func (b *Batch) under(g *editGroup, file Entry) error {
	for _, e := range g.deep {
		if !e.edit.Delete {
			return schema.Errorf(schema.CodeConflict, "%s is a file, so nothing can be stored below it (%s)",
				strings.Join(e.parts[:len(e.parts)-1], "/"), e.edit.Path).WithDetails(schema.Fault{
				File: e.edit.Path, Rule: "file-not-folder", Msg: schema.Textf("%q is not a folder", file.Name),
			})
		}
	}
	return nil
}

// splice copies the tree, leaving out the old entries of the groups and putting the new ones where git sorts them.
func splice(data []byte, groups []editGroup) []byte {
	size := len(data)
	drop := make([]rawEntry, 0, len(groups))
	put := make([]Entry, 0, len(groups))
	for _, g := range groups {
		if g.old.end > 0 {
			drop = append(drop, g.old)
		}
		if !g.final.IsZero() {
			put = append(put, g.final)
			size += len(g.name) + 28
		}
	}
	slices.SortFunc(drop, func(x, y rawEntry) int { return x.start - y.start })
	slices.SortFunc(put, func(x, y Entry) int {
		return treeOrder([]byte(x.Name), x.IsDir(), []byte(y.Name), y.IsDir())
	})
	out := make([]byte, 0, size)
	s := treeScanner{data: data}
	from := 0 // bytes before it are copied or dropped
	for len(put) > 0 && s.next() {
		for len(put) > 0 && treeOrder([]byte(put[0].Name), put[0].IsDir(), s.cur.name, s.cur.mode == ModeDir) <= 0 {
			out, from, drop = copyKept(out, data, from, s.cur.start, drop)
			out = appendEntry(out, put[0].Name, put[0].Mode, put[0].ID)
			put = put[1:]
		}
	}
	out, _, _ = copyKept(out, data, from, len(data), drop)
	for _, e := range put {
		out = appendEntry(out, e.Name, e.Mode, e.ID)
	}
	return out
}

// copyKept copies data[from:to] without the dropped ranges in it.
func copyKept(out, data []byte, from, to int, drop []rawEntry) ([]byte, int, []rawEntry) {
	for len(drop) > 0 && drop[0].start < to {
		out = append(out, data[from:drop[0].start]...)
		from = drop[0].end
		drop = drop[1:]
	}
	if to > from {
		out = append(out, data[from:to]...)
		from = to
	}
	return out, from, drop
}
