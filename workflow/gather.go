package workflow

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"git-novel/repo"
	"git-novel/repo/diff"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// work is one book under a command's eyes: the files, the rules' view of them, and the state that the command will write.
type work struct {
	s        *Session
	snap     *repo.Snapshot
	name     schema.BookName
	cfg      *schema.Config
	book     *repo.Book  // nil while the book is being created
	rules    *state.Book // what the rules know
	titles   map[schema.ChapterKey]string
	state    schema.BookState // changed by set, drop and place; written by writeState
	stateRaw []byte
	creating bool
}

// look gathers the book of a reading command.
func (s *Session) look() (*work, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return nil, err
	}
	return s.gather(snap)
}

// gather reads the book that the command is about, as of a snapshot for records and from disk for texts.
func (s *Session) gather(snap *repo.Snapshot) (*work, error) {
	name, err := s.bookName(snap)
	if err != nil {
		return nil, err
	}
	return s.gatherBook(snap, name, false)
}

// gatherBook reads one book. With create, a book that is not there yet is an empty one.
func (s *Session) gatherBook(snap *repo.Snapshot, name schema.BookName, create bool) (*work, error) {
	cfg, err := s.lib.Config()
	if err != nil {
		return nil, err
	}
	w := &work{s: s, snap: snap, name: name, cfg: cfg, titles: map[schema.ChapterKey]string{}}
	w.book, err = repo.LoadBook(s.lib, snap, name)
	if schema.CodeOf(err) == schema.CodeNotFound && err != nil && create {
		w.creating = true
		w.book, err = repo.NewBook(s.lib, snap, name)
	}
	if err != nil {
		return nil, err
	}
	w.state, w.stateRaw = w.book.State, w.book.StateRaw
	w.state.Book = string(name)
	w.state.Progress.ChapterStatus = maps.Clone(w.state.Progress.ChapterStatus)
	if w.state.Progress.ChapterStatus == nil {
		w.state.Progress.ChapterStatus = map[string]schema.State{}
	}
	if w.state.Order = maps.Clone(w.state.Order); w.state.Order == nil {
		w.state.Order = map[string]schema.Place{}
	}
	return w, w.facts()
}

// facts turns what lies on disk and in git into what the rules ask about.
func (w *work) facts() error {
	evidence, err := w.book.AllEvidence()
	if err != nil {
		return err
	}
	chapters := make([]*state.Chapter, 0, len(w.book.Chapters)+len(w.book.Foreign))
	for i := range w.book.Chapters {
		c, err := w.fact(&w.book.Chapters[i], evidence[i])
		if err != nil {
			return err
		}
		chapters = append(chapters, c)
	}
	for i := range w.book.Foreign {
		c, err := w.fact(&w.book.Foreign[i], &repo.Evidence{})
		if err != nil {
			return err
		}
		chapters = append(chapters, c)
	}
	reviewer, err := w.s.agent(schema.RoleReviewer, w.cfg)
	if err != nil {
		return err
	}
	w.rules = state.NewBook(w.name, state.RulesOf(w.cfg, !reviewer.Builtin()), chapters)
	books, err := repo.Books(w.snap)
	if err != nil {
		return err
	}
	w.rules.NeedsFlag = len(books) > 1 || w.creating && len(books) > 0
	drafts, err := w.s.lib.ListFiles(schema.DraftDir(w.name))
	switch {
	case err == nil:
	case schema.CodeOf(err) == schema.CodeInvalid:
		w.rules.HasDraft = true // a link where the drafts should be stops drafting, not the book
		return nil
	default:
		return err
	}
	w.rules.HasDraft = slices.ContainsFunc(drafts, func(p string) bool { return strings.HasSuffix(p, schema.MirrorSuffix) })
	return nil
}

func (w *work) fact(f *repo.Chapter, e *repo.Evidence) (*state.Chapter, error) {
	c := &state.Chapter{
		Key: f.Key, State: f.State, Path: f.Path, Text: f.WorkBlob, Missing: f.Missing, Duplicate: f.Duplicate, Unsaved: f.Edited,
		Damaged: e.Damaged(), Review: state.ReviewOf(e.Review), Recheck: state.RecheckOf(e.Recheck), Commit: state.CommitOf(e.Commit),
	}
	w.titles[f.Key] = f.Title
	if f.State == schema.StateNone {
		c.Unsaved = false
	}
	switch {
	case f.WorkBlob.IsZero():
	case e.Commit != nil && e.Commit.Text.Blob == f.WorkBlob:
		c.Chars = e.Commit.Text.Chars
	case e.Review != nil && e.Review.Text.Blob == f.WorkBlob:
		c.Chars = e.Review.Text.Chars
	default:
		text, err := w.s.lib.ReadFile(f.Path)
		if err == nil {
			c.Chars = schema.UTF16Len(string(text))
		} else if schema.CodeOf(err) != schema.CodeInvalid && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	w.measure(c, nil)
	return c, nil
}

// measure counts what the rules want to know of a text that is not the one its records speak of; such chapters are few.
// The text is read from disk when it is not given. What cannot be read or counted stays unknown, which is an answer: the
// rules refuse it with the reason.
func (w *work) measure(c *state.Chapter, text []byte) {
	c.Polish, c.Typo = state.Edits{}, state.Edits{}
	stale := c.Open() && c.Review != nil && c.Review.Text != c.Text
	if c.Missing || c.Damaged || !stale && !c.Edited() {
		return
	}
	if text == nil {
		var err error
		if text, err = w.s.lib.ReadFile(c.Path); err != nil {
			return
		}
	}
	if !stale {
		c.Typo = w.s.typoEdits(c, text)
		return
	}
	if old, err := w.s.lib.Store().Blob(c.Review.Text); err == nil {
		c.Polish = state.Counted(diff.EditedChars(string(old), string(text)))
	}
}

// typoEdits measures all typo edits of a committed chapter together, against the last reviewed or adopted text.
func (s *Session) typoEdits(c *state.Chapter, text []byte) state.Edits {
	if c.Commit == nil {
		return state.Edits{}
	}
	base, err := s.lib.Store().Blob(c.Commit.Base)
	if err != nil {
		return state.Edits{}
	}
	return state.CountTypo(c.Key, string(base), string(text), diff.EditedChars)
}

// chapter gives what is known of a key; a chapter that is not there has no state and no text.
func (w *work) chapter(key schema.ChapterKey) *state.Chapter {
	if c, ok := w.rules.Find(key); ok {
		return c
	}
	return &state.Chapter{Key: key}
}

// resolve finds the chapter that a person means: a key or number, else a file name, else a title. Several: CodeConflict
// with the list. None: CodeNotFound.
func (w *work) resolve(arg string) (*state.Chapter, error) {
	c, err := w.find(arg)
	if err != nil || c != nil {
		return c, err
	}
	return nil, schema.Errorf(schema.CodeNotFound, "book %s has no chapter %s", string(w.name), arg).
		WithHint("`git novel chapter list` shows them")
}

// resolveOrNew is resolve for commands that may start a chapter.
func (w *work) resolveOrNew(arg string) (*state.Chapter, error) {
	c, err := w.find(arg)
	if err != nil || c != nil {
		return c, err
	}
	key, err := schema.ParseChapterKey(arg)
	if err != nil {
		return nil, err
	}
	return &state.Chapter{Key: key}, nil
}

func (w *work) find(arg string) (*state.Chapter, error) {
	key, err := schema.ParseChapterKey(arg)
	if err != nil {
		return nil, err
	}
	if c, ok := w.rules.Find(key); ok {
		return c, nil
	}
	if err := w.linked(key); err != nil {
		return nil, err
	}
	if _, numbered := key.Number(); numbered {
		return nil, nil //nolint:nilnil // a number never falls back to titles
	}
	var found []*state.Chapter
	for _, c := range w.rules.Chapters {
		file := c.Path[strings.LastIndexByte(c.Path, '/')+1:]
		if strings.EqualFold(file, arg) || w.titles[c.Key] != "" && w.titles[c.Key] == schema.TrimJS(arg) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil //nolint:nilnil // no such chapter is an answer
	case 1:
		return found[0], nil
	}
	twice := schema.Errorf(schema.CodeConflict, "%d chapters are called %s", len(found), arg).WithHint("name one by its number or key")
	for _, c := range found {
		twice = twice.WithDetails(schema.Fault{File: c.Path, Msg: schema.Textf("chapter %s", string(c.Key))})
	}
	return nil, twice
}

// linked refuses a chapter whose only file is a symbolic link: it is neither read nor missing.
func (w *work) linked(key schema.ChapterKey) error {
	var out []schema.Fault
	for _, f := range w.fileFaults() {
		if f.Rule == repo.RuleLink && w.owns(f.File, key) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return schema.Errorf(schema.CodeInvalid, "the file of chapter %s cannot be used", string(key)).WithDetails(out...).
		WithHint("put the text itself in the place of the link")
}

// errMissing is inside the error of a chapter whose file is gone.
var errMissing = fs.ErrNotExist

// chapterBytes reads a chapter's text from disk.
func (w *work) chapterBytes(c *state.Chapter) ([]byte, error) {
	if c.Path == "" || c.Missing {
		return nil, schema.Wrap(errMissing, schema.CodeNotFound, "the file of chapter %s is not there", string(c.Key)).
			WithHint("bring it back with `git novel recover %s`", w.rules.Arg(c.Key))
	}
	return w.s.lib.ReadFile(c.Path)
}

// chapterText is chapterBytes of a file that must be a text.
func (w *work) chapterText(c *state.Chapter) ([]byte, error) {
	text, err := w.chapterBytes(c)
	if err != nil {
		return nil, err
	}
	return text, checkText(c.Path, text)
}

func (w *work) title(c *state.Chapter) string { return w.titles[c.Key] }

// digits keeps the width of the number in a chapter's file name when it is renamed.
func (w *work) digits(path string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
	n := 0
	for _, r := range strings.TrimPrefix(name, "第") {
		if r < '0' || r > '9' {
			break
		}
		n++
	}
	return max(n, w.cfg.Chapters.Digits)
}

// owns reports whether a path belongs to one chapter of the book: its text, records or drafts.
func (w *work) owns(path string, key schema.ChapterKey) bool {
	if strings.HasPrefix(path, schema.RecordDir(w.name, key.ID())+"/") {
		return true
	}
	if rest, ok := strings.CutPrefix(path, schema.BookDir(w.name)+"/"); ok {
		f, isChapter := schema.ParseChapterFile(rest)
		return isChapter && schema.SameKey(f.Key, key)
	}
	return false
}

// has reports whether a path is in the last commit or on disk.
func (w *work) has(path string) bool {
	if _, ok, err := w.snap.Blob(path); err == nil && ok {
		return true
	}
	_, err := w.s.lib.FileBlob(path)
	return err == nil
}

// chapterPaths lists everything of a chapter that a trash branch keeps: text, records, drafts.
func (s *Session) chapterPaths(w *work, c *state.Chapter) ([]string, error) {
	var out []string
	if c.Path != "" {
		out = append(out, c.Path)
	}
	if w.moved(c.Key) {
		out = append(out, w.file(c.Key).HeadPath)
	}
	dir := schema.RecordDir(w.name, c.Key.ID())
	entries, err := w.snap.List(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Mode.IsFile() {
			out = append(out, dir+"/"+e.Name)
		}
	}
	onDisk, err := s.lib.ListFiles(dir)
	if err != nil {
		return nil, err
	}
	drafts, err := s.draftPaths(w, c.Key)
	if err != nil {
		return nil, err
	}
	out = append(append(out, onDisk...), drafts...)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// fileFaults is what is wrong with the book's folder as a whole.
func (w *work) fileFaults() []schema.Fault { return w.book.Faults }

func (w *work) others() []string { return append([]string{}, w.book.Others...) }

// unsaved lists the chapter files whose text is not in git, those that have not entered the book included.
func (w *work) unsaved() []string {
	var out []string
	for _, c := range w.rules.Chapters {
		if c.Unsaved || c.Missing {
			out = append(out, c.Path)
		}
	}
	for i := range w.book.Foreign {
		if f := &w.book.Foreign[i]; f.Edited {
			out = append(out, f.Path)
		}
	}
	return out
}

// untracked lists the author's other files of the book's folder that git has not got.
func (w *work) untracked() []string {
	var out []string
	for _, name := range w.book.Others {
		path := schema.BookDir(w.name) + "/" + name
		if strings.HasSuffix(name, "/") {
			continue
		}
		if _, ok, err := w.snap.Blob(path); err == nil && !ok {
			out = append(out, path)
		}
	}
	return out
}

// few is a list for a sentence: its beginning, and how many more there are.
func few(list []string) string {
	const most = 8
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + ", … +" + strconv.Itoa(len(list)-most)
}

// who is the person's name, for records.
func (s *Session) who() (string, error) {
	author, _, err := s.lib.Store().Identity()
	return author.Name, err
}

func faultsOf(err error) []schema.Fault {
	if list := schema.DetailsOf(err); len(list) > 0 {
		return list
	}
	if e, ok := errors.AsType[*schema.Error](err); ok && e.Err == nil {
		return []schema.Fault{{Msg: e.Msg}} // which the catalogue knows
	}
	return []schema.Fault{{Msg: schema.Textf("%s", err.Error())}}
}
