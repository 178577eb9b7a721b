package workflow

import (
	"context"
	"errors"
	"fmt"
	"path"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/prose"
	"git-novel/workflow/state"
)

// ChapterNewInput is a new chapter with its text.
type ChapterNewInput struct {
	Chapter string // blank: the next number
	Title   string // without it, the text's own heading gives one
	Text    []byte
	File    string // what the text was called where it came from, for messages
	After   string // places an unnumbered chapter
	Heading bool   // a text without a heading gets "# 第03章 title" in front (reference 1.11)
	NewBook bool   // a book that was named and is not there yet is started with it (reference 1.11)
}

// SaveInput is a text that enters git.
type SaveInput struct {
	Chapter string
	Text    []byte // nil takes what lies on disk
	File    string // what the text was called where it came from, for messages
	Title   string
	After   string // places an unnumbered chapter that enters
	Typo    bool

	base []byte // the text that this one was made from; another one on disk is CodeConflict
}

// SaveResult says what became of a chapter's text.
type SaveResult struct {
	Book    string         `json:"book"`
	Chapter string         `json:"chapter"` // id: "0003", or the key
	Key     string         `json:"key"`
	Path    string         `json:"path"`
	From    schema.State   `json:"from,omitempty"` // absent when the chapter was not in the book
	State   schema.State   `json:"state"`
	Text    schema.Binding `json:"text"`
	Commit  string         `json:"commit,omitempty"`
	Changed bool           `json:"changed"`
	Notes   []schema.Text  `json:"notes,omitempty"`
	Next    []state.Action `json:"next,omitempty"`

	after   *state.Chapter // what the rules know of the chapter once this is done
	entered []byte         // the text of a chapter that was not in the book
}

// ChapterNew starts a chapter from a text. It never overwrites: a chapter that is there already is CodeConflict.
func (s *Session) ChapterNew(ctx context.Context, in ChapterNewInput) (*SaveResult, error) {
	var key schema.ChapterKey
	var err error
	if schema.TrimJS(in.Chapter) != "" {
		if key, err = schema.ParseChapterKey(in.Chapter); err != nil {
			return nil, err
		}
	}
	if err := checkText(orElse(in.File, in.Chapter), in.Text); err != nil {
		return nil, err
	}
	if in.Title, err = checkTitle(in.Title); err != nil {
		return nil, err
	}
	gather := s.gather
	if in.NewBook && s.o.Book != "" {
		gather = s.gatherOrStart
	}
	return s.updateChapterOf(ctx, gather, func(tx *repo.Tx, w *work) (*SaveResult, error) {
		if key == "" {
			if key, err = w.nextKey(); err != nil {
				return nil, err
			}
		}
		c := w.chapter(key)
		there := w.taken(c)
		switch {
		case c.State == schema.StateCommitted:
			return nil, there.WithHint("a committed chapter changes by `git novel retcon %s --reason R`", w.rules.Arg(c.Key))
		case c.State != schema.StateNone:
			return nil, there.WithHint("change its text with `git novel chapter save %s`", w.rules.Arg(c.Key))
		case !c.Text.IsZero():
			return nil, there.WithHint("take it in with `git novel chapter save %s`, or move it away first", w.rules.Arg(c.Key))
		}
		text := in.Text
		if in.Heading {
			text = withHeading(key, in.Title, text)
		}
		return s.start(tx, w, c, startInput{text: text, title: in.Title, after: in.After})
	})
}

// taken is the refusal of a chapter that is there already: for a number in the seed's words.
func (w *work) taken(c *state.Chapter) *schema.Error {
	if n, ok := c.Number(); ok {
		file := path.Base(c.Path)
		if c.Path == "" {
			file = string(c.Key)
		}
		return schema.Errorf(schema.CodeConflict, schema.ChapterTaken, n, file)
	}
	return schema.Errorf(schema.CodeConflict, "chapter %s is already there: %s", string(c.Key), c.Path)
}

// nextKey is the key of the number after the highest one, files that never entered included.
func (w *work) nextKey() (schema.ChapterKey, error) {
	highest := 0
	for _, c := range w.rules.Chapters {
		if n, ok := c.Number(); ok {
			highest = max(highest, n)
		}
	}
	if highest >= state.MaxChapterNumber {
		return "", schema.Errorf(schema.CodeRule, "chapter numbers end at %d", state.MaxChapterNumber)
	}
	return schema.NumberKey(highest + 1), nil
}

// withHeading puts the heading in front of a text that has none.
func withHeading(key schema.ChapterKey, title string, text []byte) []byte {
	body := schema.TrimJS(string(text))
	if _, ok := prose.HeadingOf(body); ok || body == "" {
		return []byte(body + "\n")
	}
	head := "# " + string(key)
	if title != "" {
		head += " " + title
	}
	return []byte(head + "\n\n" + body + "\n")
}

// ChapterSave commits a chapter's text. A new file becomes drafted; a drafted or reviewed chapter keeps its state; a
// committed one is refused unless the edit is a typo.
func (s *Session) ChapterSave(ctx context.Context, in SaveInput) (*SaveResult, error) {
	if in.Text != nil {
		if err := checkText(orElse(in.File, in.Chapter), in.Text); err != nil {
			return nil, err
		}
	}
	var err error
	if in.Title, err = checkTitle(in.Title); err != nil {
		return nil, err
	}
	return s.updateChapter(ctx, func(tx *repo.Tx, w *work) (*SaveResult, error) {
		c, err := w.resolveOrNew(in.Chapter)
		if err != nil {
			return nil, err
		}
		if in.base != nil {
			if _, err := w.unchanged(c.Key, in.base); err != nil {
				return nil, err
			}
		}
		if c.State == schema.StateNone && !in.Typo {
			return s.start(tx, w, c, startInput{text: in.Text, title: in.Title, after: in.After})
		}
		if in.After != "" {
			return nil, schema.Errorf(schema.CodeUsage, "chapter %s has its place already: --after is for a chapter that enters", string(c.Key))
		}
		var r *SaveResult
		if in.Typo {
			r, err = s.typo(tx, w, c, in)
		} else {
			r, err = s.save(tx, w, c, in.Text)
		}
		if err == nil && in.Title != "" && schema.FileTitle(in.Title) != w.title(c) {
			r.Notes = append(r.Notes, schema.Textf("the title stays %q; it changes by `git novel chapter rename %s --title T`", w.title(c), w.rules.Arg(c.Key)))
		}
		return r, err
	})
}

// updateChapter runs one chapter transition and fills in what only the finished commit knows.
func (s *Session) updateChapter(ctx context.Context, run func(*repo.Tx, *work) (*SaveResult, error)) (*SaveResult, error) {
	return s.updateChapterOf(ctx, s.gather, run)
}

func (s *Session) updateChapterOf(
	ctx context.Context, gather func(*repo.Snapshot) (*work, error), run func(*repo.Tx, *work) (*SaveResult, error),
) (*SaveResult, error) {
	var r *SaveResult
	res, err := s.lib.Update(ctx, func(tx *repo.Tx) error {
		w, err := gather(tx.Snapshot())
		if err != nil {
			return err
		}
		if r, err = run(tx, w); err != nil {
			return err
		}
		r.Next = w.next(r.after)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if res.Changed {
		r.Changed, r.Commit = true, res.Commit.String()
		if r.entered != nil {
			s.finalMark(ctx, r, r.entered)
		}
	}
	return r, nil
}

type startInput struct {
	text         []byte // nil: what lies on disk
	title, after string
}

// start is the drafted transition (step 2).
func (s *Session) start(tx *repo.Tx, w *work, c *state.Chapter, in startInput) (*SaveResult, error) {
	text, path := in.text, c.Path
	if path != "" && text != nil && schema.HashBlob(text) == c.Text {
		text = nil // the file itself was handed in
	}
	given := text != nil
	if !given {
		if path == "" {
			return nil, schema.Errorf(schema.CodeNotFound, "chapter %s has no file in %s and no text was given", string(c.Key), schema.BookDir(w.name)).
				WithHint("give the text with --file F, or write the file %s first", schema.ChapterPath(w.name, schema.ChapterFileName(c.Key, in.title, w.cfg.Chapters.Digits)))
		}
		var err error
		if text, err = w.chapterText(c); err != nil {
			return nil, err
		}
	}
	d := w.rules.Decide(c.Key, state.StartEvent{Blank: blank(text)})
	if err := d.Error(schema.Textf("chapter %s cannot start now", string(c.Key))); err != nil {
		return nil, err
	}
	r := &SaveResult{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), From: schema.StateNone, State: d.Next, Notes: w.owedNotes(c.Key),
	}
	title := orElse(in.title, headingTitle(text, c.Key))
	switch {
	case !given:
		if _, err := tx.Take(path); err != nil {
			return nil, err
		}
	case path != "": // a foreign file lies there and another text was given: the file is the author's
		return nil, schema.Errorf(schema.CodeConflict, "%s is there already and was never saved", path).
			WithHint("take it in with `git novel chapter save %s`, or move it away first", w.rules.Arg(c.Key))
	default:
		path = schema.ChapterPath(w.name, schema.ChapterFileName(c.Key, title, w.cfg.Chapters.Digits))
		if err := checkText(path, text); err != nil {
			return nil, err
		}
		if err := tx.Write(path, text); err != nil {
			return nil, err
		}
	}
	r.Path, r.Text, r.entered = path, bind(path, text), text
	r.Notes = append(r.Notes, headingNotes(text, c.Key, in.title)...)
	r.after = &state.Chapter{Key: c.Key, State: d.Next, Path: path, Text: r.Text.Blob, Chars: r.Text.Chars}
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
func (s *Session) save(tx *repo.Tx, w *work, c *state.Chapter, given []byte) (*SaveResult, error) {
	text := given
	if text == nil && !c.Missing && !c.Duplicate {
		var err error
		if text, err = w.chapterText(c); err != nil {
			return nil, err
		}
	}
	after := *c
	if text != nil {
		after.Text, after.Chars = schema.HashBlob(text), schema.UTF16Len(string(text))
		after.Unsaved = c.Unsaved || after.Text != c.Text
		w.measure(&after, text)
	}
	d := w.rules.With(&after).Decide(c.Key, state.SaveEvent{Blank: text != nil && blank(text)})
	if err := d.Error(schema.Textf("the text of chapter %s cannot be saved", string(c.Key))); err != nil {
		return nil, w.savedHow(&after, err)
	}
	r := &SaveResult{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Path: c.Path, From: c.State, State: c.State, Text: bind(c.Path, text), after: &after,
	}
	changed := after.Unsaved
	if after.Unsaved = false; c.State == schema.StateCommitted && !changed {
		return r, nil
	}
	if err := w.putText(tx, c, given); err != nil {
		return nil, err
	}
	r.Notes = headingNotes(text, c.Key, "")
	if changed && after.Stale() {
		r.Notes = append(r.Notes, schema.Textf("the review was of the text before this edit: review or re-check it again"))
	}
	verb, subject := schema.VerbSave, fmt.Sprintf("修改为 %d 字", r.Text.Chars)
	if w.moved(c.Key) && w.file(c.Key).HeadBlob == r.Text.Blob {
		verb, subject = schema.VerbRename, "文件名 "+path.Base(c.Path)
	}
	tx.Message(s.message(schema.Message{Verb: verb, Book: string(w.name), Chapter: string(c.Key), Subject: subject, Text: r.Text.Blob}))
	return r, nil
}

// savedHow names both ways in which an edit of a committed chapter is taken in.
func (w *work) savedHow(c *state.Chapter, err error) error {
	if se, ok := errors.AsType[*schema.Error](err); ok && c.Edited() {
		return se.WithHint("`git novel retcon %[1]s --reason R` takes the edit in; at most %[2]d characters also as `git novel chapter save %[1]s --typo`",
			w.rules.Arg(c.Key), state.MaxTypoEdits)
	}
	return err
}

// putText lets a chapter's file hold a given text, or takes what lies on disk when none was given. An edit on disk that git
// has not got and that is another text stays, and the command is refused.
func (w *work) putText(tx *repo.Tx, c *state.Chapter, given []byte) error {
	if given == nil {
		return w.takeText(tx, c)
	}
	if err := w.held(c, given); err != nil {
		return err
	}
	if err := w.takeMove(tx, c.Key); err != nil {
		return err
	}
	return tx.Write(c.Path, given)
}

// held refuses to put a text over an edit on disk that is another text and that git has not got.
func (w *work) held(c *state.Chapter, given []byte) error {
	if given == nil || !c.Unsaved || schema.HashBlob(given) == c.Text {
		return nil
	}
	err := schema.Errorf(schema.CodeConflict, "%s holds an edit that is not saved, and another text was given", c.Path)
	if c.State == schema.StateCommitted {
		return err.WithHint("move the edited file away, or take it in first with `git novel retcon %s --reason R`", w.rules.Arg(c.Key))
	}
	return err.WithHint("save the edit first with `git novel chapter save %s`; then give the other text", w.rules.Arg(c.Key))
}
