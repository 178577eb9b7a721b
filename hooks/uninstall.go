package hooks

import (
	"context"
	"path/filepath"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
	"git-novel/workflow"
)

// Uninstall takes the scripts away and brings back, as they were, the hooks from before. Hooks that somebody put there
// since are left alone and told as a note. Nothing of ours there is nothing to do.
func Uninstall(ctx context.Context, o workflow.Options) (*Report, error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if p.alien != "" {
		// Nothing was ever installed there; an earlier installation lies in the repository's own folder.
		p.dir, p.alien = p.own(), ""
	}
	changed, err := p.remove()
	if err != nil {
		return nil, err
	}
	r, err := p.report(o)
	if err != nil {
		return nil, err
	}
	r.Changed, r.Notes = changed, nil
	for _, h := range r.Hooks {
		if h.Kept != "" {
			r.Notes = append(r.Notes, schema.Textf("%s was put there after the installation and stays; the one from before lies beside it as %s", h.Name, h.Kept))
		}
	}
	return r, nil
}

func (p *place) remove() (changed []string, err error) {
	root, err := openFolder(p.dir, false)
	if err != nil || root == nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	for _, hook := range allNames() {
		f, err := look(p.dir, hook)
		if err != nil {
			return nil, err
		}
		if f.there && !f.ours || !f.there && !f.kept {
			continue
		}
		if hook == PreReceive {
			if err := p.resetFsck(f.content); err != nil {
				return nil, err
			}
		}
		if f.kept {
			err = root.Rename(keptName(hook), hook) // over the script, in one step
		} else {
			err = root.Remove(hook)
		}
		if err != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot take %s away", filepath.Join(p.dir, hook))
		}
		changed = append(changed, hook)
	}
	return changed, atomicfile.SyncDir(root, ".")
}

// resetFsck puts back the setting that the script remembers.
func (p *place) resetFsck(script string) error {
	value, known := remembered(script)[fsckKey]
	switch {
	case !known:
		return nil
	case value == "":
		return p.store.UnsetConfig(fsckKey)
	}
	return p.store.SetConfig(fsckKey, value)
}
