package workflow

import (
	"git-novel/repo/diff"
	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// StepBetween is what the checker needs to judge the step from one tree to the next: what differs in the two folders that
// are ours, and where to read. The zero id is the empty tree.
func StepBetween(store *gitstore.Repo, from, to schema.OID) (state.Step, error) {
	step := state.Step{Blobs: blobs{store}, Edited: diff.EditedChars, Parent: TreeOf(store, from)}
	for _, dir := range []string{schema.NovelsDir, schema.DataDir} {
		err := store.Diff(from, to, dir, func(ch gitstore.Change) error {
			step.Changes = append(step.Changes, state.Change{Path: ch.Path, Old: ch.Old.ID, New: ch.New.ID, Mode: state.Mode(ch.New.Mode)})
			return nil
		})
		if err != nil {
			return state.Step{}, err
		}
	}
	return step, nil
}

// StateAt is what one tree amounts to, its own words believed: the ground on which the next step is judged. The zero id
// is the empty tree.
func StateAt(store *gitstore.Repo, tree schema.OID) (*state.State, error) {
	if tree.IsZero() {
		return state.NewState(), nil
	}
	// What cannot be read there was told when it came; it is no fault of the next step.
	s, _, err := state.Load(TreeOf(store, tree), blobs{store})
	return s, err
}

// TreeOf lets the checker read a tree of a repository.
func TreeOf(store *gitstore.Repo, root schema.OID) state.Tree {
	return gitTree{store: store, tree: root}
}

// BlobsOf lets the checker read contents of a repository.
func BlobsOf(store *gitstore.Repo) state.Blobs { return blobs{store} }
