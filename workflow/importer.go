package workflow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/manuscript"
	"git-novel/workflow/state"
)

// ImportInput is a whole novel that comes from outside.
type ImportInput struct {
	Path     string // a text file, or a folder of them; absolute
	Book     string
	DryRun   bool
	Renumber bool
	Agent    bool                  // an agent asks: text files alone are read, and no book that is there gets chapters (DESIGN 9)
	Progress func(done, total int) // may be nil
}

// ImportChapter is one chapter that was found.
type ImportChapter struct {
	Key    string      `json:"key"`
	Number *int        `json:"number"`
	Title  string      `json:"title"`
	File   string      `json:"file,omitempty"` // where it came from, for a folder
	Line   int         `json:"line"`
	Path   string      `json:"path"` // where it goes
	Chars  int         `json:"chars"`
	After  string      `json:"after,omitempty"`
	Volume int         `json:"volume,omitempty"`
	Doubt  schema.Text `json:"doubt,omitzero"`
}

// ImportResult says what an import found and did.
type ImportResult struct {
	Book     string          `json:"book"`
	Encoding string          `json:"encoding"`
	Chars    int             `json:"chars"`
	DryRun   bool            `json:"dry_run,omitempty"`
	Drafted  bool            `json:"drafted,omitempty"` // the one chapter entered a written book as drafted
	Chapters []ImportChapter `json:"chapters"`
	Volumes  []schema.Volume `json:"volumes,omitempty"`
	Notes    []schema.Text   `json:"notes,omitempty"`
	Commit   string          `json:"commit,omitempty"`
	Next     []state.Action  `json:"next,omitempty"`
}

// Import takes in a whole novel as a new book: every chapter enters as committed and adopted, in one commit. Nothing of the
// source is lost: the chapters in order are the source, apart from its encoding and its line ends.
func (s *Session) Import(ctx context.Context, in ImportInput) (*ImportResult, error) {
	name, err := importName(in, s.o.Book)
	if err != nil {
		return nil, err
	}
	if err := in.allowed(); err != nil {
		return nil, err
	}
	plan, src, err := readManuscript(ctx, in)
	if err != nil {
		return nil, err
	}
	if len(plan.Chapters) == 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "%s holds no text", in.Path)
	}
	r := &ImportResult{Book: string(name), Encoding: strings.Join(src.encodings, ", "), DryRun: in.DryRun, Notes: src.notes}
	i := &importing{s: s, in: in, plan: plan, r: r, name: name, digits: max(2, len(strconv.Itoa(highest(plan))))}
	r.fill(plan, name, i.digits)
	if in.DryRun {
		return r, i.rehearse()
	}
	if err := i.refused(); err != nil {
		return nil, err
	}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error { return i.write(ctx, tx) })
	if err != nil {
		return nil, err
	}
	if res.Changed {
		r.Commit = res.Commit.String()
	}
	s.o.Book = string(name)
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	r.Next = state.NextForBook(w.rules)
	return r, nil
}

// allowed refuses, for an agent, a file that is no manuscript by its name: what is imported can be read.
func (in ImportInput) allowed() error {
	if !in.Agent {
		return nil
	}
	path, err := filepath.EvalSymlinks(in.Path)
	if err != nil {
		return nil //nolint:nilerr // whoever reads it says what is wrong
	}
	base := filepath.Base(path)
	if info, err := os.Stat(path); err == nil && !info.IsDir() && (strings.HasPrefix(base, ".") || !isText(base)) {
		return schema.Errorf(schema.CodeInvalid, "an agent imports .txt, .md and .markdown files alone, not %s", base).
			WithHint("the author can import it: `git novel import PATH`")
	}
	return nil
}

// importing is one import under way.
type importing struct {
	s      *Session
	in     ImportInput
	plan   *manuscript.Plan
	r      *ImportResult
	name   schema.BookName
	digits int
}

// refused is what speaks against the source by itself.
func (i *importing) refused() error {
	file := filepath.Base(i.in.Path)
	if err := i.plan.Err(file); err != nil {
		return err
	}
	var large, drafts []schema.Fault
	for at, ch := range i.plan.Chapters {
		if state.IsMirror(i.plan.TextOf(at)) {
			drafts = append(drafts, schema.Fault{
				File: orElse(ch.File, file), Line: ch.Line, Col: 1, Rule: "draft-in-novels",
				Msg: schema.Textf("chapter %s holds the segment headers of a draft mirror", string(ch.Key)),
			})
		}
		if n := ch.End - ch.Start; n > maxChapter {
			large = append(large, schema.Fault{
				File: orElse(ch.File, file), Line: ch.Line, Col: 1, Rule: "chapter-too-large",
				Msg: schema.Textf("chapter %s has %d bytes: a chapter has at most %d", string(ch.Key), n, maxChapter),
			})
		}
	}
	if len(large) > 0 {
		return schema.Errorf(schema.CodeInvalid, "%d chapters are too large to be chapters", len(large)).WithDetails(large...).
			WithHint("see with --dry-run which headings were found, and put a heading line before each chapter")
	}
	if len(drafts) > 0 {
		return schema.Errorf(schema.CodeInvalid, "%d chapters are draft mirrors, and a draft is no chapter", len(drafts)).WithDetails(drafts...).
			WithHint("take the lines `## 第N段 · …` out of the text, then import it again")
	}
	return nil
}

// fits is what speaks against putting these chapters into the book as it is.
func (i *importing) fits(w *work) error {
	if i.in.Agent && (!w.creating || len(w.rules.Chapters) > 0) {
		return schema.Errorf(schema.CodeConflict, "the book %s is there already, and an agent imports only new books", string(i.name)).
			WithHint("give the new book another name")
	}
	if faults := w.fileFaults(); len(faults) > 0 {
		return schema.Errorf(schema.CodeInvalid, "the folder of the book %s is not in order", string(i.name)).WithDetails(faults...).
			WithHint("put files in the place of links, and keep one file of each chapter")
	}
	if faults := w.rules.MayAdopt(); !w.creating && len(faults) > 0 && len(i.plan.Chapters) > 1 {
		return schema.Errorf(schema.CodeRule, "nothing can be imported into book %s any more", string(i.name)).WithDetails(faults...).
			WithHint("import into a new book with --book NAME, or take single chapters in with `git novel chapter new N --file F`")
	}
	var taken []schema.Fault
	for _, ch := range i.plan.Chapters {
		f := schema.Fault{File: ch.File, Line: ch.Line, Col: 1, Rule: "chapter-exists"}
		switch old := w.chapter(ch.Key); {
		case old.State != schema.StateNone:
			f.Msg = schema.Textf("chapter %s is already there", string(ch.Key))
		case !old.Text.IsZero():
			f.Msg = schema.Textf("a file of chapter %s lies there already: %s", string(ch.Key), old.Path)
		default:
			continue
		}
		taken = append(taken, f)
	}
	if len(taken) == 0 {
		return nil
	}
	err := schema.Errorf(schema.CodeConflict, "%d chapters of the source are in book %s already", len(taken), string(i.name)).WithDetails(taken...)
	if w.creating {
		return err.WithHint("`git novel init` adopts the folder %s as it lies there", schema.BookDir(i.name))
	}
	return err.WithHint("import into a new book with --book NAME")
}

// rehearse tells, in notes, what would refuse the import.
func (i *importing) rehearse() error {
	tell := func(err error) {
		if err == nil {
			return
		}
		faults := faultsOf(err)
		const most = 20
		for _, f := range faults[:min(len(faults), most)] {
			i.r.Notes = append(i.r.Notes, schema.Textf("would be refused: %s", f.Msg))
		}
		if rest := len(faults) - most; rest > 0 {
			i.r.Notes = append(i.r.Notes, schema.Textf("and %d more", rest))
		}
	}
	tell(i.refused())
	snap, err := i.s.lib.Snapshot()
	if err != nil {
		return err
	}
	w, err := i.s.gatherBook(snap, i.name, true)
	if err != nil {
		return err
	}
	tell(i.fits(w))
	return nil
}

func (i *importing) write(ctx context.Context, tx *repo.Tx) error {
	w, err := i.s.gatherBook(tx.Snapshot(), i.name, true)
	if err != nil {
		return err
	}
	if err := i.fits(w); err != nil {
		return err
	}
	if !w.creating && len(w.rules.MayAdopt()) > 0 {
		return i.s.importOne(tx, w, i.plan, i.r)
	}
	text := bytesOf(i.plan.Text) // a long serial is not kept twice
	chapters := make([]adopted, 0, len(i.plan.Chapters))
	for n, ch := range i.plan.Chapters {
		if ctx.Err() != nil {
			return schema.Wrap(ctx.Err(), schema.CodeInterrupted, "interrupted; nothing was changed")
		}
		chapters = append(chapters, adopted{key: ch.Key, path: i.r.Chapters[n].Path, text: text[ch.Start:ch.End:ch.End], write: true})
		if ch.After != "" {
			w.state.Order[ch.Key.ID()] = schema.Place{After: i.after(w, ch.After)}
		}
		if i.in.Progress != nil {
			i.in.Progress(n+1, len(i.plan.Chapters))
		}
	}
	if err := adopt(tx, w, chapters); err != nil {
		return err
	}
	if err := i.volumes(tx); err != nil {
		return err
	}
	if i.digits > w.cfg.Chapters.Digits {
		// New file names are as wide as the book needs, so that a folder listing sorts.
		if err := setConfig(tx, "chapters.digits", strconv.Itoa(i.digits)); err != nil {
			return err
		}
	}
	tx.Message(i.s.message(schema.Message{
		Verb: schema.VerbImport, Book: string(i.name), Subject: fmt.Sprintf("收入 %d 章 %d 字", len(chapters), i.r.Chars),
		Extra: []schema.Trailer{{Key: "Novel-Chapters", Value: strconv.Itoa(len(chapters))}},
	}))
	return nil
}

// after is the place of an unnumbered chapter. The front of a later part is not the front of the book.
func (i *importing) after(w *work, place string) string {
	last := -1
	for _, c := range w.rules.Chapters {
		if n, ok := c.Number(); ok && c.State != schema.StateNone {
			last = max(last, n)
		}
	}
	first := -1
	for _, ch := range i.plan.Chapters {
		if ch.Numbered() && (first < 0 || ch.Number < first) {
			first = ch.Number
		}
	}
	if place == repo.FrontID && last >= 0 && first > last {
		return schema.NumberKey(last).ID()
	}
	return place
}

// volumes adds the volumes of the source to those that the book has.
func (i *importing) volumes(tx *repo.Tx) error {
	if len(i.r.Volumes) == 0 {
		return nil
	}
	path := schema.VolumesPath(i.name)
	all := &schema.Volumes{}
	old, err := tx.Read(path)
	switch {
	case err == nil:
		if err := schema.CheckTracked(path, old); err != nil {
			return schema.Wrap(err, schema.CodeInvalid, "%s is damaged", path).WithHint("`git novel recover` brings the last good version back")
		}
		if err := schema.Unmarshal(path, old, all); err != nil {
			return err
		}
	case schema.CodeOf(err) != schema.CodeNotFound:
		return err
	}
	have := len(all.Volumes)
	for n := range i.r.Volumes {
		i.r.Volumes[n].Number += have
		all.Volumes = append(all.Volumes, i.r.Volumes[n])
	}
	return writeRecord(tx, path, all)
}

// importOne enters the single chapter of a later import as drafted (DESIGN 5, Adopted).
func (s *Session) importOne(tx *repo.Tx, w *work, plan *manuscript.Plan, r *ImportResult) error {
	ch := plan.Chapters[0]
	saved, err := s.start(tx, w, w.chapter(ch.Key), startInput{text: []byte(plan.TextOf(0)), title: ch.Title, after: ch.After})
	if err != nil {
		return err
	}
	r.Chapters[0].Path, r.Drafted = saved.Path, true
	r.Notes = append(r.Notes, schema.Textf("the book has chapters that were written here, so this one enters as drafted"))
	return nil
}

func (r *ImportResult) fill(plan *manuscript.Plan, name schema.BookName, digits int) {
	for i := range plan.Chapters {
		ch := &plan.Chapters[i]
		row := ImportChapter{
			Key: string(ch.Key), Title: ch.Title, File: ch.File, Line: ch.Line, After: ch.After, Volume: ch.Volume,
			Chars: schema.UTF16Len(plan.TextOf(i)), Path: schema.ChapterPath(name, schema.ChapterFileName(ch.Key, ch.Title, digits)),
		}
		if n, ok := ch.Key.Number(); ok {
			row.Number = &n
		}
		if len(ch.Doubt) > 0 {
			row.Doubt = ch.Doubt[0]
		}
		r.Chars += row.Chars
		r.Chapters = append(r.Chapters, row)
	}
	for _, v := range plan.Volumes {
		r.Volumes = append(r.Volumes, schema.Volume{Number: v.Number, Title: strings.TrimSpace(v.Name + " " + v.Title), First: max(v.First, 0), Last: max(v.Last, 0)})
	}
	for _, g := range plan.Gaps {
		if g.From == g.To {
			r.Notes = append(r.Notes, schema.Textf("number %d is missing in the source", g.From))
			continue
		}
		r.Notes = append(r.Notes, schema.Textf("the numbers %d to %d are missing in the source", g.From, g.To))
	}
	for _, c := range plan.Contents {
		r.Notes = append(r.Notes, schema.Textf("lines %d to %d are a table of contents: kept in the text, no chapters", c.First, c.Last))
	}
}

// bytesOf is a text as bytes that nobody changes, without a copy of it.
func bytesOf(text string) []byte {
	return unsafe.Slice(unsafe.StringData(text), len(text)) //nolint:gosec // fifty megabytes, which are only read
}

func highest(plan *manuscript.Plan) int {
	n := 0
	for i := range plan.Chapters {
		n = max(n, plan.Chapters[i].Number)
	}
	return n
}

// importName is the book that was named, else the source's own name made fit.
func importName(in ImportInput, flag string) (schema.BookName, error) {
	if name := orElse(in.Book, flag); name != "" {
		return schema.StrictBookName(name)
	}
	base := filepath.Base(in.Path)
	if isText(base) {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return schema.ParseBookName(base)
}
