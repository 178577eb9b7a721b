package repo

import (
	"context"
	"strings"
	"time"

	"git-novel/repo/gitcmd"
	"git-novel/schema"
)

// saved reports whether the worktree file is what HEAD has. Where a filter of the repository changes files on their way
// into git, git is asked what it would make of the file.
func (tx *Tx) saved(c *change) bool {
	if c.seen == c.head.ID {
		return true
	}
	git, ok := tx.l.Git()
	if !ok || c.seen.IsZero() || c.head.IsZero() {
		return false
	}
	if _, foreign := tx.l.store.ForeignBesidesSigning([]string{c.path}); !foreign {
		return false
	}
	data, err := tx.l.ReadFile(c.path)
	if err != nil {
		return false
	}
	id, err := tx.l.cleaned(context.Background(), git, c.path, data)
	return err == nil && id == c.head.ID
}

// cleaned asks git for the blob that its filters make of a worktree file.
func (l *Library) cleaned(ctx context.Context, git *gitcmd.Git, path string, data []byte) (schema.OID, error) {
	res, err := git.Check(ctx, gitcmd.Cmd{
		Dir: l.Root(), Stdin: data, Timeout: time.Minute, Args: []string{"hash-object", "--stdin", "--path", path},
	})
	if err != nil {
		return schema.OID{}, err
	}
	return schema.ParseOID(strings.TrimSpace(string(res.Stdout)))
}

// unsaved says why a path may not be overwritten and how to go on.
func (tx *Tx) unsaved(c *change) error {
	if c.seen.IsZero() {
		return schema.Errorf(schema.CodeConflict, "%s was deleted and the deletion is not saved", c.path).
			WithHint("bring it back with: git restore -- %s", quoteArg(c.path))
	}
	if data, err := tx.l.ReadFile(c.path); err == nil {
		if err := schema.CheckTracked(c.path, data); err != nil {
			return asDamaged(c.path, err)
		}
	}
	if c.head.IsZero() {
		return schema.Errorf(schema.CodeConflict, "%s exists on disk and is not saved", c.path).
			WithHint("save it with: git add -- %[1]s && git commit -- %[1]s, or move it away", quoteArg(c.path))
	}
	err := schema.Errorf(schema.CodeConflict, "%s holds an edit that is not saved", c.path)
	if strings.HasPrefix(c.path, novelsDir+"/") {
		return err.WithHint("keep it with: git novel chapter save, or drop it with: git restore -- %s", quoteArg(c.path))
	}
	return err.WithHint("keep it with: git commit -- %[1]s, or drop it with: git restore -- %[1]s", quoteArg(c.path))
}

func (tx *Tx) edited(path string) error {
	return schema.Errorf(schema.CodeConflict, "%s was changed while the command was at work", path).
		WithHint("run the command again")
}
