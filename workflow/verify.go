package workflow

import (
	"context"
	"slices"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// VerifyFault is one offence in the history.
type VerifyFault struct {
	Commit string      `json:"commit"`
	Path   string      `json:"path,omitempty"`
	Rule   string      `json:"rule"`
	Msg    schema.Text `json:"message"`
}

// VerifyResult is what a replay of the history found, and what it proves.
type VerifyResult struct {
	Head    string        `json:"head"`
	Commits int           `json:"commits"`
	Level   string        `json:"level"` // V0 well-formed, V1 legal steps (DESIGN 12)
	Proves  schema.Text   `json:"proves"`
	Faults  []VerifyFault `json:"faults"`
	Notes   []schema.Text `json:"notes,omitempty"`
}

func (r *VerifyResult) details() []schema.Fault {
	var out []schema.Fault
	for _, f := range r.Faults {
		out = append(out, schema.Fault{File: f.Path, Rule: f.Rule, Msg: schema.Textf("commit %s: %s", short(f.Commit), f.Msg)})
	}
	return out
}

// Verify replays the history of the branch and judges every commit by the one checker. It judges trees, not messages: a
// missing trailer is only a note.
func (s *Session) Verify(ctx context.Context) (*VerifyResult, error) {
	head, err := s.lib.Store().Head()
	if err != nil {
		return nil, err
	}
	return verify(ctx, s.lib.Store(), head.ID)
}

// blobs lets the checker read contents from a repository.
type blobs struct{ store *gitstore.Repo }

// ReadBlob gives CodeNotFound for a content that git has not got: what was there once may be gone after a squash or in a
// shallow clone, and only the rule that asks knows whether that matters.
func (b blobs) ReadBlob(id schema.OID) ([]byte, error) {
	data, err := b.store.Blob(id)
	if err != nil && !b.store.Has(id) {
		return nil, schema.Wrap(err, schema.CodeNotFound, "the content %s is not in git", id.Short())
	}
	return data, err
}

func verify(ctx context.Context, store *gitstore.Repo, head schema.OID) (*VerifyResult, error) {
	r := &VerifyResult{
		Head: head.String(), Level: "V1", Faults: []VerifyFault{},
		Proves: schema.Textf("records are well-formed and every step was legal; who made it is a claim, since no signers are set"),
	}
	if head.IsZero() {
		r.Head = ""
		return r, nil
	}
	commits, err := lineOf(store, head)
	if err != nil {
		return nil, err
	}
	r.Commits = len(commits)
	fold := state.NewFold()
	parent := schema.OID{}
	cut, err := store.Shallow()
	if err != nil {
		return nil, err
	}
	if cut {
		r.Notes = append(r.Notes, schema.Textf("the history is cut off (a shallow clone): its first commit is believed"))
		parent = commits[0].Tree
		if fold.State, err = StateAt(store, parent); err != nil {
			return nil, err
		}
		commits = commits[1:]
	}
	silent, merges := 0, 0
	for _, c := range commits {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		step, err := StepBetween(store, parent, c.Tree)
		if err != nil {
			return nil, err
		}
		v, err := fold.Apply(step)
		if err != nil {
			return nil, err
		}
		for _, f := range v.Faults {
			r.Faults = append(r.Faults, VerifyFault{Commit: c.ID.String(), Path: f.File, Rule: f.Rule, Msg: f.Msg})
		}
		if m, ours := schema.ParseMessage(c.Message); len(v.Moves) > 0 && (!ours || m.Book == "" && m.Verb != schema.VerbAdopt) {
			silent++
		}
		if len(c.Parents) > 1 {
			merges++
		}
		parent = c.Tree
	}
	if merges > 0 {
		r.Notes = append(r.Notes, schema.Textf("%d merges were judged by what they brought, not commit by commit", merges))
	}
	if silent > 0 {
		r.Notes = append(r.Notes, schema.Textf("%d commits move chapters and have no Novel- trailers", silent))
	}
	if len(r.Faults) > 0 {
		r.Level = "V0"
		r.Proves = schema.Textf("nothing beyond what the list above names")
	}
	return r, nil
}

// lineOf lists the first-parent line of a commit, first to last.
func lineOf(store *gitstore.Repo, head schema.OID) ([]*gitstore.Commit, error) {
	var line []*gitstore.Commit
	for id := head; !id.IsZero(); {
		c, err := store.HistoryCommit(id)
		if err != nil {
			return nil, err
		}
		line = append(line, c)
		id = schema.OID{}
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	slices.Reverse(line)
	return line, nil
}
