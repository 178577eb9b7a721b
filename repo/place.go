package repo

import (
	"io/fs"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Placed is one file to be put at a free path.
type Placed struct {
	Path      string
	Mode      gitstore.Mode
	Data      []byte // what the commit holds, or of an untracked file what lies on disk
	Untracked bool   // on disk only
	Edit      bool   // Work, an edit that is not saved, lies on disk, with a mode of its own
	Work      []byte
	WorkMode  gitstore.Mode
}

// Place puts a file where nothing is, on disk or in the last commit: CodeConflict otherwise. With Edit the commit holds Data
// and the disk holds Work, as if an author had gone on writing; a repository where git itself must commit cannot do that
// (see Apart).
func (tx *Tx) Place(p Placed) error {
	c, err := tx.change(p.Path, false)
	if err != nil {
		return err
	}
	if !c.seen.IsZero() || !c.head.IsZero() || tx.changes[p.Path] != nil {
		return schema.Wrap(fs.ErrExist, schema.CodeConflict, "%s exists already", p.Path)
	}
	c.mode, c.loose = p.Mode, p.Untracked
	if err := tx.bounded(c, p.Data); err != nil {
		return err
	}
	if !p.Edit {
		return tx.add(c, p.Data)
	}
	if err := tx.bounded(c, p.Work); err != nil {
		return err
	}
	// Two changes of one path: one for the commit and the index, which leaves the disk alone, and one for the disk.
	c.want, c.data, c.blob = wantTake, p.Data, tx.batch.Blob(p.Data)
	c.seen = c.blob
	tx.changes[p.Path] = c
	tx.changes[p.Path+"\x00disk"] = &change{
		path: p.Path, mode: p.WorkMode, want: wantWrite, loose: true, data: p.Work, blob: tx.batch.Blob(p.Work),
	}
	return nil
}

// Apart reports that git itself will commit these paths, so that edits have to be put on disk in a second step: Overlay.
func (tx *Tx) Apart(paths []string) bool {
	_, foreign := tx.l.store.ForeignBesidesSigning(paths)
	return foreign
}

// Overlay puts the edit of a placed file on disk, over exactly what the commit has. The commit and the index are left
// alone.
func (tx *Tx) Overlay(p Placed) error {
	c, err := tx.change(p.Path, true)
	if err != nil {
		return err
	}
	if c.seen != schema.HashBlob(p.Data) {
		return tx.edited(p.Path)
	}
	c.loose, c.mode = true, p.WorkMode
	return tx.add(c, p.Work)
}
