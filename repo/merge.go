package repo

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// maxMergeHead bounds what is read of MERGE_HEAD.
const maxMergeHead = 1 << 16

// UpdateMerge is Update for concluding a merge that git has begun and stopped: the commit gets HEAD and MERGE_HEAD as
// parents and holds what git has merged in the index, with what fn makes of it on top. Every path in conflict has to be
// written, taken or removed by fn; the worktree's version with its conflict marks is what Replace expects. Everything
// that is staged becomes part of the commit, as it does with git commit. No merge under way: CodeConflict.
func (l *Library) UpdateMerge(ctx context.Context, fn func(tx *Tx) error) (*Result, error) {
	return l.update(ctx, true, fn)
}

// mergeHeads reads the other parents of the merge that is under way.
func (l *Library) mergeHeads() ([]schema.OID, error) {
	file := filepath.Join(l.loc.GitDir, "MERGE_HEAD")
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || info.Size() > maxMergeHead {
		return nil, schema.Wrap(err, schema.CodeGit, "cannot read %s", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read %s", file)
	}
	var out []schema.OID
	for line := range strings.Lines(string(data)) {
		id, err := schema.ParseOID(strings.TrimSpace(line))
		if err != nil {
			return nil, schema.Wrap(err, schema.CodeGit, "cannot read %s", file)
		}
		out = append(out, id)
	}
	return out, nil
}

// dropMergeState ends git's merge, if it still is the one with these parents.
func (l *Library) dropMergeState(parents []schema.OID) {
	now, err := l.mergeHeads()
	if err != nil || len(parents) == 0 || !slices.Equal(now, parents) {
		return
	}
	// MERGE_HEAD first: without it the others mean nothing to git.
	for _, name := range []string{"MERGE_HEAD", "MERGE_RR", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"} {
		_ = os.Remove(filepath.Join(l.loc.GitDir, name))
	}
}

// mergedEdits turns the index into edits of HEAD's tree. Conflicts that nobody resolved are refused, all at once.
func (s *session) mergedEdits(p *plan) ([]gitstore.Edit, error) {
	head := map[string]gitstore.Entry{}
	err := s.tx.snap.Walk("", func(path string, e gitstore.Entry) error {
		head[path] = e
		return nil
	})
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, c := range p.changes {
		ours[c.path] = !c.loose
	}
	var edits []gitstore.Edit
	open := map[string]bool{}
	for e := range s.index.Index().Entries("") {
		was := head[e.Path]
		delete(head, e.Path)
		switch {
		case ours[e.Path] || e.IntentToAdd:
		case e.Stage != 0:
			open[e.Path] = true
		case was.ID != e.ID || was.Mode != e.Mode:
			edits = append(edits, gitstore.Edit{Path: e.Path, Mode: e.Mode, ID: e.ID})
		}
	}
	for path := range head {
		if !ours[path] {
			edits = append(edits, gitstore.Edit{Path: path, Delete: true})
		}
	}
	if len(open) == 0 {
		return edits, nil
	}
	var faults []schema.Fault
	for _, path := range slices.Sorted(maps.Keys(open)) {
		faults = append(faults, schema.Fault{File: path, Rule: "unmerged", Msg: schema.Textf("has an unresolved conflict")})
	}
	return nil, schema.Errorf(schema.CodeConflict, "the merge has conflicts that are not resolved").
		WithHint("resolve them and run: git add -- %s", quoteArg(faults[0].File)).WithDetails(faults...)
}
