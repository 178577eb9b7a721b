package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// handOver makes the same transaction through the git program, because the repository uses something that the native
// engine does not do. Without git it is refused with the reason. A signature alone is made for the finished tree, with no
// lock held, since it may wait for a person; everything else is done by git commit.
func (s *session) handOver(ctx context.Context, p *plan, reason string) (*Result, error) {
	git, ok := s.l.Git()
	if !ok {
		return nil, schema.Errorf(schema.CodeGit, "this repository needs the git program, which is not available: %s", reason).
			WithHint("install git, or switch that setting off for this repository")
	}
	if _, more := s.l.store.ForeignBesidesSigning(p.paths); !more {
		return s.signed(ctx, git, p)
	}
	if p.merge {
		return nil, schema.Errorf(schema.CodeGit, "git itself has to conclude this merge: %s", reason).
			WithHint("resolve the conflicts, then run: git add -A && git commit")
	}
	if err := s.seenOnDisk(ctx, git, p); err != nil {
		return nil, err
	}
	if err := s.build(p); err != nil {
		return nil, err
	}
	h := &handover{s: s, p: p, git: git}
	return h.run(ctx)
}

// seenOnDisk replaces ids that came from the index, which are those behind the filters, by those of the bytes on disk.
func (s *session) seenOnDisk(ctx context.Context, git *gitcmd.Git, p *plan) error {
	for _, c := range p.changes {
		if c.seen.IsZero() {
			continue
		}
		data, _, err := s.l.read(c.path)
		if err != nil {
			return s.tx.edited(c.path)
		}
		disk := schema.HashBlob(data)
		if disk == c.seen {
			continue
		}
		if id, err := s.l.cleaned(ctx, git, c.path, data); err != nil || id != c.seen {
			return s.tx.edited(c.path)
		}
		c.seen = disk
	}
	return nil
}

// handover commits with git, from a private index that holds HEAD and our changes and nothing else that is staged. The
// real index stays locked meanwhile, which keeps other commits out.
type handover struct {
	s      *session
	p      *plan
	git    *gitcmd.Git
	index  string // the private index
	native bool   // the real index is one that the native engine writes
}

func (h *handover) run(ctx context.Context) (*Result, error) {
	s, p, l := h.s, h.p, h.s.l
	if err := h.lockIndex(ctx); err != nil {
		return nil, err
	}
	if len(p.refs) > 0 {
		if err := l.fail("lock refs"); err != nil {
			return nil, err
		}
		var err error
		if s.sides, err = l.lockRefs(ctx, p.refs); err != nil {
			return nil, err
		}
	}
	if err := s.store(ctx, p); err != nil {
		return nil, err
	}
	if err := h.makeIndex(ctx); err != nil {
		return nil, err
	}
	j := s.journal(p)
	j.ByGit, j.New = true, schema.OID{}
	if err := l.writeJournal(j); err != nil {
		l.dropJournal(false)
		return nil, err
	}
	id, err := h.commit(ctx, j)
	if err != nil {
		return nil, s.undo(j, err)
	}
	p.commit = id
	return h.settle(ctx)
}

// lockIndex takes the real index's lock. A split or sparse index is not read, only locked.
func (h *handover) lockIndex(ctx context.Context) error {
	ix, err := h.s.l.store.ReadIndex()
	if err != nil {
		return err
	}
	h.native = ix.Unsupported == ""
	if h.native {
		return h.s.lockIndex(ctx, h.p)
	}
	if err := h.s.l.fail("lock index"); err != nil {
		return err
	}
	if err := h.s.claims.wait(ctx, filepath.Join(h.s.l.loc.GitDir, "index.lock"), h.s.l.o.Wait); err != nil {
		return err
	}
	in, err := h.s.l.gitStaged(ctx, h.git)
	if err != nil {
		return err
	}
	return h.p.checkIndex(in)
}

// env sends git to the private index.
func (h *handover) env() []string { return append(h.s.tx.identityEnv(), "GIT_INDEX_FILE="+h.index) }

// identityEnv makes git commit as the native engine would.
func (tx *Tx) identityEnv() []string {
	author, committer, _ := tx.identity() // asked before, in plan
	date := func(i gitstore.Ident) string { return fmt.Sprintf("@%d %s", i.When.Unix(), i.When.Format("-0700")) }
	return []string{
		"GIT_AUTHOR_NAME=" + author.Name, "GIT_AUTHOR_EMAIL=" + author.Email, "GIT_AUTHOR_DATE=" + date(author),
		"GIT_COMMITTER_NAME=" + committer.Name, "GIT_COMMITTER_EMAIL=" + committer.Email, "GIT_COMMITTER_DATE=" + date(committer),
	}
}

func (h *handover) call(ctx context.Context, stdin []byte, args ...string) (gitcmd.Result, error) {
	return h.git.Check(ctx, gitcmd.Cmd{Dir: h.s.l.Root(), Env: h.env(), Stdin: stdin, Args: args})
}

// makeIndex makes the private index hold HEAD, keeping what the real one knows of the files on disk.
func (h *handover) makeIndex(ctx context.Context) error {
	l := h.s.l
	var err error
	if h.index, err = h.s.claims.scratch(l.loc.GitDir); err != nil {
		return err
	}
	shared := filepath.Join(l.loc.GitDir, "index")
	if data, err := os.ReadFile(shared); err == nil {
		if err := os.WriteFile(h.index, data, 0o600); err != nil { //nolint:forbidigo // a scratch file for git, needs no sync
			return schema.Wrap(err, schema.CodeUnexpected, "cannot write %s", h.index)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", shared)
	}
	if h.s.tx.head.Unborn {
		_, err = h.call(ctx, nil, "read-tree", "--empty")
		return err
	}
	_, err = h.call(ctx, nil, "read-tree", "--reset", h.s.tx.head.ID.String())
	return err
}

// commit puts the files in place, takes them into the private index with the repository's filters, and commits with its
// hooks and its signature. The result is held against the plan.
func (h *handover) commit(ctx context.Context, j *journal) (schema.OID, error) {
	s, p, l := h.s, h.p, h.s.l
	touched, err := s.applyWork(p)
	if err != nil {
		return schema.OID{}, err
	}
	if err := l.fail("sync folders"); err != nil {
		return schema.OID{}, err
	}
	if err := l.syncDirs(touched); err != nil {
		return schema.OID{}, err
	}
	if err := l.fail("git index"); err != nil {
		return schema.OID{}, err
	}
	if err := h.addPaths(ctx, j); err != nil {
		return schema.OID{}, err
	}
	if s.sides != nil {
		if err := l.fail("side refs"); err != nil {
			return schema.OID{}, err
		}
		s.sidesMoved = true
		if err := s.sides.Commit(); err != nil {
			return schema.OID{}, err
		}
		s.sides = nil
	}
	// git takes these two itself.
	s.claims.drop(filepath.Join(l.loc.GitDir, "HEAD.lock"))
	s.claims.drop(l.refLock(s.tx.head.Ref))
	if err := l.fail("git commit"); err != nil {
		return schema.OID{}, err
	}
	signing := l.store.Config().Bool("commit.gpgsign", false)
	res, err := h.git.Run(ctx, gitcmd.Cmd{
		Dir: l.Root(), Env: h.env(), Stdin: []byte(s.tx.message), Prompt: signing,
		Args: []string{"commit", "--quiet", "--allow-empty", "--no-edit", "--cleanup=verbatim", "--file=-"},
	})
	now, rerr := l.store.Head()
	if rerr != nil {
		return schema.OID{}, rerr
	}
	if now.ID == s.tx.head.ID {
		if err != nil {
			return schema.OID{}, err
		}
		return schema.OID{}, gitRefused(res)
	}
	if err := h.check(now, signing); err != nil {
		if terr := h.takeBack(now); terr != nil {
			return schema.OID{}, schema.Wrap(terr, schema.CodeGit, "the commit %s is not what was asked for and could not be taken back", now.ID.Short())
		}
		return schema.OID{}, err
	}
	return now.ID, nil
}

func gitRefused(res gitcmd.Result) error {
	msg := strings.TrimSpace(res.Stderr)
	if msg == "" {
		msg = strings.TrimSpace(string(res.Stdout))
	}
	if msg == "" {
		return schema.Errorf(schema.CodeGit, "git commit refused with exit code %d; nothing was changed", res.Code).
			WithHint("a commit hook of this repository said no without giving a reason; see: git config core.hooksPath, .git/hooks")
	}
	return schema.Errorf(schema.CodeGit, "git commit refused; nothing was changed: %s", msg).
		WithHint("put right what the hook or the signature needs, then run the command again")
}

// addPaths takes the worktree files into the private index, filters and all, and notes in the journal what the filters
// made of them.
func (h *handover) addPaths(ctx context.Context, j *journal) error {
	var in bytes.Buffer
	for _, path := range h.p.paths {
		in.WriteString(path)
		in.WriteByte(0)
	}
	if _, err := h.call(ctx, in.Bytes(), "update-index", "--add", "--remove", "-z", "--stdin"); err != nil {
		return err
	}
	for _, c := range h.p.changes {
		if now, err := h.s.l.workBlob(c.path); c.tracked() && (err != nil || now != c.blob) {
			return h.s.tx.edited(c.path)
		}
	}
	ix, err := h.s.l.store.ReadIndexAt(h.index)
	if err != nil {
		return err
	}
	if ix.Unsupported != "" {
		return h.cleanByGit(ctx, j)
	}
	for i := range j.Paths {
		e, _ := ix.Entry(j.Paths[i].Path)
		j.setClean(i, e.ID)
	}
	return h.s.l.writeJournal(j)
}

// cleanByGit is for an index that only git reads.
func (h *handover) cleanByGit(ctx context.Context, j *journal) error {
	for i, p := range j.Paths {
		if p.Loose {
			continue
		}
		res, err := h.call(ctx, nil, "ls-files", "-z", "--stage", "--", ":(literal,top)"+p.Path)
		if err != nil {
			return err
		}
		var id schema.OID
		if fields := strings.Fields(string(res.Stdout)); len(fields) > 1 {
			if id, err = schema.ParseOID(fields[1]); err != nil {
				return err
			}
		}
		j.setClean(i, id)
	}
	return h.s.l.writeJournal(j)
}

func (j *journal) setClean(i int, id schema.OID) {
	if p := &j.Paths[i]; !p.Loose && id != p.New {
		p.Clean = id
	}
}

// check holds git's commit against the plan: a hook may have staged more, or somebody may have moved the branch between.
func (h *handover) check(now gitstore.Head, signing bool) error {
	s := h.s
	c, err := s.l.store.Commit(now.ID)
	if err != nil {
		return err
	}
	var parent schema.OID
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	if now.Ref != s.tx.head.Ref || parent != s.tx.head.ID {
		return schema.Errorf(schema.CodeConflict, "the branch %s moved while the command was at work", s.tx.head.Ref).
			WithHint("run the command again")
	}
	if _, _, ok := c.Signature(); signing && !ok {
		return schema.Errorf(schema.CodeGit, "git commit made no signature although commit.gpgsign is on")
	}
	want := map[string]bool{}
	for _, p := range h.p.paths {
		want[p] = true
	}
	var faults []schema.Fault
	err = s.l.store.Diff(s.tx.snap.tree, c.Tree, "", func(d gitstore.Change) error {
		if !want[d.Path] {
			faults = append(faults, schema.Fault{File: d.Path, Rule: "hook-changed", Msg: schema.Textf("was added to the commit by a hook")})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return schema.Errorf(schema.CodeGit, "a commit hook changed what was to be committed; nothing was changed").
			WithHint("let the hook leave novels/ and .novel-writer/ alone").WithDetails(faults...)
	}
	return nil
}

// takeBack moves the branch back from a commit that is not what was asked for. Only our own, and only while it is the tip.
func (h *handover) takeBack(now gitstore.Head) error {
	s := h.s
	c, err := s.l.store.Commit(now.ID)
	if err != nil {
		return err
	}
	if now.Ref != s.tx.head.Ref || c.Message != s.tx.message {
		return nil
	}
	u := gitstore.RefUpdate{Name: now.Ref, Old: now.ID, Reflog: "novel: take back a refused commit", By: c.Committer}
	if len(c.Parents) > 0 {
		u.New = c.Parents[0]
	}
	return s.l.moveRefs([]gitstore.RefUpdate{u})
}

// settle brings the real index up to the commit.
func (h *handover) settle(ctx context.Context) (*Result, error) {
	s, p, l := h.s, h.p, h.s.l
	err := l.fail("index content")
	if err == nil && h.native {
		if err = s.index.Apply(h.edits()); err == nil {
			err = s.settleIndex()
		}
	} else if err == nil {
		s.claims.drop(filepath.Join(l.loc.GitDir, "index.lock")) // git takes it itself
		err = l.gitStage(context.WithoutCancel(ctx), h.git, h.edits())
	}
	if err == nil {
		err = l.fail("journal removal")
	}
	if err != nil {
		s.dropIndex()
		s.claims.release()
		if rerr := l.recoverLocked(context.WithoutCancel(ctx)); rerr != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected,
				"the commit %s was made, but its last step failed; the next command completes it", p.commit.Short())
		}
	} else {
		l.dropJournal(p.loose)
	}
	return &Result{Commit: p.commit, Changed: true, Paths: p.paths, Sides: s.tx.sideIDs}, nil
}

// edits are the plan's, with the ids that the filters made.
func (h *handover) edits() []gitstore.IndexEdit {
	edits := h.p.indexEdits()
	for i := range edits {
		if e := &edits[i]; !e.Delete {
			if entry, ok, err := h.s.l.store.Lookup(h.tree(), e.Path); err == nil && ok {
				e.ID = entry.ID
			}
		}
	}
	return edits
}

func (h *handover) tree() schema.OID {
	c, err := h.s.l.store.Commit(h.p.commit)
	if err != nil {
		return schema.OID{}
	}
	return c.Tree
}
