package repo

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// Result is what an Update did.
type Result struct {
	Commit  schema.OID            // the new commit; HEAD's when none was made
	Changed bool                  // a commit was made, a ref moved or a file changed
	Paths   []string              // paths in which the commit differs from its parent, sorted
	Sides   map[string]schema.OID // commits made by Tx.Side, by ref
}

// Update runs fn once, under the library lock and with the branch locked, and makes what it asked for one commit
// (DESIGN 6, and this package's documentation for the order of things). When fn returns an error, or asks for nothing,
// nothing changes. Errors are fn's own; CodeConflict: another command holds the library or git's locks, HEAD is detached, a
// merge or rebase is under way, or a path holds an unsaved edit; CodeUsage: no identity is set; CodeGit: the git program
// was needed and refused; CodeInterrupted: ctx ended before anything was changed.
func (l *Library) Update(ctx context.Context, fn func(tx *Tx) error) (*Result, error) {
	return l.update(ctx, false, fn)
}

func (l *Library) update(ctx context.Context, merge bool, fn func(tx *Tx) error) (*Result, error) {
	s, err := l.begin(ctx, merge)
	if err != nil {
		return nil, err
	}
	defer s.end()
	if err := fn(s.tx); err != nil {
		return nil, err
	}
	return s.finish(ctx)
}

// fail is the failpoint of one operation.
func (l *Library) fail(name string) error {
	if err := l.o.Failpoint(name); err != nil {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot do the step %q", name)
	}
	return nil
}

// finish turns the collected changes into objects, a journal, and then into the new state.
func (s *session) finish(ctx context.Context) (*Result, error) {
	tx := s.tx
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	if p.empty() {
		return &Result{Commit: tx.head.ID}, nil
	}
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	if p.commits() {
		if reason, foreign := s.l.store.Foreign(p.paths); foreign {
			return s.handOver(ctx, p, reason)
		}
	}
	if err := s.lockIndex(ctx, p); err != nil {
		return nil, err
	}
	if err := s.build(p); err != nil {
		return nil, err
	}
	return s.write(ctx, p)
}

// write carries a built plan out. Locks on the index are held.
func (s *session) write(ctx context.Context, p *plan) (*Result, error) {
	if err := s.lockRefs(ctx, p); err != nil {
		return nil, err
	}
	j := s.journal(p)
	if err := s.l.fail("journal content"); err != nil {
		return nil, err
	}
	var staged *atomicfile.Staged
	err := s.store(ctx, p,
		func() (err error) { staged, err = s.l.stageJournal(j); return err },
		func() error { return prepare(s.sides) },
		func() error { return prepare(s.branch) },
	)
	if err == nil {
		err = s.l.nameJournal(staged)
	}
	if err != nil {
		// The rename may have happened although the sync after it failed.
		s.l.dropJournal(false)
		return nil, err
	}
	if err := s.carryOut(p); err != nil && !s.moved(p) {
		return nil, s.undo(j, err)
	}
	return s.settle(ctx, p)
}

func prepare(l *gitstore.RefLocks) error {
	if l == nil {
		return nil
	}
	return l.Prepare()
}

// carryOut changes the worktree, writes the new index beside the old one, and moves the refs, the branch last.
func (s *session) carryOut(p *plan) error {
	touched, err := s.applyWork(p)
	if err != nil {
		return err
	}
	if err := s.l.fail("sync folders"); err != nil {
		return err
	}
	var g errgroup.Group
	g.Go(func() error { return s.syncFolders(touched) })
	err = s.writeIndex(p)
	if serr := g.Wait(); err == nil {
		err = serr
	}
	if err != nil {
		return err
	}
	if s.sides != nil {
		if err := s.l.fail("side refs"); err != nil {
			return err
		}
		s.sidesMoved = true // perhaps only some; undo looks at each
		if err := s.sides.Commit(); err != nil {
			return err
		}
		s.sides = nil
	}
	if s.branch != nil {
		if err := s.l.fail("branch"); err != nil {
			return err
		}
		if s.todo, err = s.branch.CommitLater(); err != nil {
			return err
		}
		s.branch = nil
	}
	return nil
}

// writeIndex makes the new index durable under its lock.
func (s *session) writeIndex(p *plan) error {
	if s.index == nil {
		return nil
	}
	if err := s.l.fail("index content"); err != nil {
		return err
	}
	if err := s.index.Apply(p.indexEdits()); err != nil {
		return err
	}
	return s.index.Prepare()
}

// moved reports whether the transaction stands in spite of an error: its last ref has its new value.
func (s *session) moved(p *plan) bool {
	last := p.branch
	if !p.commits() {
		if len(p.refs) == 0 {
			return false
		}
		last = p.refs[len(p.refs)-1]
	}
	id, _, err := s.l.store.Ref(last.Name)
	return err == nil && id == last.New
}

// settle ends a transaction whose refs have moved. What fails here is completed by recovery, at once or by the next
// command: the commit stands.
func (s *session) settle(ctx context.Context, p *plan) (*Result, error) {
	err := s.settleIndex()
	if err == nil {
		err = s.l.fail("journal removal")
	}
	if err == nil {
		s.l.dropJournal(p.loose || !p.commits())
	} else {
		s.dropIndex()
		s.branch, s.sides = nil, nil
		s.claims.release()
		if rerr := s.l.recoverLocked(context.WithoutCancel(ctx)); rerr != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected,
				"the commit %s was made, but its last step failed; the next command completes it", p.commit.Short())
		}
	}
	res := &Result{Commit: s.tx.head.ID, Changed: true, Paths: p.paths, Sides: s.tx.sideIDs}
	if p.commits() {
		res.Commit = p.commit
	}
	return res, nil
}

// settleIndex gives the index its name and syncs that together with the refs: the journal covers them until then.
func (s *session) settleIndex() error {
	if s.index != nil {
		if err := s.l.fail("index"); err != nil {
			return err
		}
		todo, err := s.index.CommitLater()
		if err != nil {
			return err
		}
		s.index = nil
		s.todo.Join(todo)
	}
	if err := s.l.fail("last sync"); err != nil {
		return err
	}
	if err := s.todo.Sync(); err != nil {
		return err
	}
	if s.merge {
		if err := s.l.fail("end of the merge"); err != nil {
			return err
		}
		s.l.dropMergeState(s.tx.parents)
	}
	return nil
}

// dropIndex gives index.lock back.
func (s *session) dropIndex() {
	if s.index != nil {
		s.index.Rollback()
		s.index = nil
	}
}

// lockRefs takes the locks of all refs that move, with the values they must have now.
func (s *session) lockRefs(ctx context.Context, p *plan) error {
	if err := s.l.fail("lock refs"); err != nil {
		return err
	}
	var err error
	if len(p.refs) > 0 {
		if s.sides, err = s.l.lockRefs(ctx, p.refs); err != nil {
			return err
		}
	}
	if p.commits() {
		s.branch, err = s.l.lockRefs(ctx, []gitstore.RefUpdate{p.branch})
	}
	return err
}

// lockRefs retries for a moment: git holds these locks only while it writes.
func (l *Library) lockRefs(ctx context.Context, updates []gitstore.RefUpdate) (*gitstore.RefLocks, error) {
	pause := 20 * time.Millisecond
	for try := 0; ; try++ {
		locks, err := l.store.LockRefs(updates)
		if err == nil || schema.CodeOf(err) != schema.CodeConflict || try == 6 || l.o.Wait == 0 {
			return locks, err
		}
		if err := pauseFor(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// store makes objects, staged files and whatever else there is durable, all at once since each waits for the disk.
func (s *session) store(ctx context.Context, p *plan, more ...func() error) error {
	if err := s.l.fail("objects"); err != nil {
		return err
	}
	if p.stages() {
		if err := s.l.fail("stage"); err != nil {
			return err
		}
		var err error
		if s.stageDir, err = s.claims.stage(s.l); err != nil {
			return err
		}
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.tx.batch.Flush(gctx) })
	g.Go(func() error { return s.stageFiles(gctx, p) })
	for _, fn := range more {
		g.Go(fn)
	}
	if err := g.Wait(); err != nil {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		return err
	}
	return nil
}

// reflogLine is what git writes for a commit of this message.
func reflogLine(message string) string {
	subject, _, _ := strings.Cut(message, "\n")
	return "commit: " + subject
}

// quoteArg makes a path safe to paste into a shell.
func quoteArg(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+=,@%", r)
	}
	if s != "" && s[0] != '-' && !slices.ContainsFunc([]rune(s), func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
