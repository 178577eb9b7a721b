package workflow

import (
	"context"
	"path"
	"slices"
	"time"

	"git-novel/repo"
	"git-novel/schema"
)

// Diagnosis is the health of a library. It is read only and never fails for what it finds: a thing that cannot be read is a
// finding.
type Diagnosis struct {
	Root     string          `json:"root"`
	Healthy  bool            `json:"healthy"` // there is no problem but notes
	Problems []Problem       `json:"problems"`
	Folders  []FolderUse     `json:"folders"`
	Books    []BookDiagnosis `json:"books"`
	Links    []string        `json:"links"`
	Git      GitHealth       `json:"git"`
	Backup   BackupHealth    `json:"backup"`
	Trash    int             `json:"trash_branches"`
	Events   []Event         `json:"events"` // newest last
}

// Level says how much a problem matters.
type Level string

// The levels.
const (
	LevelError   Level = "error"   // something is broken, or cannot be done
	LevelWarning Level = "warning" // something is not as it should be
	LevelNote    Level = "note"    // good to know
)

// Problem is one thing to look at, with what to do about it.
type Problem struct {
	Level Level       `json:"level"`
	Rule  string      `json:"rule"`
	Book  string      `json:"book,omitempty"`
	File  string      `json:"file,omitempty"`
	Line  int         `json:"line,omitempty"`
	Col   int         `json:"col,omitempty"`
	Msg   schema.Text `json:"message"`
	Hint  schema.Text `json:"hint,omitzero"`
}

// FolderUse is the size of a data folder.
type FolderUse struct {
	Path    string `json:"path"`
	Ignored bool   `json:"ignored,omitempty"` // git ignores it
	repo.FolderSize
}

// BookDiagnosis is the health of one book.
type BookDiagnosis struct {
	Book       string          `json:"book"`
	Chapters   int             `json:"chapters"`
	Drafts     repo.FolderSize `json:"drafts"`
	DraftsDue  []string        `json:"drafts_due"`      // mirrors that git has not got yet
	Deferred   []string        `json:"drafts_deferred"` // of those, what it should have got already
	Duplicates [][]string      `json:"duplicates"`      // files of one chapter
	Foreign    []string        `json:"foreign"`
	Missing    []string        `json:"missing"`
	Stale      []string        `json:"stale"`  // chapters whose evidence is about an older text
	Edited     []string        `json:"edited"` // committed texts that were changed by hand
	Unsaved    []string        `json:"unsaved"`
	Blocked    []string        `json:"blocked"`
	Debt       []string        `json:"debt"`
}

// GitHealth is what may keep git-novel or git from working here.
type GitHealth struct {
	Branch   string          `json:"branch"`
	Detached bool            `json:"detached"`
	Busy     string          `json:"busy,omitempty"` // merge, rebase … under way
	Locks    []string        `json:"locks"`
	Identity string          `json:"identity,omitempty"`
	Drivers  []string        `json:"missing_drivers"`
	Program  bool            `json:"git_program"`
	ByGit    schema.Text     `json:"by_git,omitzero"` // why git itself has to make the commits
	Size     repo.FolderSize `json:"size"`
}

// BackupHealth is how far the backup is behind.
type BackupHealth struct {
	BackupFacts

	Configured bool   `json:"configured"`
	PushedAt   string `json:"pushed_at,omitempty"` // time of the newest commit that it has
	AgeDays    int    `json:"age_days"`            // of that commit
}

// shownEvents is how much of the event log a diagnosis shows.
const shownEvents = 50

// oldBackup is from how many days on a backup that lacks commits is a problem.
const oldBackup = 7

// Diagnose looks at everything that can be wrong with the library.
func (s *Session) Diagnose(ctx context.Context) (*Diagnosis, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{
		Root: s.lib.Root(), Problems: []Problem{}, Folders: []FolderUse{}, Books: []BookDiagnosis{}, Links: []string{}, Events: s.events(shownEvents),
	}
	if d.Events == nil {
		d.Events = []Event{}
	}
	x := &examination{s: s, snap: snap, d: d}
	for _, look := range []func() error{x.folders, x.library, x.books, x.git, x.backup, x.trash} {
		if ctx.Err() != nil {
			return nil, schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted")
		}
		if err := look(); err != nil {
			return nil, err
		}
	}
	d.Healthy = !slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Level != LevelNote })
	return d, nil
}

// examination is one run of Diagnose.
type examination struct {
	s    *Session
	snap *repo.Snapshot
	d    *Diagnosis
}

// problem adds one; without a level it is a warning.
func (x *examination) problem(p Problem) {
	if p.Level == "" {
		p.Level = LevelWarning
	}
	x.d.Problems = append(x.d.Problems, p)
}

// faults takes faults over as problems of a book.
func (x *examination) faults(book string, faults []schema.Fault, hint schema.Text) {
	for _, f := range faults {
		x.problem(Problem{Level: LevelError, Rule: f.Rule, Book: book, File: f.File, Line: f.Line, Col: f.Col, Msg: f.Msg, Hint: hint})
	}
}

// folders measures the two trees: novels/, and every folder of the data directory, those that matter also when they are not
// there.
func (x *examination) folders() error {
	list, err := x.s.lib.ListFolders(schema.DataDir)
	if err != nil {
		return err
	}
	list = append(list, schema.BooksDir, schema.DraftsDir, schema.SummariesDir, schema.TmpDir)
	slices.Sort(list)
	for _, dir := range append([]string{schema.NovelsDir}, slices.Compact(list)...) {
		use, links, err := x.s.lib.DiskUse(dir)
		if err != nil {
			x.problem(Problem{Rule: "folder-unreadable", File: dir, Msg: schema.Textf("%s", err.Error())})
			continue
		}
		ignored := schema.ParsePath(dir+"/x").Kind == schema.PathIgnored
		x.d.Folders = append(x.d.Folders, FolderUse{Path: dir, Ignored: ignored, FolderSize: use})
		x.d.Links = append(x.d.Links, links...)
	}
	for _, p := range x.d.Links {
		x.problem(Problem{
			Rule: "link", File: p, Msg: schema.Textf("is a symbolic link; the library holds files and folders only"),
			Hint: schema.Textf("put the file or folder itself in its place"),
		})
	}
	return nil
}

// library checks the library's own files, the leftovers of books that are none, and foreign folders.
func (x *examination) library() error {
	for _, p := range []string{schema.ConfigPath, schema.LibraryStatePath} {
		x.file("", p)
	}
	folders, err := x.s.lib.Folders(x.snap)
	if err != nil {
		return err
	}
	for _, f := range folders {
		x.problem(Problem{
			Level: LevelNote, Rule: "no-book", File: schema.NovelsDir + "/" + f, Msg: schema.Textf("is no book yet"), Hint: schema.Textf("`git novel init` takes it in"),
		})
	}
	return nil
}

// file checks one file as it lies on disk, and as the last commit has it where that differs.
func (x *examination) file(book, p string) {
	hint := schema.Textf("`git novel recover` shows the last good version and brings it back")
	head, headID, err := x.snap.Read(p)
	if err == nil {
		if err := schema.CheckTracked(p, head); err != nil {
			x.faults(book, named(p, faultsOf(err)), hint)
		}
	}
	disk, err := x.s.lib.FileBlob(p)
	if err != nil {
		if schema.CodeOf(err) != schema.CodeNotFound {
			x.faults(book, named(p, faultsOf(err)), schema.Text{})
		}
		return
	}
	if disk == headID {
		return
	}
	data, err := x.s.lib.ReadFile(p)
	if err == nil {
		err = schema.CheckTracked(p, data)
	}
	if err != nil {
		x.faults(book, named(p, faultsOf(err)), hint)
	}
}

// named gives faults a file and a rule where they have none.
func named(p string, faults []schema.Fault) []schema.Fault {
	out := slices.Clone(faults)
	for i := range out {
		if out[i].File == "" {
			out[i].File = p
		}
		if out[i].Rule == "" {
			out[i].Rule = "damaged"
		}
	}
	return out
}

// git looks at the repository.
func (x *examination) git() error {
	store := x.s.lib.Store()
	head, err := store.Head()
	if err != nil {
		return err
	}
	_, program := x.s.lib.Git()
	g := GitHealth{Branch: shortRef(head.Ref), Detached: head.Detached, Locks: x.s.lib.GitLocks(), Drivers: x.s.lib.MissingDrivers(), Program: program, Size: x.s.lib.GitSize()}
	if g.Locks == nil {
		g.Locks = []string{}
	}
	if g.Drivers == nil {
		g.Drivers = []string{}
	}
	if head.Detached {
		x.problem(Problem{
			Level: LevelError, Rule: "detached", Msg: schema.Textf("HEAD is detached: no branch is checked out"),
			Hint: schema.Textf("check out a branch first: git switch BRANCH, or make one here: git switch -c BRANCH"),
		})
	}
	if op, busy := store.Busy(); busy {
		g.Busy = op
		x.problem(Problem{Level: LevelError, Rule: "busy", Msg: schema.Textf("a %s is under way", op), Hint: schema.Textf("finish or abort it; until then nothing can be saved")})
	}
	for _, f := range g.Locks {
		x.problem(Problem{
			Rule: "lock", File: f, Msg: schema.Textf("is a lock file of git"),
			Hint: schema.Textf("when no git command is running, one that died has left it: remove it then"),
		})
	}
	author, _, err := store.Identity()
	if err != nil {
		x.problem(Problem{
			Level: LevelError, Rule: "identity", Msg: schema.Textf("git does not know who you are, so nothing can be committed"),
			Hint: schema.Textf(`git config --global user.name "…" && git config --global user.email "…"`),
		})
	} else {
		g.Identity = author.Name + " <" + author.Email + ">"
	}
	if len(g.Drivers) > 0 {
		x.problem(Problem{
			Rule: "drivers", Msg: schema.Textf("not set up here: %s", joined(g.Drivers)), Hint: schema.Textf("`git novel init` sets it up and changes nothing else"),
		})
	}
	if reason, foreign := store.Foreign([]string{schema.BookStatePath("x"), schema.NovelsDir + "/x/x.md"}); foreign {
		g.ByGit = schema.Textf("%s", reason)
		if !program {
			x.problem(Problem{
				Level: LevelError, Rule: "git-program", Msg: schema.Textf("this repository needs the git program, which is not available: %s", reason),
				Hint: schema.Textf("install git, or switch that setting off for this repository"),
			})
		}
	}
	x.d.Git = g
	return nil
}

// backup says how old the backup is.
func (x *examination) backup() error {
	var unsaved []string
	for _, b := range x.d.Books {
		unsaved = append(unsaved, b.Unsaved...)
	}
	facts, err := x.s.backupFacts(unsaved)
	if err != nil {
		return err
	}
	h := BackupHealth{BackupFacts: facts, Configured: len(x.s.lib.Backups()) > 0}
	if id, err := schema.ParseOID(facts.Pushed); err == nil && !id.IsZero() {
		if c, err := x.s.lib.Store().Commit(id); err == nil {
			h.PushedAt = c.Committer.When.UTC().Format(time.RFC3339)
			h.AgeDays = max(0, int(x.s.lib.Now().Sub(c.Committer.When)/(24*time.Hour)))
		}
	}
	x.d.Backup = h
	switch {
	case !h.Configured:
		x.problem(Problem{Level: LevelNote, Rule: "no-backup", Msg: schema.Textf("no backup is configured"), Hint: schema.Textf("git novel backup add NAME URL")})
	case facts.Pushed == "" && facts.Committed != "":
		x.problem(Problem{Rule: "backup-never", Msg: schema.Textf("the backup %s has nothing yet", facts.Remote), Hint: schema.Textf("git novel backup run")})
	case facts.Behind > 0 && h.AgeDays >= oldBackup:
		x.problem(Problem{
			Rule: "backup-old", Msg: schema.Textf("the backup lacks %d commits and is %d days old", facts.Behind, h.AgeDays), Hint: schema.Textf("git novel backup run"),
		})
	}
	return nil
}

func (x *examination) trash() error {
	refs, err := x.s.lib.Store().Refs(repo.TrashPrefix)
	x.d.Trash = len(refs)
	return err
}

// baseNames gives the last parts of paths.
func baseNames(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = path.Base(p)
	}
	return out
}
