package workflow

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/prose"
	"git-novel/workflow/state"
)

// maxChapter bounds the text of one chapter, in bytes. A chapter of a serial has about 7,000; a book that was pasted into
// one chapter is better imported.
const maxChapter = 4 << 20

// ChapterNewInput is a new chapter with its text.
type ChapterNewInput struct {
	Chapter string
	Title   string // without it, the text's own heading gives one
	Text    []byte
	After   string // places an unnumbered chapter
}

// SaveInput is a text that enters git.
type SaveInput struct {
	Chapter string
	Text    []byte // nil takes what lies on disk
	Title   string
	Typo    bool
}

// SaveResult says what became of a chapter's text.
type SaveResult struct {
	Book    string         `json:"book"`
	Chapter string         `json:"chapter"` // id: "0003", or the key
	Key     string         `json:"key"`
	Path    string         `json:"path"`
	From    schema.State   `json:"from"`
	State   schema.State   `json:"state"`
	Text    schema.Binding `json:"text"`
	Commit  string         `json:"commit,omitempty"`
	Changed bool           `json:"changed"`
	Notes   []schema.Text  `json:"notes,omitempty"`
	Next    []state.Action `json:"next,omitempty"`
}

// ChapterNew starts a chapter from a text. It never overwrites: a chapter that is there already is CodeConflict.
func (s *Session) ChapterNew(ctx context.Context, in ChapterNewInput) (*SaveResult, error) {
	key, err := schema.ParseChapterKey(in.Chapter)
	if err != nil {
		return nil, err
	}
	if err := checkText(in.Chapter, in.Text); err != nil {
		return nil, err
	}
	return s.updateChapter(ctx, func(tx *repo.Tx, w *work) (*SaveResult, error) {
		c := w.chapter(key)
		if c.State != schema.StateNone || !c.Text.IsZero() {
			return nil, schema.Errorf(schema.CodeConflict, "chapter %s is already there: %s", string(c.Key), c.Path).
				WithHint("change its text with `git novel chapter save %s`", arg(c.Key))
		}
		return s.start(tx, w, c, startInput{text: in.Text, title: in.Title, after: in.After})
	})
}

// ChapterSave commits a chapter's text. A new file becomes drafted; a drafted or reviewed chapter keeps its state; a
// committed one is refused unless the edit is a typo.
func (s *Session) ChapterSave(ctx context.Context, in SaveInput) (*SaveResult, error) {
	if in.Text != nil {
		if err := checkText(in.Chapter, in.Text); err != nil {
			return nil, err
		}
	}
	return s.updateChapter(ctx, func(tx *repo.Tx, w *work) (*SaveResult, error) {
		c, err := w.resolveOrNew(in.Chapter)
		if err != nil {
			return nil, err
		}
		switch {
		case in.Typo:
			return s.typo(tx, w, c, in)
		case c.State == schema.StateNone:
			return s.start(tx, w, c, startInput{text: in.Text, title: in.Title})
		}
		return s.save(tx, w, c, in.Text)
	})
}

// updateChapter runs one chapter transition and fills in what only the finished commit knows.
func (s *Session) updateChapter(ctx context.Context, run func(*repo.Tx, *work) (*SaveResult, error)) (*SaveResult, error) {
	var r *SaveResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := s.gather(tx.Snapshot())
		if err != nil {
			return err
		}
		r, err = run(tx, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	if res.Changed {
		r.Changed, r.Commit = true, res.Commit.String()
	}
	r.Next, err = s.nextOf(schema.ChapterKey(r.Key))
	return r, err
}

type startInput struct {
	text         []byte // nil: what lies on disk
	title, after string
}

// start is the drafted transition (step 2).
func (s *Session) start(tx *repo.Tx, w *work, c *state.Chapter, in startInput) (*SaveResult, error) {
	text, path := in.text, c.Path
	if text == nil {
		if path == "" {
			return nil, schema.Errorf(schema.CodeNotFound, "chapter %s has no file in %s and no text was given", string(c.Key), schema.BookDir(w.name)).
				WithHint("give the text with --file F, or write the file %s first", schema.ChapterPath(w.name, schema.ChapterFileName(c.Key, in.title, w.cfg.Chapters.Digits)))
		}
		var err error
		if text, err = s.lib.ReadFile(path); err != nil {
			return nil, err
		}
		if err := checkText(path, text); err != nil {
			return nil, err
		}
	}
	d := w.rules.Decide(c.Key, state.StartEvent{Blank: blank(text)})
	if err := d.Error(schema.Textf("chapter %s cannot start now", string(c.Key))); err != nil {
		return nil, err
	}
	r := &SaveResult{Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), From: schema.StateNone, State: d.Next}
	title := in.title
	if title == "" {
		title = headingTitle(text, c.Key)
	}
	switch {
	case in.text == nil:
		if _, err := tx.Take(path); err != nil {
			return nil, err
		}
	case path != "": // a foreign file lies there and another text was given: the file is the author's
		return nil, schema.Errorf(schema.CodeConflict, "%s is there already and was never saved", path).
			WithHint("take it in with `git novel chapter save %s`, or move it away first", arg(c.Key))
	default:
		path = schema.ChapterPath(w.name, schema.ChapterFileName(c.Key, title, w.cfg.Chapters.Digits))
		if err := tx.Write(path, text); err != nil {
			return nil, err
		}
	}
	r.Path, r.Text = path, bind(path, text)
	r.Notes = headingNotes(text, c.Key, in.title)
	if err := w.place(c.Key, in.after); err != nil {
		return nil, err
	}
	w.set(c.Key, schema.StateDrafted)
	if err := w.writeState(tx); err != nil {
		return nil, err
	}
	if err := s.takeDrafts(tx, w, c.Key); err != nil {
		return nil, err
	}
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbSave, Book: string(w.name), Chapter: string(c.Key), Subject: fmt.Sprintf("起草 %d 字", r.Text.Chars),
		From: schema.StateNone, To: d.Next, Text: r.Text.Blob,
	}))
	return r, nil
}

// save commits the text of a chapter that is on its way; its state stays.
func (s *Session) save(tx *repo.Tx, w *work, c *state.Chapter, text []byte) (*SaveResult, error) {
	onDisk, err := s.chapterBytes(c)
	if err != nil && (text == nil || schema.CodeOf(err) != schema.CodeNotFound) {
		return nil, err
	}
	now := text
	if now == nil {
		now = onDisk
		if err := checkText(c.Path, now); err != nil {
			return nil, err
		}
	}
	d := w.rules.Decide(c.Key, state.SaveEvent{Blank: blank(now)})
	if text != nil && c.State == schema.StateCommitted && schema.HashBlob(text) != c.Text {
		edited := *c
		edited.Text = schema.HashBlob(text)
		d = w.rules.With(&edited).Decide(c.Key, state.SaveEvent{Blank: blank(now)})
	}
	if err := d.Error(schema.Textf("the text of chapter %s cannot be saved", string(c.Key))); err != nil {
		return nil, err
	}
	r := &SaveResult{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Path: c.Path, From: c.State, State: c.State, Text: bind(c.Path, now),
	}
	if c.State == schema.StateCommitted {
		return r, nil
	}
	if text != nil {
		err = tx.Write(c.Path, text)
	} else {
		_, err = tx.Take(c.Path)
	}
	if err != nil {
		return nil, err
	}
	r.Notes = headingNotes(now, c.Key, "")
	if c.Review != nil && c.Review.Text == c.Text && c.Review.Text != r.Text.Blob {
		r.Notes = append(r.Notes, schema.Textf("the review was of the text before this edit: review or re-check it again"))
	}
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbSave, Book: string(w.name), Chapter: string(c.Key), Subject: fmt.Sprintf("修改为 %d 字", r.Text.Chars), Text: r.Text.Blob,
	}))
	return r, nil
}

// checkText refuses what is no text: too large, not UTF-8, or with NUL bytes. Where names the file in messages.
func checkText(where string, text []byte) error {
	if len(text) > maxChapter {
		return schema.Errorf(schema.CodeInvalid, "%s has %d bytes: a chapter has at most %d", where, len(text), maxChapter).
			WithHint("a whole book is taken in with `git novel import PATH --book NAME`")
	}
	var faults []schema.Fault
	if i := bytes.IndexByte(text, 0); i >= 0 {
		line, col := lineCol(text, i)
		faults = append(faults, schema.Fault{File: where, Line: line, Col: col, Rule: "text-nul", Msg: schema.Textf("there is a NUL byte: this is no text file")})
	}
	if i := invalidUTF8(text); i >= 0 {
		line, col := lineCol(text, i)
		faults = append(faults, schema.Fault{File: where, Line: line, Col: col, Rule: "text-utf8", Msg: schema.Textf("this is not UTF-8")})
	}
	if len(faults) > 0 {
		return schema.Errorf(schema.CodeInvalid, "%s is not a text that can be a chapter", where).WithDetails(faults...).
			WithHint("save it as UTF-8; `git novel import` also reads GBK, GB18030 and UTF-16")
	}
	return nil
}

// invalidUTF8 gives the byte offset of the first byte that is not UTF-8, -1 when there is none.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineCol turns a byte offset into a line and a column in runes, both from 1.
func lineCol(text []byte, at int) (line, col int) {
	before := text[:at]
	line = bytes.Count(before, []byte{'\n'}) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

func blank(text []byte) bool { return schema.TrimJS(string(text)) == "" }

// bind ties a record to a text.
func bind(path string, text []byte) schema.Binding {
	return schema.Binding{Path: path, Blob: schema.HashBlob(text), Chars: schema.UTF16Len(string(text))}
}

// headingTitle is the title that the text's own first line gives, when that line is a heading of this chapter.
func headingTitle(text []byte, key schema.ChapterKey) string {
	h, ok := prose.HeadingOf(string(text))
	if !ok {
		return ""
	}
	if n, numbered := key.Number(); numbered && h.Number >= 0 && h.Number != n {
		return ""
	}
	return h.Title
}

// headingNotes tells of a heading that does not fit: another number blocks at the review, another title is only noted.
func headingNotes(text []byte, key schema.ChapterKey, title string) []schema.Text {
	h, ok := prose.HeadingOf(string(text))
	if !ok {
		return nil
	}
	var notes []schema.Text
	if n, numbered := key.Number(); numbered && h.Number >= 0 && h.Number != n {
		notes = append(notes, schema.Textf("the text's heading says chapter %d: the review will block on that", h.Number))
	}
	if title != "" && h.Title != "" && strings.TrimSpace(title) != h.Title {
		notes = append(notes, schema.Textf("the text's heading has the title %q, the file name %q", h.Title, title))
	}
	return notes
}

// arg is a chapter as a command argument.
func arg(key schema.ChapterKey) string {
	if n, ok := key.Number(); ok {
		return fmt.Sprint(n)
	}
	return string(key)
}
