package workflow

import (
	"context"
	"strings"
	"time"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// TrashRow is one trash branch.
type TrashRow struct {
	Branch  string           `json:"branch"`
	Kind    schema.TrashKind `json:"kind"`
	Book    string           `json:"book"`
	Chapter string           `json:"chapter,omitempty"`
	Time    string           `json:"time"` // RFC 3339, UTC
	Commit  string           `json:"commit"`
	Files   int              `json:"files"`
	Size    int64            `json:"size"`              // bytes
	Ignored int              `json:"ignored,omitempty"` // of the files, those that only this library holds
	Reason  string           `json:"reason,omitempty"`
	Remote  string           `json:"remote,omitempty"` // the ref, of a branch that only a remote has
}

// BookTrash lists the trash branches: deleted books, discarded and retracted chapters, and the bytes of damaged records.
// With a book named, only its own.
func (s *Session) BookTrash(_ context.Context) ([]TrashRow, error) {
	list, err := s.lib.TrashBranches()
	if err != nil {
		return nil, err
	}
	rows := []TrashRow{}
	for i := range list {
		t := &list[i]
		if s.o.Book != "" && t.Book != s.o.Book {
			continue
		}
		row, err := s.trashRow(t)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *Session) trashRow(t *repo.TrashBranch) (TrashRow, error) {
	files, _, err := s.lib.TrashFiles(t)
	if err != nil {
		return TrashRow{}, err
	}
	r := TrashRow{
		Branch: t.Name, Kind: t.Kind, Book: t.Book, Chapter: t.Chapter, Time: t.When.UTC().Format(time.RFC3339), Commit: t.Commit.String(),
		Files: len(files), Reason: t.Reason,
	}
	if !strings.HasPrefix(t.Ref, repo.TrashPrefix) {
		r.Remote = t.Ref
	}
	for _, f := range files {
		size, err := s.lib.Store().BlobSize(f.ID)
		if err != nil {
			return r, err
		}
		r.Size += size
		if f.Ignored {
			r.Ignored++
		}
	}
	return r, nil
}

// PurgeResult says what a purge deleted, and what is left to do.
type PurgeResult struct {
	Branch string         `json:"branch"`
	Commit string         `json:"commit"` // what the branch held; git keeps it for a while
	Local  bool           `json:"local"`  // the ignored files are gone too
	Remote []string       `json:"remote"` // commands for the backups, not run
	Next   []state.Action `json:"next,omitempty"`
}

// BookPurge deletes a trash branch for good. confirm must be the branch's name, typed again by whoever wants it.
func (s *Session) BookPurge(ctx context.Context, branch, confirm string) (*PurgeResult, error) {
	t, err := s.lib.FindTrash(branch)
	if err != nil {
		return nil, err
	}
	if confirm != t.Name {
		return nil, schema.Errorf(schema.CodeUsage, "to delete %s for good, its name must be given a second time", t.Name).
			WithHint("git novel book purge %[1]s --confirm %[1]s", state.ShellWord(t.Name))
	}
	if _, err := s.lib.Update(ctx, func(tx *repo.Tx) error { return repo.PurgeTrash(tx, t) }); err != nil {
		return nil, err
	}
	r := &PurgeResult{Branch: t.Name, Commit: t.Commit.String(), Local: !t.Local.IsZero(), Remote: []string{}}
	for _, b := range s.lib.Backups() {
		r.Remote = append(r.Remote, "git push "+state.ShellWord(b.Name)+" --delete "+state.ShellWord(t.Name))
	}
	return r, nil
}
