package hooks

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow"
)

// The states of a hook.
const (
	StateOurs    = "ours"
	StateChained = "chained"        // ours, and one from before that runs first
	StateForeign = "foreign"        // somebody's alone
	StateMissing = "missing"        // none
	StateNotExec = "not-executable" // ours, but git does not run it
)

// Hook is one hook of a repository.
type Hook struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Kept  string `json:"kept,omitempty"` // file name of the one from before
	Runs  bool   `json:"runs"`           // git runs our check
}

// Report is what is installed in a repository.
type Report struct {
	Dir     string        `json:"dir"`
	Server  bool          `json:"server"`
	Program string        `json:"program"` // where git-novel is found, empty when it is not
	Hooks   []Hook        `json:"hooks"`
	Changed []string      `json:"changed,omitempty"`
	Notes   []schema.Text `json:"notes,omitempty"`
}

// Status tells what is installed in the repository that o means.
func Status(ctx context.Context, o workflow.Options) (*Report, error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return p.report(o)
}

func (p *place) report(o workflow.Options) (*Report, error) {
	r := &Report{Dir: p.dir, Server: p.server, Program: program(o), Hooks: []Hook{}}
	runs := false
	for _, hook := range names(p.server) {
		f, err := look(p.dir, hook)
		if err != nil {
			return nil, err
		}
		h := Hook{Name: hook, State: f.state(), Runs: f.ours && f.exec}
		if f.kept {
			h.Kept = keptName(hook)
		}
		runs = runs || h.Runs
		if f.there && !f.ours && f.kept {
			r.Notes = append(r.Notes, schema.Textf("%s was replaced after the installation: the check does not run any more", hook))
		}
		r.Hooks = append(r.Hooks, h)
	}
	if p.alien != "" {
		r.Notes = append(r.Notes, schema.Textf("core.hooksPath leads to %s, by a setting that is not this repository's own; to give it its own: %s", p.alien, p.localCommand()))
	}
	if runs && r.Program == "" {
		r.Notes = append(r.Notes, schema.Textf("git-novel is not on PATH, so the hooks may not find it"))
	}
	if p.server && runs && !p.store.Config().Bool(fsckKey, false) {
		r.Notes = append(r.Notes, schema.Textf("receive.fsckObjects is off; switch it on with `git novel hooks install --server`"))
	}
	return r, nil
}

func (f file) state() string {
	switch {
	case !f.there:
		return StateMissing
	case !f.ours:
		return StateForeign
	case !f.exec:
		return StateNotExec
	case f.kept:
		return StateChained
	}
	return StateOurs
}
