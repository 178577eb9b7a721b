package hooks

import (
	"context"
	"path/filepath"
	"strings"

	"git-novel/repo/atomicfile"
	"git-novel/schema"
	"git-novel/workflow"
)

// fsckKey makes a server look at every object of a push before its hooks do.
const fsckKey = "receive.fsckObjects"

// Install puts the scripts into the repository that o means: into the effective folder of hooks, in front of what is
// there. It can be run again: what is right is left alone. With server the repository must be bare and gets pre-receive.
// Errors: CodeConflict when core.hooksPath comes from somewhere else than the repository's own config, or when a hook from
// before would be overwritten; CodeUsage when server does not fit the repository.
func Install(ctx context.Context, server bool, o workflow.Options) (*Report, error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	switch {
	case server && !p.server:
		return nil, schema.Errorf(schema.CodeUsage, "%s is no bare repository; --server is for one that is only pushed to", p.store.Location().WorkTree).
			WithHint("here run `git novel hooks install`; on the server, in its bare repository, `git novel hooks install --server`")
	case !server && p.server:
		return nil, schema.Errorf(schema.CodeUsage, "%s is a bare repository", p.store.Location().GitDir).
			WithHint("for a repository that is pushed to: git novel hooks install --server")
	case p.alien != "":
		return nil, schema.Errorf(schema.CodeConflict, "core.hooksPath leads to %s, by a setting that is not this repository's own; its hooks serve other repositories too", p.alien).
			WithHint("give this repository a folder of its own, and install again: %s", p.localCommand())
	}
	i := &installer{place: p, program: program(o)}
	if err := i.check(); err != nil {
		return nil, err
	}
	if p.lib != nil {
		if err := p.lib.SetDrivers(); err != nil {
			return nil, err
		}
	}
	if err := i.write(); err != nil {
		return nil, err
	}
	r, err := p.report(o)
	if err != nil {
		return nil, err
	}
	r.Changed = i.changed
	return r, nil
}

// installer is one run of Install.
type installer struct {
	*place
	program string
	changed []string
}

// program is where git-novel is found now; empty when it is not.
func program(o workflow.Options) string {
	path, err := o.LookPath("git-novel")
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	return filepath.ToSlash(path)
}

// check finds, before anything is written, what would be lost.
func (i *installer) check() error {
	var faults []schema.Fault
	for _, hook := range names(i.server) {
		f, err := look(i.dir, hook)
		if err != nil {
			return err
		}
		if f.there && !f.ours && f.kept {
			faults = append(faults, schema.Fault{
				File: filepath.Join(i.dir, hook), Rule: "hook-kept",
				Msg: schema.Textf("was put there after the installation, and %s still keeps the one from before", keptName(hook)),
			})
		}
	}
	if len(faults) > 0 {
		return schema.Errorf(schema.CodeConflict, "there are two hooks of somebody else where only one can be kept").
			WithHint("join the two into one of them and move the other away").WithDetails(faults...)
	}
	return nil
}

// fallback is the program's place as the scripts remember it. A folder that is tracked gets no path of this machine.
func (i *installer) fallback() string {
	if rel, err := filepath.Rel(i.store.Location().CommonDir, i.dir); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return i.program
}

func (i *installer) write() error {
	root, err := openFolder(i.dir, true)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, hook := range names(i.server) {
		f, err := look(i.dir, hook)
		if err != nil {
			return err
		}
		var was []string
		if hook == PreReceive {
			if was, err = i.setFsck(f.content); err != nil {
				return err
			}
		}
		want := script(hook, i.fallback(), was)
		if f.ours && f.content == want && f.exec {
			continue
		}
		if f.there && !f.ours {
			// Killed after this, the next run finds the kept hook and goes on.
			if err := root.Rename(hook, keptName(hook)); err != nil {
				return schema.Wrap(err, schema.CodeUnexpected, "cannot rename %s", filepath.Join(i.dir, hook))
			}
		}
		if err := atomicfile.Write(root, hook, []byte(want), 0o755); err != nil {
			return err
		}
		if err := root.Chmod(hook, 0o755); err != nil {
			return schema.Wrap(err, schema.CodeUnexpected, "cannot make %s executable", filepath.Join(i.dir, hook))
		}
		i.changed = append(i.changed, hook)
	}
	return nil
}

// setFsck switches the server's own look at objects on, and gives the line that remembers what was there.
func (i *installer) setFsck(script string) ([]string, error) {
	was := []string{}
	if value, known := remembered(script)[fsckKey]; known {
		was = []string{fsckKey + "=" + value}
	}
	if i.store.Config().FromRepository(fsckKey) && i.store.Config().Bool(fsckKey, false) {
		return was, nil
	}
	if len(was) == 0 {
		value, _ := i.store.Config().Own(fsckKey)
		was = []string{fsckKey + "=" + strings.TrimSpace(value)}
	}
	return was, i.store.SetConfig(fsckKey, "true")
}
