package state

import (
	"maps"
	"slices"
	"strings"

	"git-novel/schema"
)

// Check judges one commit against the state before it: the one checker of DESIGN 12. It is pure: it reads only what step
// hands in, and of that only what the commit touched. The rules are the parent's; [review] require is a gate of the client
// and no part of it.
//
// A commit is legal when each chapter's change is a chain of legal steps whose evidence is in the result, so one commit
// may hold many of them. After a fault the state goes on with what the records can prove, so that one offence is told once.
// The error is the storage's: a commit with faults is no error.
func Check(parent *State, step Step) (*Verdict, error) { return run(&check{old: parent, step: step}) }

func run(c *check) (*Verdict, error) {
	parent := c.old
	c.rules = parent.Rules
	c.now = &State{Rules: parent.Rules, config: parent.config, books: maps.Clone(parent.books), gone: parent.gone}
	c.rules.RequireAgent = false
	books := c.sort()
	for _, name := range slices.Sorted(maps.Keys(books)) {
		if err := c.book(books[name]); err != nil {
			return nil, err
		}
	}
	if !parent.library() && !c.now.library() {
		c.faults = nil // what a repository held before it was a library is not ours to judge; `init` looks at what it adopts
	}
	return &Verdict{State: c.now, Faults: c.faults, Moves: c.moves}, c.err
}

// check is one run of Check.
type check struct {
	old, now *State
	step     Step
	rules    Rules
	audit    bool // the tree stands for itself: what only its history can prove is not asked for
	derive   bool // nothing is judged: the states are what the records carry
	faults   faults
	moves    []Move
	err      error
}

// bookChange is what a commit changed in one book.
type bookChange struct {
	name      schema.BookName
	texts     map[string][]Change // by chapter id
	records   map[string][]recordChange
	state     *Change
	summaries *Change
	mirrors   int // mirrors that came, less those that went
}

type recordChange struct {
	which int
	Change
}

// sort gives every changed path to its book, and judges what needs no book: modes, names, settings.
func (c *check) sort() map[schema.BookName]*bookChange {
	books := map[schema.BookName]*bookChange{}
	of := func(name schema.BookName) *bookChange {
		b, ok := books[name]
		if !ok {
			b = &bookChange{name: name, texts: map[string][]Change{}, records: map[string][]recordChange{}}
			books[name] = b
		}
		return b
	}
	for _, ch := range c.step.Changes {
		c.mode(ch)
		if ch.Path == schema.ConfigPath {
			c.settings(ch)
			continue
		}
		p := schema.ParsePath(ch.Path)
		switch p.Kind {
		case schema.PathChapter:
			if info, ok := schema.ParseChapterFile(p.Name); ok {
				of(p.Book).texts[info.Key.ID()] = append(of(p.Book).texts[info.Key.ID()], ch)
			}
		case schema.PathBookState:
			of(p.Book).state = &ch
		case schema.PathSummaries:
			of(p.Book).summaries = &ch
		case schema.PathMirror:
			of(p.Book).mirrors += came(ch)
		case schema.PathOutline, schema.PathReview, schema.PathRecheck, schema.PathCommit:
			if !schema.IsChapterID(p.ID) {
				c.faults.addAt(ch.Path, "record-path", schema.Textf("%q is not the folder of a chapter", p.ID))
				continue
			}
			of(p.Book).records[p.ID] = append(of(p.Book).records[p.ID], recordChange{which: recordOf(p.Kind), Change: ch})
		case schema.PathOther, schema.PathBookFile, schema.PathLibrary, schema.PathLedger, schema.PathBookData, schema.PathIgnored:
		}
	}
	return books
}

func came(ch Change) int {
	switch {
	case ch.Old.IsZero() && !ch.New.IsZero():
		return 1
	case !ch.Old.IsZero() && ch.New.IsZero():
		return -1
	}
	return 0
}

func recordOf(k schema.PathKind) int {
	switch k {
	case schema.PathReview:
		return recReview
	case schema.PathRecheck:
		return recRecheck
	case schema.PathCommit:
		return recCommit
	default:
		return recOutline
	}
}

// mode refuses what is no plain file where chapters and records lie, and draft files where chapters lie.
func (c *check) mode(ch Change) {
	if ch.New.IsZero() {
		return
	}
	novels := strings.HasPrefix(ch.Path, schema.NovelsDir+"/")
	if !novels && !strings.HasPrefix(ch.Path, schema.DataDir+"/") {
		return
	}
	switch ch.Mode {
	case ModeLink:
		c.faults.addAt(ch.Path, "file-mode", schema.Textf("a symbolic link is not allowed here"))
	case ModeGitlink:
		c.faults.addAt(ch.Path, "file-mode", schema.Textf("a submodule is not allowed here"))
	case ModeExec:
		// A drive on which every file looks executable makes chapters look so: that harms nobody. Another file is a program.
		if novels && schema.ParsePath(ch.Path).Kind != schema.PathChapter {
			c.faults.addAt(ch.Path, "file-mode", schema.Textf("an executable file is not allowed here"))
		}
	case ModeFile, ModeDir:
	}
	if novels && (strings.HasSuffix(ch.Path, schema.MirrorSuffix) || strings.HasSuffix(ch.Path, schema.LedgerSuffix)) {
		c.faults.addAt(ch.Path, "draft-in-novels", schema.Textf("the file is a draft mirror, not a finished text"))
	}
}

// settings takes over the library's config.toml. A file that cannot be read leaves the rules as they were.
func (c *check) settings(ch Change) {
	c.now.config = ch.New
	if ch.New.IsZero() {
		c.now.Rules = DefaultRules()
		if c.old.Rules.Version > 1 {
			c.faults.addAt(ch.Path, "rules-lowered", schema.Textf("the rules go back from version %d to %d", c.old.Rules.Version, 1))
		}
		return
	}
	data, ok := c.read(ch.New)
	if !ok {
		return
	}
	cfg, err := schema.ParseConfig(ch.Path, data, schema.LibraryScope)
	if err != nil {
		c.faults = append(c.faults, faultsOf(ch.Path, "config-invalid", err)...)
		return
	}
	r := RulesOf(cfg, false)
	if r.Version < c.old.Rules.Version {
		c.faults.addAt(ch.Path, "rules-lowered", schema.Textf("the rules go back from version %d to %d", c.old.Rules.Version, r.Version))
		r.Version = c.old.Rules.Version
	}
	if r.Version > schema.RulesVersion {
		c.faults.addAt(ch.Path, "rules-unknown", schema.Textf("the rules are of version %d; this program knows %d", r.Version, schema.RulesVersion))
	}
	c.now.Rules = r
}

// read gives a blob; false after a storage error, which is kept.
func (c *check) read(id schema.OID) ([]byte, bool) {
	if c.err != nil {
		return nil, false
	}
	data, err := c.step.Blobs.ReadBlob(id)
	if err != nil {
		c.err = err
		return nil, false
	}
	return data, true
}

// edits measures the way between two texts; unknown when one of them is not there any more, as after a squash.
func (c *check) edits(a, b schema.OID, count func(a, b string) Edits) Edits {
	if a == b {
		return Counted(0, 0)
	}
	var texts [2]string
	for i, id := range []schema.OID{a, b} {
		if c.err != nil {
			return Edits{}
		}
		data, err := c.step.Blobs.ReadBlob(id)
		if err != nil {
			if schema.CodeOf(err) != schema.CodeNotFound {
				c.err = err
			}
			return Edits{}
		}
		texts[i] = string(data)
	}
	return count(texts[0], texts[1])
}

func (c *check) polish(a, b schema.OID) Edits {
	return c.edits(a, b, func(a, b string) Edits { return Counted(c.step.Edited(a, b)) })
}

func (c *check) typo(key schema.ChapterKey, a, b schema.OID) Edits {
	return c.edits(a, b, func(a, b string) Edits { return CountTypo(key, a, b, c.step.Edited) })
}

// sameBody reports two texts that differ at most in the chapter's own heading line.
func (c *check) sameBody(key schema.ChapterKey, a, b schema.OID) bool {
	same := false
	e := c.edits(a, b, func(a, b string) Edits {
		same = Body(key, a) == Body(key, b)
		return Counted(0, 0)
	})
	return a == b || e.Known && same
}
