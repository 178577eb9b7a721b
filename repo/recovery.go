package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"git-novel/repo/gitstore"
	"git-novel/repo/lock"
	"git-novel/schema"
)

// recoverIdle recovers when something was left and no other command is at work. A command that is at work has a journal
// too; it is not waited for, since reading is from commits.
func (l *Library) recoverIdle(ctx context.Context) error {
	_, err := os.Lstat(filepath.Join(l.OwnDir(), journalFile))
	if err != nil && !l.leftovers() {
		return nil
	}
	lk, err := lock.Library(ctx, l.OwnDir(), 0, l.holder())
	if schema.CodeOf(err) == schema.CodeConflict && err != nil {
		return nil
	}
	if err != nil {
		// A library that cannot be written to can still be read.
		l.o.Notice(schema.Textf("an interrupted command could not be completed: %s", err.Error()))
		return nil
	}
	defer lk.Release()
	if err := l.recoverLocked(ctx); err != nil {
		if schema.CodeOf(err) == schema.CodeInterrupted {
			return err
		}
		l.o.Notice(schema.Textf("an interrupted command could not be completed: %s", err.Error()))
	}
	return nil
}

// recoverLocked finishes or undoes what a dead process left. The library lock is held. It can itself be killed at any
// point and run again.
func (l *Library) recoverLocked(ctx context.Context) error {
	c, err := l.newClaims()
	if err != nil {
		return err
	}
	removed, err := c.clearAll()
	if err != nil {
		return err
	}
	j, err := l.readJournal()
	if err != nil {
		return err
	}
	if j != nil || len(removed) > 0 {
		l.store.RemoveTempPacks()
	}
	if j == nil {
		if len(removed) > 0 {
			l.o.Notice(schema.Textf("an interrupted command had changed nothing; its lock files were removed"))
		}
		return nil
	}
	target := l
	if !sameDir(j.WorkTree, l.loc.WorkTree) {
		// The command worked in another worktree of this repository.
		loc := gitstore.Location{GitDir: j.GitDir, CommonDir: l.loc.CommonDir, WorkTree: j.WorkTree}
		if !isDir(j.GitDir) || !isDir(j.WorkTree) {
			return l.recoverWithout(j)
		}
		if target, err = open(loc, l.o); err != nil {
			return err
		}
		defer target.Close()
	}
	r := &recovery{l: target, j: j, claims: c}
	before := target.active
	target.active = c
	defer func() {
		target.active = before
		c.release()
	}()
	return r.run(ctx)
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// recoverWithout ends a transaction whose worktree has been removed since: nothing is left but refs.
func (l *Library) recoverWithout(j *journal) error {
	cur, _, err := l.store.Ref(j.Branch)
	if err != nil {
		return err
	}
	if cur == j.Old {
		if err := l.revertRefs(j.Refs); err != nil {
			return err
		}
	}
	l.dropJournal(true)
	l.o.Notice(schema.Textf("an interrupted command was undone; its worktree %s is gone", j.WorkTree))
	return nil
}

// recovery is one attempt.
type recovery struct {
	l      *Library
	j      *journal
	claims *claims
	head   gitstore.Head
	snap   *Snapshot
	kept   []string
}

func (r *recovery) run(ctx context.Context) error {
	l, j := r.l, r.j
	if err := l.fail("recover lock"); err != nil {
		return err
	}
	if err := r.claims.wait(ctx, filepath.Join(l.loc.GitDir, "HEAD.lock"), l.o.Wait); err != nil {
		return err
	}
	if err := l.makeRefDir(j.Branch); err != nil {
		return err
	}
	if err := r.claims.wait(ctx, l.refLock(j.Branch), l.o.Wait); err != nil {
		return err
	}
	cur, _, err := l.store.Ref(j.Branch)
	if err != nil {
		return err
	}
	if r.head, err = l.store.Head(); err != nil {
		return err
	}
	onBranch := r.head.Ref == j.Branch
	forward := !j.ByGit && !j.Undo && cur == j.Old && onBranch && (j.New.IsZero() || l.store.Has(j.New))
	stands := false
	if !forward {
		if stands, err = r.stands(cur); err != nil {
			return err
		}
	}
	commit := r.head.ID
	if forward && !j.New.IsZero() {
		commit = j.New
	}
	if r.snap, err = l.SnapshotAt(commit); err != nil {
		return err
	}
	if forward || stands {
		return r.complete(ctx, forward)
	}
	return r.revert(ctx)
}

// stands reports whether the commit of the transaction is in the branch's history.
func (r *recovery) stands(cur schema.OID) (bool, error) {
	j := r.j
	switch {
	case j.Undo || cur.IsZero() || cur == j.Old:
		return false, nil
	case j.ByGit:
		snap, err := r.l.SnapshotAt(cur)
		if err != nil {
			return false, err
		}
		for _, p := range j.Paths {
			id, _, err := snap.Blob(p.Path)
			if err != nil {
				return false, err
			}
			if !p.Loose && id != p.inGit() {
				return false, nil
			}
		}
		return true, nil
	case cur == j.New:
		return true, nil
	case !r.l.store.Has(j.New):
		return false, nil
	}
	return r.l.store.IsAncestor(j.New, cur)
}

// complete makes the worktree, the index and the refs what the transaction wanted, wherever they are still what it found.
// A path that HEAD has otherwise by now is left alone.
func (r *recovery) complete(ctx context.Context, forward bool) error {
	ix, err := r.openIndex(ctx)
	if err != nil {
		return err
	}
	defer ix.close()
	touched := map[string]bool{}
	for _, p := range r.j.Paths {
		have, _, err := r.snap.Blob(p.Path)
		if err != nil {
			return err
		}
		if !p.Loose && have != p.inGit() {
			continue
		}
		if err := r.swap(p, p.Old, p.New, touched); err != nil {
			return err
		}
		if !p.Loose {
			ix.edit(p, p.Index, p.inGit())
		}
	}
	if err := r.sync(touched); err != nil {
		return err
	}
	if err := ix.prepare(); err != nil {
		return err
	}
	if err := r.forwardRefs(forward); err != nil {
		return err
	}
	if err := ix.commit(ctx); err != nil {
		return err
	}
	r.l.dropMergeState(r.j.Merge)
	return r.finish(schema.Textf("an interrupted command was completed"))
}

// revert makes everything what it was before, wherever it is what the transaction made of it.
func (r *recovery) revert(ctx context.Context) error {
	ix, err := r.openIndex(ctx)
	if err != nil {
		return err
	}
	defer ix.close()
	if err := r.l.fail("recover refs"); err != nil {
		return err
	}
	if err := r.l.revertRefs(r.j.Refs); err != nil {
		return err
	}
	touched := map[string]bool{}
	for _, p := range r.j.Paths {
		have, _, err := r.snap.Blob(p.Path)
		if err != nil {
			return err
		}
		if have != p.Head {
			continue // HEAD went elsewhere since, and git has put there what belongs there
		}
		if err := r.swap(p, p.New, p.Old, touched); err != nil {
			return err
		}
		if !p.Loose && p.Index != p.inGit() && len(r.j.Merge) == 0 {
			ix.edit(p, p.inGit(), p.Index)
		}
	}
	r.l.removeMade(r.j.Dirs)
	if err := r.sync(touched); err != nil {
		return err
	}
	if err := ix.prepare(); err != nil {
		return err
	}
	if err := ix.commit(ctx); err != nil {
		return err
	}
	return r.finish(schema.Textf("an interrupted command was undone; nothing of it remains"))
}

// finish drops the journal and tells.
func (r *recovery) finish(what schema.Text) error {
	if err := r.l.fail("recover journal removal"); err != nil {
		return err
	}
	r.l.dropJournal(true)
	r.l.o.Notice(what)
	for _, p := range r.kept {
		r.l.o.Notice(keptText(p))
	}
	return nil
}

// swap moves one worktree file on or back.
func (r *recovery) swap(p journalPath, from, to schema.OID, touched map[string]bool) error {
	if from == to {
		return nil
	}
	if err := CheckPath(p.Path); err != nil {
		return err
	}
	if err := r.l.fail("recover " + p.Path); err != nil {
		return err
	}
	_ = r.l.root.Remove(nearTemp(p.Path))
	kept, err := r.l.swap(p.Path, from, to, perm(p.Mode))
	if err != nil {
		return err
	}
	if kept {
		r.kept = append(r.kept, p.Path)
	}
	touched[path.Dir(p.Path)] = true
	if to.IsZero() {
		for _, d := range r.l.removeEmpty(path.Dir(p.Path)) {
			touched[path.Dir(d)] = true
		}
	}
	return nil
}

func (r *recovery) sync(touched map[string]bool) error {
	if err := r.l.fail("recover sync folders"); err != nil {
		return err
	}
	return r.l.syncDirs(touched)
}

// forwardRefs moves the refs that have not moved yet, the branch last.
func (r *recovery) forwardRefs(branch bool) error {
	l, j := r.l, r.j
	if err := l.fail("recover refs"); err != nil {
		return err
	}
	var updates []gitstore.RefUpdate
	for _, ref := range j.Refs {
		now, _, err := l.store.Ref(ref.Name)
		if err != nil {
			return err
		}
		if now == ref.Old {
			updates = append(updates, gitstore.RefUpdate{Name: ref.Name, Old: ref.Old, New: ref.New, Reflog: ref.Reflog, By: j.By.git()})
		}
	}
	if err := l.moveRefs(updates); err != nil {
		return err
	}
	if !branch || j.New.IsZero() {
		return nil
	}
	if err := l.fail("recover branch"); err != nil {
		return err
	}
	return l.moveRefs([]gitstore.RefUpdate{{Name: j.Branch, Old: j.Old, New: j.New, Reflog: j.Reflog, By: j.By.git()}})
}

// makeRefDir makes the folder of a loose ref, as git does before it locks one.
func (l *Library) makeRefDir(ref string) error {
	dir := filepath.Dir(l.refLock(ref))
	err := os.MkdirAll(dir, 0o777) //nolint:gosec // git's own mode
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot make the folder %s", dir)
	}
	return nil
}
