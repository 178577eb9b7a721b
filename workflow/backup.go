package workflow

import (
	"context"
	"os"
	"path/filepath"

	"git-novel/repo"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// BackupFacts are the three facts that are never mixed (DESIGN 12): what is saved here, what is committed, what is pushed.
type BackupFacts struct {
	Saved     bool     `json:"saved"`
	Unsaved   []string `json:"unsaved,omitempty"` // chapter files whose text is not in git
	Committed string   `json:"committed"`         // HEAD
	Remote    string   `json:"remote,omitempty"`
	Pushed    string   `json:"pushed,omitempty"`   // what the backup was last seen to hold of this branch
	Behind    int      `json:"behind"`             // commits of this branch that the backup lacks; 0 when Diverged
	Diverged  bool     `json:"diverged,omitempty"` // the backup holds something that this branch has not got
}

// BackupInput is one backup.
type BackupInput struct {
	Name    string // not needed when there is one
	Chapter string // step 6 of this chapter: refused unless it is committed
}

// BackupRef is one ref in a backup.
type BackupRef struct {
	Name string      `json:"name"`
	ID   string      `json:"id"`
	Note schema.Text `json:"note,omitzero"`
}

// BackupResult says what a backup did.
type BackupResult struct {
	Name  string        `json:"name"`
	URL   string        `json:"url"` // without credentials
	Facts BackupFacts   `json:"facts"`
	Refs  []BackupRef   `json:"refs"`
	Notes []schema.Text `json:"notes,omitempty"`
}

// BackupRow is one configured backup.
type BackupRow struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Pushed string `json:"pushed,omitempty"`
}

// BackupAdd configures a backup: a git address, or a folder, which becomes a bare repository when it is not there yet.
// Relative folders are relative to dir.
func (s *Session) BackupAdd(_ context.Context, name, address, dir string) (*BackupRow, error) {
	r, err := s.lib.AddBackup(name, address, dir)
	if err != nil {
		return nil, err
	}
	return &BackupRow{Name: r.Name, URL: r.Shown()}, nil
}

// BackupList lists the backups and how far each one was seen to be.
func (s *Session) BackupList(_ context.Context) ([]BackupRow, error) {
	head, err := s.lib.Store().Head()
	if err != nil {
		return nil, err
	}
	seen := s.lib.ConfirmedRefs()
	rows := []BackupRow{}
	for _, r := range s.lib.Backups() {
		row := BackupRow{Name: r.Name, URL: r.Shown()}
		if id, ok := seen[r.Name][head.Ref]; ok {
			row.Pushed = id.String()
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// backup chooses the backup that a command means.
func (s *Session) backup(name string) (repo.Remote, error) {
	list := s.lib.Backups()
	if name == "" {
		if cfg, err := s.lib.Config(); err == nil {
			name = cfg.Backup.Remote
		}
	}
	for _, r := range list {
		if r.Name == name || name == "" && len(list) == 1 {
			return r, nil
		}
	}
	switch {
	case len(list) == 0:
		return repo.Remote{}, schema.Errorf(schema.CodeNotFound, "no backup is configured").
			WithHint("add one with `git novel backup add NAME URL`: a git address or a folder")
	case name == "":
		return repo.Remote{}, schema.Errorf(schema.CodeUsage, "there are %d backups: say which one", len(list)).WithHint("`git novel backup list` names them")
	}
	return repo.Remote{}, schema.Errorf(schema.CodeNotFound, "there is no backup %s", name).WithHint("`git novel backup list` names them")
}

// BackupRun pushes the branch, the trash branches and the chapter tags, all or none, never forced, and compares with what
// the backup reports. Without a chapter it never refuses for the state of one: it names what is unfinished. With a chapter
// it is step 6, and the chapter must be committed. A failed push comes back as a result and an error both.
func (s *Session) BackupRun(ctx context.Context, in BackupInput) (*BackupResult, error) {
	remote, err := s.backup(in.Name)
	if err != nil {
		return nil, err
	}
	if in.Chapter != "" {
		if err := s.mayBackUp(in.Chapter); err != nil {
			return nil, err
		}
	}
	head, err := s.branch()
	if err != nil {
		return nil, err
	}
	r := &BackupResult{Name: remote.Name, URL: remote.Shown(), Refs: []BackupRef{}}
	if err := s.tagChapters(ctx, head.ID); err != nil {
		// A merge that is under way, or a git at work, keeps tags from being made, but no commit from being backed up.
		if schema.CodeOf(err) != schema.CodeConflict {
			return nil, err
		}
		r.Notes = append(r.Notes, schema.Textf("the tags of new chapters could not be made now, the next backup makes them: %s", err.Error()))
	}
	refs, err := s.pushList(head)
	if err != nil {
		return nil, err
	}
	refs, pushErr := s.lib.PushBackup(ctx, remote, refs)
	for _, p := range refs {
		r.Refs = append(r.Refs, BackupRef{Name: p.Name, ID: p.ID.String(), Note: p.Note})
	}
	// What the backup reported is known also when it took nothing.
	reported := refs
	if pushErr != nil {
		reported = nil
		for _, p := range refs {
			if !p.Held.IsZero() {
				reported = append(reported, repo.Push{Name: p.Name, ID: p.Held})
			}
		}
	}
	if err := s.lib.Confirm(remote.Name, reported); err != nil && pushErr == nil {
		pushErr = err
	}
	unsaved, notes, err := s.unfinished()
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, notes...)
	if r.Facts, err = s.factsOf(remote.Name, unsaved); err != nil {
		return nil, err
	}
	return r, pushErr
}

// branch is the branch that is checked out, with its commit.
func (s *Session) branch() (gitstore.Head, error) {
	head, err := s.lib.Store().Head()
	switch {
	case err != nil:
		return head, err
	case head.Detached:
		return head, schema.Errorf(schema.CodeConflict, "HEAD is detached: no branch is checked out").
			WithHint("check out a branch first: git switch BRANCH, or make one here: git switch -c BRANCH")
	case head.Unborn:
		return head, schema.Errorf(schema.CodeNotFound, "there is no commit to back up yet").WithHint("make the library's first commit with `git novel init`")
	}
	return head, nil
}

// mayBackUp is the gate of step 6.
func (s *Session) mayBackUp(chapter string) error {
	w, err := s.look()
	if err != nil {
		return err
	}
	c, err := w.resolve(chapter)
	if err != nil {
		return err
	}
	if c.State != schema.StateCommitted {
		return schema.Errorf(schema.CodeRule, "chapter %s is %s: step 6 comes after the chapter is committed", string(c.Key), c.State).
			WithHint("finish it with `git novel write %s`; a plain `git novel backup run` pushes the branch as it is", arg(c.Key))
	}
	return nil
}

// pushList is the branch, the trash branches and the chapter tags.
func (s *Session) pushList(head gitstore.Head) ([]repo.Push, error) {
	out := []repo.Push{{Name: head.Ref, ID: head.ID}}
	for _, prefix := range []string{repo.TrashPrefix, repo.TagPrefix} {
		refs, err := s.lib.Store().Refs(prefix)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			if r.Name != head.Ref {
				out = append(out, repo.Push{Name: r.Name, ID: r.ID})
			}
		}
	}
	return out, nil
}

// unfinished names, over all books, the texts that are not in git and the chapters that are not committed.
func (s *Session) unfinished() (unsaved []string, notes []schema.Text, err error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	books, err := repo.Books(snap)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range books {
		w, err := s.gatherBook(snap, b, false)
		if err != nil {
			notes = append(notes, schema.Textf("book %s cannot be read: %s", string(b), err.Error()))
			continue
		}
		unsaved = append(unsaved, w.unsaved()...)
		var open []string
		for _, c := range w.rules.Chapters {
			if c.Open() {
				open = append(open, string(c.Key))
			}
		}
		if left := w.untracked(); len(left) > 0 {
			notes = append(notes, schema.Textf("not in git, so not in the backup: %s", few(left)))
		}
		if len(open) > 0 {
			notes = append(notes, schema.Textf("not committed yet in %s: %s", string(b), few(open)))
		}
	}
	return unsaved, notes, nil
}

// backupFacts tells saved, committed and pushed apart, without the network: what the backup holds is what it was last seen
// to hold.
func (s *Session) backupFacts(unsaved []string) (BackupFacts, error) {
	list := s.lib.Backups()
	if len(list) == 0 {
		return s.factsOf("", unsaved)
	}
	r, err := s.backup("")
	if err != nil {
		r = list[0]
	}
	return s.factsOf(r.Name, unsaved)
}

func (s *Session) factsOf(remote string, unsaved []string) (BackupFacts, error) {
	head, err := s.lib.Store().Head()
	if err != nil {
		return BackupFacts{}, err
	}
	f := BackupFacts{Saved: len(unsaved) == 0, Unsaved: unsaved, Remote: remote}
	if head.ID.IsZero() {
		return f, nil
	}
	f.Committed = head.ID.String()
	pushed, err := s.seen(remote, head.Ref)
	if err != nil || pushed.IsZero() {
		return f, err
	}
	f.Pushed = pushed.String()
	f.Behind, f.Diverged, err = s.ahead(head.ID, pushed)
	return f, err
}

// seen is what a backup was last seen to hold of a branch: what a backup of ours confirmed, or what git itself noted at a
// push or fetch by hand since. Zero when nothing is known.
func (s *Session) seen(remote, ref string) (schema.OID, error) {
	confirmed := s.lib.ConfirmedRefs()[remote][ref]
	store := s.lib.Store()
	noted, ok, err := store.Ref("refs/remotes/" + remote + "/" + shortRef(ref))
	if err != nil || !ok || noted == confirmed {
		return confirmed, nil //nolint:nilerr // a name that makes no ref has no note of git
	}
	if confirmed.IsZero() {
		return noted, nil
	}
	if !store.Has(confirmed) || !store.Has(noted) {
		return confirmed, nil
	}
	newer, err := store.IsAncestor(confirmed, noted)
	if newer {
		return noted, err
	}
	return confirmed, err
}

// ahead counts the commits of head that pushed has not got; diverged when pushed is not part of head's history.
func (s *Session) ahead(head, pushed schema.OID) (count int, diverged bool, err error) {
	if head == pushed {
		return 0, false, nil
	}
	store := s.lib.Store()
	if !store.Has(pushed) {
		return 0, true, nil
	}
	found, merges := false, false
	err = store.Log(head, func(c *gitstore.Commit) (bool, error) {
		if c.ID == pushed {
			found = true
			return merges, nil
		}
		merges = merges || len(c.Parents) > 1
		count++
		return true, nil
	})
	if err != nil || !found {
		return 0, true, err
	}
	if merges { // what pushed has came in the count too
		err = store.Log(pushed, func(c *gitstore.Commit) (bool, error) {
			if c.ID != pushed {
				count--
			}
			return true, nil
		})
	}
	return count, false, err
}

// BackupVerifyResult says what a cloned backup holds.
type BackupVerifyResult struct {
	Name   string       `json:"name"`
	URL    string       `json:"url"`
	Branch string       `json:"branch"`
	Verify VerifyResult `json:"verify"`
	Facts  BackupFacts  `json:"facts"`
}

// BackupVerify clones the backup into a temporary folder and replays its history there.
func (s *Session) BackupVerify(ctx context.Context, name string) (*BackupVerifyResult, error) {
	remote, err := s.backup(name)
	if err != nil {
		return nil, err
	}
	head, err := s.branch()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "git-novel-backup-")
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "no temporary folder can be made")
	}
	defer func() { _ = os.RemoveAll(temp) }()
	clone, err := s.lib.CloneBackup(ctx, remote, filepath.Join(temp, "clone.git"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = clone.Close() }()
	id, ok, err := clone.Ref(head.Ref)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, schema.Errorf(schema.CodeNotFound, "the backup %s has no branch %s", remote.Name, shortRef(head.Ref)).
			WithHint("push it with `git novel backup run`")
	}
	v, err := verify(ctx, clone, id)
	if err != nil {
		return nil, err
	}
	if err := s.lib.Confirm(remote.Name, []repo.Push{{Name: head.Ref, ID: id}}); err != nil {
		return nil, err
	}
	unsaved, _, err := s.unfinished()
	if err != nil {
		return nil, err
	}
	facts, err := s.factsOf(remote.Name, unsaved)
	if err != nil {
		return nil, err
	}
	return &BackupVerifyResult{Name: remote.Name, URL: remote.Shown(), Branch: shortRef(head.Ref), Verify: *v, Facts: facts}, nil
}
