package workflow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	Chapters []ImportChapter `json:"chapters"`
	Volumes  []schema.Volume `json:"volumes,omitempty"`
	Notes    []schema.Text   `json:"notes,omitempty"`
	Commit   string          `json:"commit,omitempty"`
	Next     []state.Action  `json:"next,omitempty"`
}

// Bounds of a source.
const (
	maxImportFiles = 20000
	maxImportBytes = 256 << 20
)

// Import takes in a whole novel as a new book: every chapter enters as committed and adopted, in one commit. Nothing of the
// source is lost: the chapters in order are the source, apart from its encoding and its line ends.
func (s *Session) Import(ctx context.Context, in ImportInput) (*ImportResult, error) {
	plan, encoding, err := readManuscript(in)
	if err != nil {
		return nil, err
	}
	name, err := importName(in, s.o.Book)
	if err != nil {
		return nil, err
	}
	r := &ImportResult{Book: string(name), Encoding: encoding.text, DryRun: in.DryRun, Notes: encoding.notes}
	digits := max(2, len(fmt.Sprint(highest(plan))))
	r.fill(plan, name, digits)
	if refused := plan.Err(filepath.Base(in.Path)); refused != nil {
		if !in.DryRun {
			return nil, refused
		}
		for _, f := range plan.Faults(filepath.Base(in.Path)) {
			r.Notes = append(r.Notes, f.Msg)
		}
	}
	if len(plan.Chapters) == 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "%s holds no text", in.Path)
	}
	if in.DryRun {
		return r, nil
	}
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error { return s.importInto(ctx, tx, plan, r, name, digits, in) })
	if err != nil {
		return nil, err
	}
	r.Commit = res.Commit.String()
	s.o.Book = string(name)
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	r.Next = state.NextForBook(w.rules)
	return r, nil
}

func (s *Session) importInto(ctx context.Context, tx *repo.Tx, plan *manuscript.Plan, r *ImportResult, name schema.BookName, digits int, in ImportInput) error {
	w, err := s.gatherBook(tx.Snapshot(), name, true)
	if err != nil {
		return err
	}
	if faults := w.rules.MayAdopt(); !w.creating && len(faults) > 0 {
		if len(plan.Chapters) == 1 {
			return s.importOne(tx, w, plan, r)
		}
		return schema.Errorf(schema.CodeRule, "nothing can be imported into book %s any more", string(name)).WithDetails(faults...).
			WithHint("import into a new book with --book NAME, or take single chapters in with `git novel chapter new N --file F`")
	}
	chapters := make([]adopted, 0, len(plan.Chapters))
	var taken []schema.Fault
	for i, ch := range plan.Chapters {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if old := w.chapter(ch.Key); old.State != schema.StateNone || !old.Text.IsZero() {
			taken = append(taken, schema.Fault{File: ch.File, Line: ch.Line, Rule: "chapter-exists", Msg: schema.Textf("chapter %s is already there", string(ch.Key))})
			continue
		}
		chapters = append(chapters, adopted{key: ch.Key, path: r.Chapters[i].Path, text: []byte(plan.TextOf(i)), write: true})
		if ch.After != "" {
			w.state.Order[ch.Key.ID()] = schema.Place{After: ch.After}
		}
		if in.Progress != nil {
			in.Progress(i+1, len(plan.Chapters))
		}
	}
	if len(taken) > 0 {
		return schema.Errorf(schema.CodeConflict, "%d chapters of the source are in book %s already", len(taken), string(name)).WithDetails(taken...)
	}
	if err := adopt(tx, w, chapters); err != nil {
		return err
	}
	if len(r.Volumes) > 0 {
		if err := writeRecord(tx, schema.VolumesPath(name), &schema.Volumes{Volumes: r.Volumes}); err != nil {
			return err
		}
	}
	if err := widen(tx, w.cfg, digits); err != nil {
		return err
	}
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbImport, Book: string(name), Subject: fmt.Sprintf("收入 %d 章 %d 字", len(chapters), r.Chars),
		Extra: []schema.Trailer{{Key: "Novel-Chapters", Value: fmt.Sprint(len(chapters))}},
	}))
	return nil
}

// importOne enters the single chapter of a later import as drafted (DESIGN 5, Adopted).
func (s *Session) importOne(tx *repo.Tx, w *work, plan *manuscript.Plan, r *ImportResult) error {
	ch := plan.Chapters[0]
	saved, err := s.start(tx, w, w.chapter(ch.Key), startInput{text: []byte(plan.TextOf(0)), title: ch.Title, after: ch.After})
	if err != nil {
		return err
	}
	r.Chapters[0].Path = saved.Path
	r.Notes = append(r.Notes, schema.Textf("the book has chapters that were written here, so this one enters as drafted"))
	return nil
}

// widen makes new file names as wide as the book needs, so that a folder listing sorts.
func widen(tx *repo.Tx, cfg *schema.Config, digits int) error {
	if digits <= cfg.Chapters.Digits {
		return nil
	}
	return setConfig(tx, "chapters.digits", fmt.Sprint(digits))
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
		r.Notes = append(r.Notes, schema.Textf("the numbers %d to %d are missing in the source", g.From, g.To))
	}
	for _, c := range plan.Contents {
		r.Notes = append(r.Notes, schema.Textf("lines %d to %d are a table of contents: kept in the text, no chapters", c.First, c.Last))
	}
}

func highest(plan *manuscript.Plan) int {
	n := 0
	for i := range plan.Chapters {
		n = max(n, plan.Chapters[i].Number)
	}
	return n
}

func importName(in ImportInput, flag string) (schema.BookName, error) {
	if name := orElse(in.Book, flag); name != "" {
		return schema.StrictBookName(name)
	}
	base := filepath.Base(in.Path)
	return schema.StrictBookName(strings.TrimSuffix(base, filepath.Ext(base)))
}

// source is how a manuscript was read.
type source struct {
	text  string
	notes []schema.Text
}

// readManuscript decodes a file, or every text file of a folder in natural order, and finds the chapters.
func readManuscript(in ImportInput) (*manuscript.Plan, source, error) {
	info, err := os.Stat(in.Path)
	switch {
	case os.IsNotExist(err):
		return nil, source{}, schema.Errorf(schema.CodeNotFound, "%s does not exist", in.Path)
	case err != nil:
		return nil, source{}, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", in.Path)
	}
	o := manuscript.Options{Renumber: in.Renumber}
	if !info.IsDir() {
		text, src, err := decodeFile(in.Path, filepath.Base(in.Path))
		if err != nil {
			return nil, source{}, err
		}
		return manuscript.Split(text, o), src, nil
	}
	var files []manuscript.NamedText
	var src source
	total := int64(0)
	err = filepath.WalkDir(in.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", path)
		}
		if d.IsDir() {
			if path != in.Path && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isText(d.Name()) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", path)
		}
		if total += info.Size(); total > maxImportBytes || len(files) >= maxImportFiles {
			return schema.Errorf(schema.CodeInvalid, "%s holds more than %d files or %d bytes of text", in.Path, maxImportFiles, maxImportBytes)
		}
		rel, err := filepath.Rel(in.Path, path)
		if err != nil {
			return schema.Wrap(err, schema.CodeUnexpected, "%s cannot be named", path)
		}
		text, one, err := decodeFile(path, filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		src.text = one.text
		src.notes = append(src.notes, one.notes...)
		files = append(files, manuscript.NamedText{Name: filepath.ToSlash(rel), Text: text})
		return nil
	})
	if err != nil {
		return nil, source{}, err
	}
	if len(files) == 0 {
		return nil, source{}, schema.Errorf(schema.CodeInvalid, "%s holds no .txt, .md or .markdown file", in.Path)
	}
	return manuscript.FromFiles(files, o), src, nil
}

func isText(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".txt", ".md", ".markdown":
		return true
	}
	return false
}

// decodeFile reads one file of a manuscript in whatever encoding it has.
func decodeFile(path, name string) (string, source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", source{}, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	if !info.Mode().IsRegular() {
		return "", source{}, schema.Errorf(schema.CodeInvalid, "%s is not a file", name)
	}
	if info.Size() > maxImportBytes {
		return "", source{}, schema.Errorf(schema.CodeInvalid, "%s has %d bytes, more than %d", name, info.Size(), maxImportBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", source{}, schema.Wrap(err, schema.CodeInvalid, "%s cannot be read", name)
	}
	text, enc, err := manuscript.Decode(data)
	if err != nil {
		return "", source{}, schema.Wrap(err, schema.CodeOf(err), "%s cannot be imported", name)
	}
	src := source{text: string(enc.Charset)}
	if n := enc.CRLF + enc.CR; n > 0 {
		src.notes = append(src.notes, schema.Textf("%s: %d line ends became LF", name, n))
	}
	return text, src, nil
}
