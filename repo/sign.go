package repo

import (
	"context"
	"strings"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// signed lets git sign the commit of a plan and then carries it out natively. The locks are given back while git may ask
// for a passphrase (DESIGN 6) and taken again; when HEAD moved between, the command is refused, because it decided on what
// was there before.
func (s *session) signed(ctx context.Context, git *gitcmd.Git, p *plan) (*Result, error) {
	if err := s.buildTree(p); err != nil {
		return nil, err
	}
	want, err := s.newCommit(p)
	if err != nil {
		return nil, err
	}
	if err := s.l.fail("objects"); err != nil {
		return nil, err
	}
	if err := s.tx.batch.Flush(ctx); err != nil {
		return nil, err
	}
	s.leave()
	id, err := s.sign(ctx, git, want)
	if err != nil {
		return nil, err
	}
	if err := s.enterAgain(ctx); err != nil {
		return nil, err
	}
	p.setCommit(s.tx, id, want.Committer)
	if err := s.lockIndex(ctx, p); err != nil {
		return nil, err
	}
	return s.write(ctx, p)
}

// enterAgain takes the locks again and finds HEAD where it was.
func (s *session) enterAgain(ctx context.Context) error {
	head, err := s.enter(ctx)
	if err != nil {
		return err
	}
	if head != s.tx.head {
		return schema.Errorf(schema.CodeConflict, "the branch %s moved while the command was at work", s.tx.head.Ref).
			WithHint("run the command again")
	}
	return nil
}

// sign makes one signed commit object and reads it back.
func (s *session) sign(ctx context.Context, git *gitcmd.Git, want *gitstore.Commit) (schema.OID, error) {
	args := []string{"commit-tree", "-S", "-F", "-"}
	for _, p := range want.Parents {
		args = append(args, "-p", p.String())
	}
	res, err := git.Run(ctx, gitcmd.Cmd{
		Dir: s.l.Root(), Env: s.tx.identityEnv(), Stdin: []byte(want.Message), Prompt: true, Args: append(args, want.Tree.String()),
	})
	if err != nil {
		return schema.OID{}, err
	}
	if res.Code != 0 {
		return schema.OID{}, schema.Errorf(schema.CodeGit, "git could not sign the commit; nothing was changed: %s", strings.TrimSpace(res.Stderr)).
			WithHint("see git config user.signingKey and gpg.format, or switch signing off with: git config commit.gpgSign false")
	}
	id, err := schema.ParseOID(strings.TrimSpace(string(res.Stdout)))
	if err != nil {
		return schema.OID{}, schema.Wrap(err, schema.CodeGit, "git commit-tree gave no commit")
	}
	got, err := s.l.store.Commit(id)
	if err != nil {
		return schema.OID{}, err
	}
	if _, _, ok := got.Signature(); !ok || got.Tree != want.Tree {
		return schema.OID{}, schema.Errorf(schema.CodeGit, "git commit-tree made no signature although commit.gpgSign is on")
	}
	return id, nil
}
