package repo

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"git-novel/repo/atomicfile"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

const (
	journalFile    = "tx.json"
	journalVersion = 1
	maxJournal     = 64 << 20
)

// journal says what a transaction was about to do, completely: with the objects, which are durable before it, it is all
// that is needed to finish or undo.
type journal struct {
	Version  int    `json:"version"`
	PID      int    `json:"pid"`
	Command  string `json:"command,omitempty"`
	GitDir   string `json:"git_dir"`
	WorkTree string `json:"worktree"`

	Branch string     `json:"branch"`
	Old    schema.OID `json:"old"`
	New    schema.OID `json:"new"` // zero when no commit is made, or when git makes it
	Reflog string     `json:"reflog,omitempty"`
	By     ident      `json:"by"`

	// ByGit: git makes the commit, so its id is not known here, and what is unfinished is undone.
	ByGit bool `json:"by_git,omitempty"`
	// Undo: the command has failed and was undoing; never finish.
	Undo bool `json:"undo,omitempty"`

	// Merge is the other parents of a merge that is concluded.
	Merge []schema.OID `json:"merge,omitempty"`

	Paths []journalPath `json:"paths"`
	Refs  []journalRef  `json:"refs,omitempty"`
	Dirs  []string      `json:"dirs,omitempty"` // folders that are made, outermost first
}

// journalPath is one path. A zero id stands for "absent".
type journalPath struct {
	Path  string        `json:"path"`
	Mode  gitstore.Mode `json:"mode"`
	Old   schema.OID    `json:"old"`   // on disk before
	New   schema.OID    `json:"new"`   // on disk and, unless Loose, in the commit
	Head  schema.OID    `json:"head"`  // in HEAD before
	Index schema.OID    `json:"index"` // in the index before
	Loose bool          `json:"loose,omitempty"`
	// Clean is the id that git's filters make of New, when they change it.
	Clean schema.OID `json:"clean,omitzero"`
}

type journalRef struct {
	Name   string     `json:"name"`
	Old    schema.OID `json:"old"`
	New    schema.OID `json:"new"`
	Reflog string     `json:"reflog,omitempty"`
}

type ident struct {
	Name  string    `json:"name"`
	Email string    `json:"email"`
	When  time.Time `json:"when"`
}

func identOf(i gitstore.Ident) ident { return ident(i) }
func (i ident) git() gitstore.Ident  { return gitstore.Ident(i) }
func (p journalPath) inGit() schema.OID {
	if !p.Clean.IsZero() {
		return p.Clean
	}
	return p.New
}

// journal describes a plan.
func (s *session) journal(p *plan) *journal {
	j := &journal{
		Version: journalVersion, PID: os.Getpid(), Command: s.l.o.Command,
		GitDir: s.l.loc.GitDir, WorkTree: s.l.loc.WorkTree,
		Branch: s.tx.head.Ref, Old: s.tx.head.ID, New: p.commit, Reflog: p.branch.Reflog, By: identOf(p.branch.By),
		Merge: s.tx.parents,
	}
	there := map[string]bool{}
	for _, c := range p.changes {
		j.Paths = append(j.Paths, journalPath{
			Path: c.path, Mode: c.mode, Old: c.seen, New: c.blob, Head: c.head.ID, Index: p.index[c.path].ID, Loose: c.loose,
		})
		j.Dirs = append(j.Dirs, s.l.missingDirs(c, there)...)
	}
	for _, r := range p.refs {
		j.Refs = append(j.Refs, journalRef{Name: r.Name, Old: r.Old, New: r.New, Reflog: r.Reflog})
	}
	return j
}

// missingDirs lists the folders above a file to be written that are not there yet, outermost first. there remembers which
// are, or have been listed.
func (l *Library) missingDirs(c *change, there map[string]bool) []string {
	if c.want != wantWrite || !c.work() {
		return nil
	}
	var out []string
	for _, d := range parents(c.path) {
		if there[d] {
			break
		}
		there[d] = true
		if _, err := l.root.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		out = append([]string{d}, out...)
	}
	return out
}

// writeJournal makes a journal durable.
func (l *Library) writeJournal(j *journal) error {
	if err := l.fail("journal content"); err != nil {
		return err
	}
	st, err := l.stageJournal(j)
	if err != nil {
		return err
	}
	return l.nameJournal(st)
}

// stageJournal writes and syncs it under another name.
func (l *Library) stageJournal(j *journal) (*atomicfile.Staged, error) {
	own, err := l.ownRoot()
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(j)
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot write the journal of the command")
	}
	return atomicfile.StageAs(own, journalFile+".new", data, 0o644)
}

// nameJournal puts it into force.
func (l *Library) nameJournal(st *atomicfile.Staged) error {
	if err := l.fail("journal name"); err != nil {
		st.Discard()
		return err
	}
	if err := st.Replace(journalFile); err != nil {
		st.Discard()
		return err
	}
	if err := l.fail("journal sync"); err != nil {
		return err
	}
	return atomicfile.SyncDir(l.own, ".")
}

// dropJournal ends a transaction. A journal that a power loss brings back is harmless, because recovery acts only where
// HEAD still has what it wrote; with files that git does not track nothing tells that, so then the removal is synced.
func (l *Library) dropJournal(sync bool) {
	own, err := l.ownRoot()
	if err != nil {
		return
	}
	_ = own.Remove(journalFile + ".new")
	if own.Remove(journalFile) == nil && sync {
		_ = atomicfile.SyncDir(own, ".")
	}
}

// readJournal gives nil when there is none. One that does not parse is none of ours as it is written whole or not at all;
// it is put aside, not deleted.
func (l *Library) readJournal() (*journal, error) {
	own, err := l.ownRoot()
	if err != nil {
		return nil, err
	}
	_ = own.Remove(journalFile + ".new") // killed while it was written
	info, err := own.Stat(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of an interrupted command")
	}
	var data []byte
	if info.Size() <= maxJournal {
		if data, err = own.ReadFile(journalFile); err != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot read the journal of an interrupted command")
		}
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil || j.Version != journalVersion {
		if err := own.Rename(journalFile, journalFile+".bad"); err != nil {
			return nil, schema.Wrap(err, schema.CodeUnexpected, "cannot put aside the journal of an interrupted command")
		}
		l.o.Notice(schema.Textf("the journal of an interrupted command is damaged; it was put aside as %s", l.OwnDir()+"/"+journalFile+".bad"))
		return nil, nil
	}
	return &j, nil
}
