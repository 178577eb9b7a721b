package repo

import (
	"context"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// openFolder opens a backup that is a folder on this machine. Anything else needs a git program (CodeGit).
func (l *Library) openFolder(r Remote) (*gitstore.Repo, error) {
	path := localPath(r.URL, l.Root())
	if path == "" {
		return nil, schema.Errorf(schema.CodeGit, "the backup %s (%s) can be reached only with a git program", r.Name, r.Shown()).
			WithHint("install git, or add a folder as a backup: git novel backup add NAME FOLDER")
	}
	other, err := l.openOther(path)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeGit, "the backup %s cannot be reached (%s)", r.Name, path).
			WithHint("what is committed is safe here; try `git novel backup run` again later")
	}
	return other, nil
}

// pushNative is PushBackup without a git program: a durable copy of the objects that are missing, then the refs by
// compare-and-swap.
func (l *Library) pushNative(ctx context.Context, r Remote, refs []Push) ([]Push, error) {
	dst, err := l.openFolder(r)
	if err != nil {
		return notPushed(refs, nil), err
	}
	defer func() { _ = dst.Close() }()
	refs, pushed := copyRefs(ctx, l.store, dst, refs, l)
	held := map[string]schema.OID{}
	list, err := dst.Refs("refs/")
	if err != nil {
		return notPushed(refs, nil), err
	}
	for _, ref := range list {
		held[ref.Name] = ref.ID
	}
	if pushed != nil {
		return notPushed(refs, held), pushed
	}
	return refs, confirm(r, refs, held)
}

// cloneNative is CloneBackup without a git program.
func (l *Library) cloneNative(ctx context.Context, r Remote, dir string) (*gitstore.Repo, error) {
	src, err := l.openFolder(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }()
	dst, err := gitstore.CreateBare(dir, "", l.o.Env)
	if err != nil {
		return nil, err
	}
	refs, err := src.Refs("refs/")
	if err != nil {
		_ = dst.Close()
		return nil, err
	}
	push := make([]Push, 0, len(refs))
	for _, ref := range refs {
		push = append(push, Push{Name: ref.Name, ID: ref.ID})
	}
	if _, err = copyRefs(ctx, src, dst, push, l); err != nil {
		_ = dst.Close()
		return nil, schema.Wrap(err, schema.CodeOf(err), "the backup %s cannot be cloned", r.Name)
	}
	return dst, nil
}

// checkedOut reports the branch that a repository with a worktree stands on; moving it would make that worktree lie.
func checkedOut(dst *gitstore.Repo, ref string) bool {
	if dst.Location().WorkTree == "" {
		return false
	}
	head, err := dst.Head()
	return err != nil || head.Ref == ref
}

// copyRefs brings refs with all their objects from one repository to another, objects first. A ref that would not move
// forward is refused, and then none moves.
func copyRefs(ctx context.Context, src, dst *gitstore.Repo, refs []Push, l *Library) ([]Push, error) {
	var updates []gitstore.RefUpdate
	refused := false
	batch := dst.NewBatch()
	defer batch.Discard()
	seen := map[schema.OID]bool{}
	for i, p := range refs {
		old, there, err := dst.Ref(p.Name)
		if err != nil {
			return refs, err
		}
		if there && old == p.ID {
			continue
		}
		if there && checkedOut(dst, p.Name) {
			refs[i].Note, refused = schema.Textf("rejected: the branch is checked out there"), true
			continue
		}
		if there {
			forward, err := isForward(src, old, p)
			if err != nil {
				return refs, err
			}
			switch {
			case forward:
			case isTag(p.Name):
				refs[i].Note = heldElsewhere(old)
				continue
			default:
				refs[i].Note, refused = notForward(old), true
				continue
			}
		}
		if err := copyObjects(ctx, src, dst, batch, seen, p.ID); err != nil {
			return refs, err
		}
		updates = append(updates, gitstore.RefUpdate{Name: p.Name, Old: old, New: p.ID, Reflog: "push", By: gitstore.Ident{Name: "git-novel", Email: "git-novel@localhost", When: l.Now()}})
	}
	if refused {
		return refs, errNeverForced()
	}
	if err := batch.Flush(ctx); err != nil {
		return refs, err
	}
	if len(updates) == 0 {
		return refs, nil
	}
	locks, err := dst.LockRefs(updates)
	if err != nil {
		return refs, err
	}
	return refs, locks.Commit()
}

// copyObjects puts every object that a commit, tag or tree reaches and the other repository lacks into its batch. What the
// other one has is complete there: objects come before refs always.
func copyObjects(ctx context.Context, src, dst *gitstore.Repo, batch *gitstore.Batch, seen map[schema.OID]bool, from schema.OID) error {
	todo := []schema.OID{from}
	for len(todo) > 0 {
		if ctx.Err() != nil {
			return schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted")
		}
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] || dst.Has(id) {
			continue
		}
		seen[id] = true
		kind, data, err := src.Raw(id)
		if err != nil {
			return err
		}
		if _, err := batch.Raw(kind, data); err != nil {
			return err
		}
		next, err := linksOf(src, id, kind, data)
		if err != nil {
			return err
		}
		todo = append(todo, next...)
	}
	return nil
}

// linksOf lists the objects that an object names.
func linksOf(src *gitstore.Repo, id schema.OID, kind gitstore.ObjectType, data []byte) ([]schema.OID, error) {
	switch kind {
	case gitstore.CommitObject:
		c, err := src.Commit(id)
		if err != nil {
			return nil, err
		}
		return append([]schema.OID{c.Tree}, c.Parents...), nil
	case gitstore.TreeObject:
		entries, err := src.Tree(id)
		if err != nil {
			return nil, err
		}
		var out []schema.OID
		for _, e := range entries {
			if e.Mode != gitstore.ModeGitlink {
				out = append(out, e.ID)
			}
		}
		return out, nil
	case gitstore.TagObject:
		line, _, _ := strings.Cut(string(data), "\n")
		target, err := schema.ParseOID(strings.TrimPrefix(line, "object "))
		if err != nil {
			return nil, schema.Wrap(err, schema.CodeGit, "the tag object %s cannot be read", id.Short())
		}
		return []schema.OID{target}, nil
	case gitstore.BlobObject:
	}
	return nil, nil
}
