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
		return refs, err
	}
	defer dst.Close()
	if refs, err = copyRefs(ctx, l.store, dst, refs, l); err != nil {
		return refs, err
	}
	held := map[string]schema.OID{}
	list, err := dst.Refs("refs/")
	if err != nil {
		return refs, err
	}
	for _, ref := range list {
		held[ref.Name] = ref.ID
	}
	return refs, confirm(r, refs, held)
}

// copyRefs brings refs with all their objects from one repository to another, objects first. A ref that would not move
// forward is refused, and then none moves.
func copyRefs(ctx context.Context, src, dst *gitstore.Repo, refs []Push, l *Library) ([]Push, error) {
	var updates []gitstore.RefUpdate
	refused := false
	batch := dst.NewBatch()
	seen := map[schema.OID]bool{}
	for i, p := range refs {
		old, there, err := dst.Ref(p.Name)
		if err != nil {
			return refs, err
		}
		if there && old == p.ID {
			continue
		}
		if there {
			forward := false
			if src.Has(old) && strings.HasPrefix(p.Name, "refs/heads/") {
				if forward, err = src.IsAncestor(old, p.ID); err != nil {
					return refs, err
				}
			}
			switch {
			case forward:
			case strings.HasPrefix(p.Name, "refs/tags/"):
				refs[i].Note = schema.Textf("the backup holds this tag at %s; it is left there", old.Short())
				continue
			default:
				refused = true
				refs[i].Note = schema.Textf("rejected: the backup has %s, which is not in this history", old.Short())
				continue
			}
		}
		if err := copyObjects(ctx, src, dst, batch, seen, p.ID); err != nil {
			return refs, err
		}
		updates = append(updates, gitstore.RefUpdate{Name: p.Name, Old: old, New: p.ID, Reflog: "push", By: gitstore.Ident{Name: "git-novel", Email: "git-novel@localhost", When: l.Now()}})
	}
	if refused {
		return refs, schema.Errorf(schema.CodeGit, "the backup holds commits that are not here, and a backup is never forced").
			WithHint("look at both histories; another copy of the library may have pushed")
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
