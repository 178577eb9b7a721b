package state

import (
	"slices"

	"git-novel/schema"
)

// Fold runs the checker over a history, commit by commit, first to last. Only chapters that a commit touches are judged,
// and of each chapter it keeps digests, so that thousands of commits cost little time and bounded memory.
type Fold struct {
	State *State
}

// NewFold starts before the first commit.
func NewFold() *Fold { return &Fold{State: NewState()} }

// Apply judges the next commit of a linear history and moves on.
func (f *Fold) Apply(step Step) (*Verdict, error) {
	v, err := Check(f.State, step)
	if err != nil {
		return nil, err
	}
	f.State = v.State
	return v, nil
}

// Load makes a State of one tree without its history: it believes the states in the tree's state.json files, and looks a
// chapter's records up only when a commit touches it (Step.Parent must then be this tree). It is for judging the one
// commit that is about to be made; what the tree itself is worth is Audit's question. The faults are files that cannot be
// read.
func Load(tree Tree, blobs Blobs) (*State, []schema.Fault, error) {
	c := &check{old: NewState(), now: NewState(), step: Step{Blobs: blobs, Parent: tree}}
	id, ok, err := tree.Blob(schema.ConfigPath)
	if err != nil {
		return nil, nil, err
	}
	if ok {
		c.settings(Change{Path: schema.ConfigPath, New: id, Mode: ModeFile})
	}
	names, err := bookNames(tree)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range names {
		b, err := c.load(tree, n)
		if err != nil {
			return nil, nil, err
		}
		if !b.empty() {
			c.now.books[n] = b
		}
	}
	return c.now, c.faults, c.err
}

// bookNames lists the folders that are or could be books.
func bookNames(tree Tree) ([]schema.BookName, error) {
	var names []schema.BookName
	for _, dir := range []string{schema.NovelsDir, schema.BooksDir} {
		entries, err := tree.List(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Mode == ModeDir && schema.IsBookName(e.Name) {
				names = append(names, schema.BookName(e.Name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (c *check) load(tree Tree, name schema.BookName) (*bookState, error) {
	b := &bookState{name: name}
	found := map[string]*folded{}
	at := func(id string) *folded {
		f, ok := found[id]
		if !ok {
			f = newFolded(id)
			f.pending = true
			found[id] = f
		}
		return f
	}
	entries, err := tree.List(schema.BookDir(name))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, ok := schema.ParseChapterFile(e.Name)
		if !ok || e.Mode == ModeDir {
			continue
		}
		f := at(info.Key.ID())
		f.setFile(Change{Path: schema.ChapterPath(name, e.Name), New: e.ID, Mode: e.Mode})
		f.Path, f.Text, f.Duplicate = f.files[0].path, f.files[0].id, len(f.files) > 1
	}
	if err := c.loadStatus(tree, b, at); err != nil {
		return nil, err
	}
	if id, ok, err := tree.Blob(schema.SummariesPath(name)); err != nil {
		return nil, err
	} else if ok {
		b.summaries = id
	}
	drafts, err := tree.List(schema.DraftDir(name))
	if err != nil {
		return nil, err
	}
	for _, e := range drafts {
		if schema.ParsePath(schema.DraftDir(name)+"/"+e.Name).Kind == schema.PathMirror {
			b.mirrors++
		}
	}
	for _, f := range found {
		f.Missing = len(f.files) == 0
		if _, isNumber := f.Number(); isNumber && f.State != schema.StateNone {
			b.numbered = append(b.numbered, f)
		} else {
			b.others = append(b.others, f)
		}
	}
	slices.SortFunc(b.numbered, compareFolded)
	slices.SortFunc(b.others, func(x, y *folded) int { return byID(x, y.id) })
	return b, nil
}

// loadStatus takes the words of state.json over.
func (c *check) loadStatus(tree Tree, b *bookState, at func(string) *folded) error {
	path := schema.BookStatePath(b.name)
	id, ok, err := tree.Blob(path)
	if err != nil || !ok {
		return err
	}
	b.stateID = id
	data, ok := c.read(id)
	if !ok {
		return c.err
	}
	s, list := readStatus(path, data)
	c.faults = append(c.faults, list...)
	if s == nil {
		return nil
	}
	b.status = newStatusFile(data, s.Progress.CurrentChapter)
	for id, word := range s.Progress.ChapterStatus {
		if schema.IsChapterID(id) && word.Rank() > 0 {
			f := at(id)
			f.State, f.claimed = word, word
		}
	}
	return nil
}

// Audit judges one tree for itself, as if one commit had made all of it: every record valid, every state carried by its
// evidence. What only a history can prove is not asked for: in which order the chapters came, and that a reviewed chapter
// whose newest review blocks was once reviewed without.
func Audit(tree Tree, blobs Blobs, edited EditedChars) (*Verdict, error) {
	changes, err := wholeTree(tree)
	if err != nil {
		return nil, err
	}
	return run(&check{old: NewState(), step: Step{Changes: changes, Blobs: blobs, Edited: edited}, audit: true})
}

// Derive gives the states that the records of one tree carry, whatever its state.json says: what `recover` writes (DESIGN
// 5). The words of state.json are believed only where no record can speak.
func Derive(tree Tree, blobs Blobs, edited EditedChars) (*State, error) {
	changes, err := wholeTree(tree)
	if err != nil {
		return nil, err
	}
	v, err := run(&check{old: NewState(), step: Step{Changes: changes, Blobs: blobs, Edited: edited}, derive: true})
	if err != nil {
		return nil, err
	}
	return v.State, nil
}

func wholeTree(tree Tree) ([]Change, error) {
	var changes []Change
	for _, dir := range []string{schema.NovelsDir, schema.DataDir} {
		list, err := allBelow(tree, dir, 0)
		if err != nil {
			return nil, err
		}
		changes = append(changes, list...)
	}
	return changes, nil
}

// maxDepth bounds the folders of a tree; ours end at the sixth.
const maxDepth = 32

func allBelow(tree Tree, dir string, depth int) ([]Change, error) {
	if depth > maxDepth {
		return nil, nil
	}
	entries, err := tree.List(dir)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, e := range entries {
		path := dir + "/" + e.Name
		if e.Mode != ModeDir {
			out = append(out, Change{Path: path, New: e.ID, Mode: e.Mode})
			continue
		}
		list, err := allBelow(tree, path, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// Notes compares what a commit says with what it did. A message that is silent or wrong is no fault: trees are judged, not
// messages (DESIGN 12).
func Notes(m schema.Message, moves []Move) []schema.Fault {
	var out faults
	for _, mv := range moves {
		switch {
		case mv.From == mv.To:
		case m.Book == "" && m.ChapterID == "":
			out.add("trailer-missing", schema.Textf("the message has no trailers for chapter %s of %s (%s -> %s)",
				string(mv.Chapter), string(mv.Book), mv.From.Trailer(), mv.To.Trailer()))
		case len(moves) > 1:
			// One message cannot name several chapters; a squash or an import has a Novel-Book alone.
		case m.ChapterID != mv.Chapter.ID() || m.From != mv.From || m.To != mv.To:
			out.add("trailer-wrong", schema.Textf("the trailers do not say what the commit did: chapter %s of %s, %s -> %s",
				string(mv.Chapter), string(mv.Book), mv.From.Trailer(), mv.To.Trailer()))
		}
	}
	return out
}
