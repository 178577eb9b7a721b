package repo

import (
	"strings"
	"time"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// LocalTrashPrefix begins the refs that hold what git ignores of a deleted book. It may hold secrets, so no backup pushes
// these refs (DESIGN 12).
const LocalTrashPrefix = "refs/novel/local-trash/"

// Inside the tree of a trash branch, beside the files at their own paths: what the paths alone cannot say. Neither name is
// below one of the library's two trees, so that they never meet a file of a book.
const (
	trashManifest = "trash.json" // only when there is something to say
	trashSaved    = "saved/"     // the last saved version of files that had edits

	trashSchema = "novel-trash/v1"
)

// manifest is trash.json.
type manifest struct {
	Schema    string   `json:"schema"`
	Untracked []string `json:"untracked,omitempty"` // no commit had them
	Edited    []string `json:"edited,omitempty"`    // what was saved of them is below saved/
	Missing   []string `json:"missing,omitempty"`   // they had been deleted on disk
	Ignored   int      `json:"ignored,omitempty"`   // files that only the library has where the book was deleted
}

// TrashedItems says where items went.
type TrashedItems struct {
	Branch string   // short name
	Local  string   // the local ref with the ignored files, empty when there were none
	Staged []string // for Library.Unstage, once the transaction stands
}

// TrashItems moves files to a trash branch and takes them out of the current branch and from disk, in this transaction. The
// branch's one commit, which has no parent, holds everything that git does not ignore, as it lies on disk, and what was
// saved of files with edits. Ignored files go to a local ref.
func TrashItems(tx *Tx, in TrashInput, items []Item) (*TrashedItems, error) {
	ref, err := freeTrashRef(tx, in)
	if err != nil {
		return nil, err
	}
	t := &TrashedItems{Branch: strings.TrimPrefix(ref, "refs/heads/")}
	tree := &trashTree{tx: tx, m: manifest{Schema: trashSchema}}
	for i := range items {
		if err := tree.add(&items[i]); err != nil {
			return nil, err
		}
	}
	if len(tree.kept) == 0 {
		return nil, schema.Errorf(schema.CodeNotFound, "there is nothing to move to the trash branch")
	}
	message := trashMessage(tx, in.Kind, in.Message)
	if err := tx.Side(ref, func(b *gitstore.Batch, _ *Snapshot) (*gitstore.Commit, error) {
		if err := tree.describe(b); err != nil {
			return nil, err
		}
		id, err := b.PatchTree(schema.OID{}, tree.kept)
		return &gitstore.Commit{Tree: id, Message: message}, err
	}); err != nil {
		return nil, err
	}
	if len(tree.ignored) > 0 {
		t.Local = LocalTrashPrefix + strings.TrimPrefix(ref, TrashPrefix)
		if err := tx.Side(t.Local, func(b *gitstore.Batch, _ *Snapshot) (*gitstore.Commit, error) {
			id, err := b.PatchTree(schema.OID{}, tree.ignored)
			return &gitstore.Commit{Tree: id, Message: message}, err
		}); err != nil {
			return nil, err
		}
	}
	t.Staged, err = TakeAway(tx, items)
	return t, err
}

// trashTree collects what the commits hold.
type trashTree struct {
	tx      *Tx
	m       manifest
	kept    []gitstore.Edit
	ignored []gitstore.Edit
}

func (t *trashTree) add(i *Item) error {
	e := gitstore.Edit{Path: i.Path, Mode: i.Mode, ID: i.Work}
	switch {
	case i.Missing():
		t.m.Missing = append(t.m.Missing, i.Path)
		e.Mode, e.ID = i.Head.Mode, i.Head.ID
	case i.Work != i.Head.ID:
		// Only what HEAD has is surely stored.
		data, err := t.tx.l.ReadFile(i.Path)
		if err != nil {
			return err
		}
		if t.tx.batch.Blob(data) != i.Work {
			return t.tx.edited(i.Path)
		}
	}
	switch {
	case i.Ignored:
		t.m.Ignored++
		t.ignored = append(t.ignored, e)
		return nil
	case !i.Tracked():
		t.m.Untracked = append(t.m.Untracked, i.Path)
	case i.Edited():
		t.m.Edited = append(t.m.Edited, i.Path)
		t.kept = append(t.kept, gitstore.Edit{Path: trashSaved + i.Path, Mode: i.Head.Mode, ID: i.Head.ID})
	}
	t.kept = append(t.kept, e)
	return nil
}

func (t *trashTree) describe(b *gitstore.Batch) error {
	m := &t.m
	if len(m.Untracked)+len(m.Edited)+len(m.Missing)+m.Ignored == 0 {
		return nil
	}
	data, err := schema.Marshal(m)
	if err != nil {
		return err
	}
	t.kept = append(t.kept, gitstore.Edit{Path: trashManifest, Mode: gitstore.ModeFile, ID: b.Blob(data)})
	return nil
}

// TrashBranch is one trash branch.
type TrashBranch struct {
	Name    string // short: trash/…
	Ref     string // where it was found: a local branch, or that of a remote
	Commit  schema.OID
	Kind    schema.TrashKind
	Book    string
	Chapter string // id, of a chapter
	When    time.Time
	Reason  string
	From    schema.OID // the commit that it was taken from; zero when the branch does not say
	Local   schema.OID // the commit with the ignored files, zero when there is none here

	tree schema.OID
}

// TrashBranches lists the trash branches, oldest first; those that only a remote has follow.
func (l *Library) TrashBranches() ([]TrashBranch, error) {
	local, err := l.store.Refs(TrashPrefix)
	if err != nil {
		return nil, err
	}
	remote, err := l.store.Refs("refs/remotes/")
	if err != nil {
		return nil, err
	}
	var out []TrashBranch
	seen := map[string]bool{}
	for _, r := range append(local, remote...) {
		name, ok := trashName(r.Name)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		t, err := l.trashBranch(name, r.Name, r.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, *t)
	}
	return out, nil
}

// trashName gives the short name of a trash branch, here or of a remote.
func trashName(ref string) (string, bool) {
	if rest, ok := strings.CutPrefix(ref, TrashPrefix); ok {
		return "trash/" + rest, true
	}
	rest, ok := strings.CutPrefix(ref, "refs/remotes/")
	if !ok {
		return "", false
	}
	i := strings.Index(rest, "/trash/")
	if i < 0 {
		return "", false
	}
	return rest[i+1:], true
}

// FindTrash finds a trash branch by its name, short or full. None: CodeNotFound.
func (l *Library) FindTrash(name string) (*TrashBranch, error) {
	short := strings.TrimPrefix(name, "refs/heads/")
	list, err := l.TrashBranches()
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == short {
			return &list[i], nil
		}
	}
	return nil, schema.Errorf(schema.CodeNotFound, "there is no trash branch %s", name).WithHint("`git novel book trash` lists them")
}

func (l *Library) trashBranch(name, ref string, id schema.OID) (*TrashBranch, error) {
	c, err := l.store.Commit(id)
	if err != nil {
		return nil, err
	}
	t := &TrashBranch{Name: name, Ref: ref, Commit: id, When: c.Committer.When, tree: c.Tree}
	m, ours := schema.ParseMessage(c.Message)
	t.Book, t.Chapter = m.Book, m.ChapterID
	t.Reason, _ = m.Trailer(schema.TrailerReason)
	kind, said := m.Trailer(schema.TrailerTrash)
	switch {
	case said:
		t.Kind = schema.TrashKind(kind)
	case !ours:
		t.Kind = schema.TrashOther
	case t.Chapter != "": // made before the trailer was
		t.Kind = schema.TrashChapter
	default:
		t.Kind = schema.TrashDamaged
	}
	if from, ok := m.Trailer(schema.TrailerFrom); ok {
		t.From, _ = schema.ParseOID(from)
	}
	local, there, err := l.store.Ref(LocalTrashPrefix + strings.TrimPrefix(name, "trash/"))
	if err == nil && there {
		t.Local = local
	}
	return t, err
}

// TrashFile is one file of a trash branch, at the path that it had.
type TrashFile struct {
	Path      string
	Mode      gitstore.Mode
	ID        schema.OID     // as it lay on disk
	Saved     gitstore.Entry // the last saved version, when it had edits; else zero
	Untracked bool
	Ignored   bool
	Missing   bool // it had been deleted on disk; this is what was saved
}

// TrashFiles lists the files of a trash branch, the ignored ones that are in this library included, and says how many
// ignored files are not.
func (l *Library) TrashFiles(t *TrashBranch) (files []TrashFile, lost int, err error) {
	m := manifest{}
	saved := map[string]gitstore.Entry{}
	err = l.store.Walk(t.tree, "", func(p string, e gitstore.Entry) error {
		if !e.Mode.IsFile() {
			return nil
		}
		if p == trashManifest {
			return l.readManifest(e.ID, &m)
		}
		if rest, ok := strings.CutPrefix(p, trashSaved); ok {
			saved[rest] = e
			return nil
		}
		files = append(files, TrashFile{Path: p, Mode: e.Mode, ID: e.ID})
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range files {
		f := &files[i]
		f.Saved = saved[f.Path]
	}
	mark(files, m.Untracked, func(f *TrashFile) { f.Untracked = true })
	mark(files, m.Missing, func(f *TrashFile) { f.Missing = true })
	if t.Local.IsZero() {
		return files, m.Ignored, nil
	}
	snap, err := l.SnapshotAt(t.Local)
	if err != nil {
		return nil, 0, err
	}
	err = l.store.Walk(snap.tree, "", func(p string, e gitstore.Entry) error {
		files = append(files, TrashFile{Path: p, Mode: e.Mode, ID: e.ID, Untracked: true, Ignored: true})
		return nil
	})
	return files, 0, err
}

// readManifest reads trash.json. One that cannot be read says nothing: the files are there all the same.
func (l *Library) readManifest(id schema.OID, m *manifest) error {
	size, err := l.store.BlobSize(id)
	if err != nil || size > MaxFile {
		return err
	}
	data, err := l.store.Blob(id)
	if err != nil {
		return err
	}
	if schema.Unmarshal(trashManifest, data, m) != nil || m.Schema != trashSchema {
		*m = manifest{}
	}
	return nil
}

func mark(files []TrashFile, paths []string, set func(*TrashFile)) {
	is := make(map[string]bool, len(paths))
	for _, p := range paths {
		is[p] = true
	}
	for i := range files {
		if is[files[i].Path] {
			set(&files[i])
		}
	}
}

// PurgeTrash deletes a trash branch and the local ref with it, in this transaction.
func PurgeTrash(tx *Tx, t *TrashBranch) error {
	if !strings.HasPrefix(t.Ref, TrashPrefix) {
		return schema.Errorf(schema.CodeConflict, "%s is not a branch of this library, only of a remote", t.Name)
	}
	if err := tx.Ref(t.Ref, t.Commit, schema.OID{}); err != nil {
		return err
	}
	if t.Local.IsZero() {
		return nil
	}
	return tx.Ref(LocalTrashPrefix+strings.TrimPrefix(t.Ref, TrashPrefix), t.Local, schema.OID{})
}
