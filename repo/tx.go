package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Tx is one transition under way. Only Update makes one, and it is valid until the function that Update called returns.
// Nothing changes before that.
type Tx struct {
	l       *Library
	head    gitstore.Head
	snap    *Snapshot
	batch   *gitstore.Batch
	changes map[string]*change
	message string
	sides   []gitstore.RefUpdate
	sideIDs map[string]schema.OID
	refs    []gitstore.RefUpdate
	parents []schema.OID // beyond HEAD, when a merge is concluded
	author  *gitstore.Ident
	commit  *gitstore.Ident
}

// change is what is to become of one path.
type change struct {
	path string
	head gitstore.Entry // as HEAD has it; zero when it has not
	want want
	data []byte
	mode gitstore.Mode
	blob schema.OID // of data; zero for an absent file
	seen schema.OID // what lies on disk and may be replaced; zero when nothing does
	// force takes what is staged for the path as used up by the change: the caller has read the worktree's version.
	force bool
	// loose changes the worktree only; the path is not ours to track.
	loose bool
	// settles says that the path is part of a merge that is concluded, whether or not it differs from HEAD.
	settles bool

	stat   fs.FileInfo        // of the file that holds data, from when it surely did
	staged *atomicfile.Staged // data, waiting for its name
	perm   fs.FileMode        // of the file that is replaced, 0 when there is none
}

type want uint8

const (
	wantWrite want = iota // the worktree shall hold data
	wantTake              // the worktree holds data already, as the author left it
	wantGone
)

// tracked reports whether the commit differs from HEAD at the path.
func (c *change) tracked() bool {
	if c.loose || c.settles {
		return c.settles && !c.loose
	}
	if c.want == wantGone {
		return !c.head.IsZero()
	}
	return c.head.ID != c.blob || c.head.Mode != c.mode
}

// work reports whether the worktree file has to change.
func (c *change) work() bool { return c.want != wantTake && c.seen != c.blob }

// Snapshot is HEAD under the lock.
func (tx *Tx) Snapshot() *Snapshot { return tx.snap }

// Library is the library that is being changed, for reads of the worktree.
func (tx *Tx) Library() *Library { return tx.l }

// Head is the branch that is checked out, under the lock.
func (tx *Tx) Head() gitstore.Head { return tx.head }

// Read gives what the commit will hold at path: what was written in this Tx, else HEAD's. Absent: CodeNotFound.
func (tx *Tx) Read(path string) ([]byte, error) {
	if c, ok := tx.changes[path]; ok && !c.loose {
		if c.want == wantGone {
			return nil, schema.Wrap(fs.ErrNotExist, schema.CodeNotFound, "there is no file %s", path)
		}
		return slices.Clone(c.data), nil
	}
	data, _, err := tx.snap.Read(path)
	return data, err
}

// Write makes path hold data in the worktree, the index and the commit. When the worktree file is neither what HEAD has
// nor data, it holds an edit that was not saved, and Write refuses (CodeConflict). data belongs to the transaction from now
// on and must not be changed.
func (tx *Tx) Write(path string, data []byte) error {
	c, err := tx.change(path, false)
	if err != nil {
		return err
	}
	if err := tx.bounded(c, data); err != nil {
		return err
	}
	blob := tx.batch.Blob(data)
	if c.seen != blob && !tx.saved(c) {
		return tx.unsaved(c)
	}
	return tx.put(c, data, blob)
}

// Replace is Write for a caller that has read the worktree's version and put it to use: expectWork is the blob id of that
// version, zero for an absent file. When something else lies there now: CodeConflict.
func (tx *Tx) Replace(path string, data []byte, expectWork schema.OID) error {
	c, err := tx.change(path, true)
	if err != nil {
		return err
	}
	if c.seen != expectWork {
		return tx.edited(path)
	}
	return tx.add(c, data)
}

// Take commits what lies on disk now, so that the author's edit becomes part of the commit, and returns it. Absent:
// CodeNotFound.
func (tx *Tx) Take(path string) ([]byte, error) {
	if _, ok := tx.changes[path]; ok {
		return nil, schema.Errorf(schema.CodeUnexpected, "%s is changed twice in one transition", path)
	}
	c, err := tx.change(path, true)
	if err != nil {
		return nil, err
	}
	data, info, err := tx.l.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, schema.Wrap(fs.ErrNotExist, schema.CodeNotFound, "there is no file %s", path)
	}
	if err != nil {
		return nil, err
	}
	c.want, c.data, c.blob = wantTake, data, tx.batch.Blob(data)
	c.seen, c.stat = c.blob, info
	if info.Mode().Perm()&0o100 != 0 && c.head.Mode == gitstore.ModeExec {
		c.mode = gitstore.ModeExec
	}
	tx.changes[path] = c
	return slices.Clone(data), nil
}

// Remove takes path out of the worktree, the index and the commit, with the protection of Write: an edit that was not
// saved is refused. A file that the author deleted already is no edit. Neither on disk nor in HEAD: nothing happens.
func (tx *Tx) Remove(path string) error {
	c, err := tx.change(path, false)
	if err != nil {
		return err
	}
	if !c.seen.IsZero() && !tx.saved(c) {
		return tx.unsaved(c)
	}
	return tx.gone(c)
}

// RemoveSeen is Remove for a caller that has kept the worktree's version elsewhere: expectWork is its blob id. An
// untracked file is removed from the worktree only.
func (tx *Tx) RemoveSeen(path string, expectWork schema.OID) error {
	c, err := tx.change(path, true)
	if err != nil {
		return err
	}
	if c.seen != expectWork {
		return tx.edited(path)
	}
	c.loose = c.head.IsZero()
	return tx.gone(c)
}

// WriteUntracked puts a file into the worktree and neither into the index nor into the commit. The path must be free in
// all three.
func (tx *Tx) WriteUntracked(path string, data []byte) error {
	c, err := tx.change(path, false)
	if err != nil {
		return err
	}
	if !c.seen.IsZero() || !c.head.IsZero() {
		return schema.Wrap(fs.ErrExist, schema.CodeConflict, "%s exists already", path)
	}
	c.loose = true
	return tx.add(c, data)
}

// Rename moves a file with what the commit would hold at from. Both paths are protected like Write's; to must be free.
func (tx *Tx) Rename(from, to string) error {
	data, err := tx.Read(from)
	if err != nil {
		return err
	}
	src, err := tx.change(from, false)
	if err != nil {
		return err
	}
	dst, err := tx.change(to, false)
	if err != nil {
		return err
	}
	blob := tx.batch.Blob(data)
	pending := tx.changes[to]
	free := pending == nil && dst.head.IsZero() && dst.seen.IsZero() ||
		pending != nil && pending.want == wantGone || foldedName(from, to) && dst.seen == blob
	if !free {
		return schema.Wrap(fs.ErrExist, schema.CodeConflict, "%s exists already", to)
	}
	if src.seen != blob && !src.seen.IsZero() && !tx.saved(src) {
		return tx.unsaved(src)
	}
	dst.mode = src.mode
	if foldedName(from, to) {
		dst.seen = schema.OID{} // perhaps the same file, which is gone by then
	}
	if err := tx.put(dst, data, blob); err != nil {
		return err
	}
	return tx.gone(src)
}

// Message sets the commit message: verb, book, chapter, text and trailers of DESIGN 6 (a schema.Message).
func (tx *Tx) Message(m fmt.Stringer) { tx.message = m.String() }

// MessageText sets the commit message as it is.
func (tx *Tx) MessageText(m string) { tx.message = m }

// Side adds a commit that belongs to the transition and a ref that names it, such as a trash branch. build puts the
// objects into b and returns the commit to be made; author and committer are filled in where it leaves them empty. The ref
// must not exist. It is there before the branch moves, or not at all.
func (tx *Tx) Side(ref string, build func(b *gitstore.Batch, head *Snapshot) (*gitstore.Commit, error)) error {
	if err := gitstore.CheckRefName(ref); err != nil {
		return err
	}
	if ref == tx.head.Ref || tx.hasRef(ref) {
		return schema.Errorf(schema.CodeConflict, "the ref %s would move twice in one transition", ref)
	}
	c, err := build(tx.batch, tx.snap)
	if err != nil {
		return err
	}
	author, committer, err := tx.identity()
	if err != nil {
		return err
	}
	if c.Author.Name == "" && c.Author.Email == "" {
		c.Author = author
	}
	if c.Committer.Name == "" && c.Committer.Email == "" {
		c.Committer = committer
	}
	id, err := tx.batch.Commit(c)
	if err != nil {
		return err
	}
	tx.sides = append(tx.sides, gitstore.RefUpdate{Name: ref, New: id, Reflog: reflogLine(c.Message), By: committer})
	tx.sideIDs[ref] = id
	return nil
}

// SideID is the commit that Side made for a ref in this Tx.
func (tx *Tx) SideID(ref string) (schema.OID, bool) {
	id, ok := tx.sideIDs[ref]
	return id, ok
}

// Batch takes further objects into the transaction, for trees and tags that a ref will name.
func (tx *Tx) Batch() *gitstore.Batch { return tx.batch }

// Ref moves a ref of ours, such as a tag, in the same transaction: old is what it must hold now (zero: it must not
// exist), id what it shall hold (zero: it goes). The branch that is checked out moves only through the commit.
func (tx *Tx) Ref(name string, old, id schema.OID) error {
	if err := gitstore.CheckRefName(name); err != nil {
		return err
	}
	if name == tx.head.Ref || tx.hasRef(name) {
		return schema.Errorf(schema.CodeConflict, "the ref %s would move twice in one transition", name)
	}
	if old == id {
		return nil
	}
	tx.refs = append(tx.refs, gitstore.RefUpdate{Name: name, Old: old, New: id})
	return nil
}

func (tx *Tx) hasRef(name string) bool {
	is := func(u gitstore.RefUpdate) bool { return u.Name == name }
	return slices.ContainsFunc(tx.sides, is) || slices.ContainsFunc(tx.refs, is)
}

// change is what stands now for a path: a copy of the pending change, or a fresh look at HEAD and the worktree.
func (tx *Tx) change(path string, force bool) (*change, error) {
	if c, ok := tx.changes[path]; ok {
		if c.loose {
			return nil, schema.Errorf(schema.CodeUnexpected, "%s is changed twice in one transition", path)
		}
		again := *c
		return &again, nil
	}
	head, err := tx.snap.entry(path)
	if err != nil {
		return nil, err
	}
	if !head.IsZero() && !head.Mode.IsFile() {
		return nil, schema.Errorf(schema.CodeInvalid, "%s is not a file in the last commit", path)
	}
	c := &change{path: path, head: head, mode: gitstore.ModeFile, force: force, settles: len(tx.parents) > 0}
	if head.Mode == gitstore.ModeExec {
		c.mode = gitstore.ModeExec
	}
	c.seen, err = tx.l.FileBlob(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return c, nil
}

func (tx *Tx) bounded(c *change, data []byte) error {
	if len(data) > MaxFile {
		return tooLarge(c.path, int64(len(data)))
	}
	return nil
}

// add takes the caller's bytes into the transaction, without a copy: a whole novel may come. They are hashed once, here.
func (tx *Tx) add(c *change, data []byte) error {
	if err := tx.bounded(c, data); err != nil {
		return err
	}
	return tx.put(c, data, tx.batch.Blob(data))
}

// put records that the worktree and, unless loose, the commit shall hold data, whose blob is in the batch.
func (tx *Tx) put(c *change, data []byte, blob schema.OID) error {
	c.want, c.data, c.blob = wantWrite, data, blob
	tx.changes[c.path] = c
	return nil
}

func (tx *Tx) gone(c *change) error {
	c.want, c.data, c.blob = wantGone, nil, schema.OID{}
	if c.seen.IsZero() && c.head.IsZero() && !c.settles {
		delete(tx.changes, c.path)
		return nil
	}
	tx.changes[c.path] = c
	return nil
}

// identity is asked only when something is to be committed.
func (tx *Tx) identity() (author, committer gitstore.Ident, err error) {
	if tx.author == nil {
		a, c, err := tx.l.store.Identity()
		if err != nil {
			return gitstore.Ident{}, gitstore.Ident{}, err
		}
		tx.author, tx.commit = &a, &c
	}
	return *tx.author, *tx.commit, nil
}

// sorted lists the changes by path.
func (tx *Tx) sorted() []*change {
	out := make([]*change, 0, len(tx.changes))
	for _, p := range slices.Sorted(maps.Keys(tx.changes)) {
		out = append(out, tx.changes[p])
	}
	return out
}
