package repo

import (
	"context"
	"path/filepath"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/repo/lock"
	"git-novel/schema"
)

// session is one Update under way.
type session struct {
	l      *Library
	lk     *lock.Lock
	claims *claims
	tx     *Tx
	merge  bool // git's merge is concluded

	stageDir string
	stage    *atomicfile.Folder // the same, open
	index    *gitstore.IndexLock
	sides    *gitstore.RefLocks
	branch   *gitstore.RefLocks

	todo       gitstore.Pending // renamed and not yet synced
	sidesMoved bool
	done       []*change // worktree changes made, in order
	dirs       []string  // folders made, outermost first
	folders    folders
	crossed    bool // the work folder is on another file system than some file
}

// begin takes the locks, recovers, and looks at HEAD.
func (l *Library) begin(ctx context.Context, merge bool) (*session, error) {
	s := &session{l: l, merge: merge}
	head, err := s.enter(ctx)
	if err != nil {
		s.end()
		return nil, err
	}
	snap, err := l.SnapshotAt(head.ID)
	if err != nil {
		s.end()
		return nil, err
	}
	s.tx = &Tx{
		l: l, head: head, snap: snap, batch: l.store.NewBatch(),
		changes: map[string]*change{}, sideIDs: map[string]schema.OID{},
	}
	if merge {
		if s.tx.parents, err = l.mergeHeads(); err != nil {
			s.end()
			return nil, err
		}
	}
	return s, nil
}

// enter takes the library lock and the locks of HEAD, with what a crash left out of the way.
func (s *session) enter(ctx context.Context) (gitstore.Head, error) {
	l := s.l
	if _, err := l.ownRoot(); err != nil {
		return gitstore.Head{}, err
	}
	var err error
	if s.lk, err = lock.Library(ctx, l.OwnDir(), l.o.Wait, l.holder()); err != nil {
		return gitstore.Head{}, err
	}
	if err := l.recoverLocked(ctx); err != nil {
		return gitstore.Head{}, err
	}
	if s.claims, err = l.newClaims(); err != nil {
		return gitstore.Head{}, err
	}
	l.active, l.okDirs = s.claims, map[string]bool{}
	return s.lockHead(ctx)
}

// lockHead makes sure that a commit may be made here and that HEAD stays put until end.
func (s *session) lockHead(ctx context.Context) (gitstore.Head, error) {
	l := s.l
	switch op, busy := l.store.Busy(); {
	case s.merge && op != "merge":
		return gitstore.Head{}, schema.Errorf(schema.CodeConflict, "no merge is under way")
	case busy && !s.merge:
		return gitstore.Head{}, busyError(op)
	}
	if err := l.fail("lock HEAD"); err != nil {
		return gitstore.Head{}, err
	}
	if err := s.claims.wait(ctx, filepath.Join(l.loc.GitDir, "HEAD.lock"), l.o.Wait); err != nil {
		return gitstore.Head{}, err
	}
	head, err := l.store.Head()
	if err != nil {
		return gitstore.Head{}, err
	}
	if head.Detached {
		return gitstore.Head{}, schema.Errorf(schema.CodeConflict, "HEAD is detached: no branch is checked out").
			WithHint("check out a branch first: git switch BRANCH, or make one here: git switch -c BRANCH")
	}
	if err := l.fail("lock branch"); err != nil {
		return gitstore.Head{}, err
	}
	if err := l.makeRefDir(head.Ref); err != nil {
		return gitstore.Head{}, err
	}
	if err := s.claims.wait(ctx, l.refLock(head.Ref), l.o.Wait); err != nil {
		return gitstore.Head{}, err
	}
	// Only now does the branch stand still.
	return l.store.Head()
}

func (l *Library) refLock(ref string) string {
	return filepath.Join(l.loc.CommonDir, filepath.FromSlash(ref)+".lock")
}

func busyError(op string) error {
	switch op {
	case "merge":
		return schema.Errorf(schema.CodeConflict, "a merge is under way").
			WithHint("settle the files in conflict and finish it with: git commit, or drop it with: git merge --abort")
	case "bisect":
		return schema.Errorf(schema.CodeConflict, "a bisect is under way").WithHint("end it with: git bisect reset")
	default:
		return schema.Errorf(schema.CodeConflict, "a %s is under way", op).
			WithHint("finish it with: git %[1]s --continue, or drop it with: git %[1]s --abort", op)
	}
}

// end gives everything back. After a success that is only the locks.
func (s *session) end() {
	s.dropIndex()
	if s.branch != nil {
		s.branch.Rollback()
	}
	if s.sides != nil {
		s.sides.Rollback()
	}
	if s.tx != nil {
		s.tx.batch.Discard() // of a transaction that failed; one that was written has nothing left
	}
	s.leave()
}

// leave gives the locks of enter back.
func (s *session) leave() {
	if s.stage != nil {
		s.stage.Close()
		s.stage = nil
	}
	if s.claims != nil {
		s.claims.release()
	}
	s.claims = nil
	s.l.active, s.l.okDirs = nil, nil
	s.lk.Release()
}
