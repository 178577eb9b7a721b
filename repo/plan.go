package repo

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// plan is a transaction that is decided: what changes in the worktree, the index, the tree and the refs.
type plan struct {
	changes []*change // that change anything, by path
	paths   []string  // of the commit, sorted
	refs    []gitstore.RefUpdate
	branch  gitstore.RefUpdate // zero New until build
	tree    schema.OID
	commit  schema.OID
	merge   bool
	loose   bool // something changes that git does not track
	index   map[string]gitstore.IndexEntry
}

func (p *plan) empty() bool { return len(p.changes) == 0 && len(p.refs) == 0 && !p.merge }

// commits reports whether the branch moves.
func (p *plan) commits() bool { return len(p.paths) > 0 || p.merge }

// stages reports whether files have to be written or removed, for which a work folder is needed.
func (p *plan) stages() bool { return slices.ContainsFunc(p.changes, (*change).work) }

// plan drops what changes nothing, and looks once more at the files that stay as they are.
func (s *session) plan() (*plan, error) {
	tx := s.tx
	p := &plan{refs: slices.Concat(tx.sides, tx.refs)}
	for _, c := range tx.sorted() {
		if !c.tracked() && !c.work() {
			continue
		}
		if !c.work() && c.want == wantWrite {
			data, info, err := s.l.read(c.path)
			if err != nil || schema.HashBlob(data) != c.blob {
				return nil, tx.edited(c.path)
			}
			c.stat = info
		}
		p.changes = append(p.changes, c)
		p.loose = p.loose || c.loose
		if c.tracked() {
			p.paths = append(p.paths, c.path)
		}
	}
	p.merge = s.merge
	if p.commits() && tx.message == "" {
		return nil, schema.Errorf(schema.CodeUnexpected, "a transition without a commit message")
	}
	if p.commits() {
		if _, _, err := tx.identity(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// lockIndex takes index.lock and refuses when the index holds something of our paths that is nowhere else.
func (s *session) lockIndex(ctx context.Context, p *plan) error {
	if !p.commits() {
		return nil
	}
	if err := s.l.fail("lock index"); err != nil {
		return err
	}
	var err error
	if s.index, err = s.l.store.LockIndex(s.l.o.Wait); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return p.checkIndex(s.index.Index().Stages)
}

// checkIndex refuses staged content of our paths that is neither HEAD's nor what the caller has seen on disk, and
// remembers what was staged, for undoing.
func (p *plan) checkIndex(in staged) error {
	p.index = make(map[string]gitstore.IndexEntry, len(p.paths))
	var faults []schema.Fault
	for _, c := range p.changes {
		if !c.tracked() {
			continue
		}
		stages := in(c.path)
		if len(stages) > 1 || len(stages) == 1 && stages[0].Stage != 0 {
			if !p.merge {
				faults = append(faults, schema.Fault{File: c.path, Rule: "unmerged", Msg: schema.Textf("has an unresolved conflict")})
			}
			continue
		}
		if len(stages) == 0 {
			continue
		}
		e := stages[0]
		p.index[c.path] = e
		known := e.IntentToAdd || e.ID == c.head.ID || e.ID == c.blob || e.ID == c.seen
		if !known && !c.force {
			faults = append(faults, schema.Fault{File: c.path, Rule: "staged", Msg: schema.Textf("holds a staged edit that is not committed")})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeConflict, "the index holds edits of files that this command writes").
		WithHint("commit them with git commit, or drop them with: git restore --staged -- %s", quoteArg(faults[0].File)).
		WithDetails(faults...)
}

// build makes the blobs, the trees on the changed paths and the commit, in memory.
func (s *session) build(p *plan) error {
	if err := s.buildTree(p); err != nil || !p.commits() {
		return err
	}
	c, err := s.newCommit(p)
	if err != nil {
		return err
	}
	id, err := s.tx.batch.Commit(c)
	if err != nil {
		return err
	}
	p.setCommit(s.tx, id, c.Committer)
	return nil
}

// buildTree makes the blobs and the trees.
func (s *session) buildTree(p *plan) error {
	tx := s.tx
	edits := make([]gitstore.Edit, 0, len(p.paths))
	for _, c := range p.changes {
		if err := s.keepSeen(c); err != nil {
			return err
		}
		if c.tracked() && !(c.want == wantGone && c.head.IsZero()) {
			edits = append(edits, gitstore.Edit{Path: c.path, Mode: c.mode, ID: c.blob, Delete: c.want == wantGone})
		}
	}
	if !p.commits() {
		return nil
	}
	if p.merge {
		merged, err := s.mergedEdits(p)
		if err != nil {
			return err
		}
		edits = append(edits, merged...)
	}
	var err error
	p.tree, err = tx.batch.PatchTree(tx.snap.tree, edits)
	return err
}

// newCommit is the commit on top of HEAD, without an id.
func (s *session) newCommit(p *plan) (*gitstore.Commit, error) {
	tx := s.tx
	author, committer, err := tx.identity()
	if err != nil {
		return nil, err
	}
	c := &gitstore.Commit{Tree: p.tree, Author: author, Committer: committer, Message: tx.message}
	if !tx.head.ID.IsZero() {
		c.Parents = append(c.Parents, tx.head.ID)
	}
	c.Parents = append(c.Parents, tx.parents...)
	return c, nil
}

// setCommit says where the branch goes.
func (p *plan) setCommit(tx *Tx, id schema.OID, by gitstore.Ident) {
	line := reflogLine(tx.message)
	if len(tx.parents) > 0 {
		line = strings.Replace(line, "commit:", "commit (merge):", 1)
	}
	if tx.head.Unborn {
		line = strings.Replace(line, "commit:", "commit (initial):", 1)
	}
	p.commit = id
	p.branch = gitstore.RefUpdate{Name: tx.head.Ref, Old: tx.head.ID, New: id, Reflog: line, By: by}
}

// keepSeen puts the worktree's version that is about to be replaced into git, when it is nowhere yet: undoing needs it,
// and so does an author who wants it back.
func (s *session) keepSeen(c *change) error {
	if !c.work() || c.seen.IsZero() || c.seen == c.head.ID || s.l.store.Has(c.seen) {
		return nil
	}
	data, err := s.l.ReadFile(c.path)
	if err != nil {
		return err
	}
	if s.tx.batch.Blob(data) != c.seen {
		return s.tx.edited(c.path)
	}
	return nil
}

// indexEdits says what becomes of the index, once the worktree files lie where they belong.
func (p *plan) indexEdits() []gitstore.IndexEdit {
	edits := make([]gitstore.IndexEdit, 0, len(p.paths))
	for _, c := range p.changes {
		if !c.tracked() {
			continue
		}
		if c.want == wantGone {
			edits = append(edits, gitstore.IndexEdit{Path: c.path, Delete: true})
			continue
		}
		edits = append(edits, gitstore.IndexEdit{Path: c.path, Mode: c.mode, ID: c.blob, Stat: c.stat})
	}
	return edits
}

// perm is what a new file of this mode gets, before the process's mask.
func perm(m gitstore.Mode) fs.FileMode {
	if m == gitstore.ModeExec {
		return 0o755
	}
	return 0o644
}

// foldedName reports whether two paths can be the same file on a file system that ignores case or normal forms.
func foldedName(a, b string) bool {
	return a != b && strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b))
}
