package workflow

import (
	"bytes"
	"context"
	"strings"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/prose"
	"git-novel/workflow/state"
)

// ChapterRename gives a chapter another title: its file name, the recorded path and its own heading line. Its number and
// its evidence stay; when the heading changes, the records are bound to the text with the new heading.
func (s *Session) ChapterRename(ctx context.Context, chapter, title string) (*SaveResult, error) {
	title, err := checkTitle(title)
	if err != nil {
		return nil, err
	}
	if title = prose.TrimTitle(title); title == "" { // the marks would be read as what parts it from the number
		return nil, schema.Errorf(schema.CodeUsage, "the new title is empty")
	}
	return s.updateChapter(ctx, func(tx *repo.Tx, w *work) (*SaveResult, error) {
		c, err := w.resolve(chapter)
		if err != nil {
			return nil, err
		}
		if _, numbered := c.Key.Number(); !numbered {
			return nil, schema.Errorf(schema.CodeRule, "%s has no number: its name is its key, and a key never changes", string(c.Key)).
				WithHint("take it out with `git novel chapter %s %s` and enter the text under its new name with `git novel chapter new`",
					leaveVerb(c), w.rules.Arg(c.Key))
		}
		if err := w.rules.Decide(c.Key, state.RenameEvent{}).Error(schema.Textf("chapter %s cannot be renamed", string(c.Key))); err != nil {
			return nil, err
		}
		return s.rename(tx, w, c, title)
	})
}

func (s *Session) rename(tx *repo.Tx, w *work, c *state.Chapter, title string) (*SaveResult, error) {
	text, err := w.chapterText(c)
	if err != nil {
		return nil, err
	}
	to := schema.ChapterPath(w.name, schema.ChapterFileName(c.Key, title, w.digits(c.Path)))
	renamed, err := retitle(c.Key, text, title)
	if err != nil {
		return nil, err
	}
	r := &SaveResult{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Path: to, From: c.State, State: c.State, Text: bind(to, renamed), after: c,
	}
	if to == c.Path && bytes.Equal(text, renamed) {
		return r, nil
	}
	if c.Unsaved {
		return nil, schema.Errorf(schema.CodeConflict, "%s holds an edit that is not saved", c.Path).
			WithHint("save it first: `git novel chapter save %s`", w.rules.Arg(c.Key))
	}
	if to != c.Path {
		if err := tx.Rename(c.Path, to); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(text, renamed) {
		if err := tx.Write(to, renamed); err != nil {
			return nil, err
		}
	}
	after := *c
	after.Path, after.Text, after.Chars, r.after = to, r.Text.Blob, r.Text.Chars, &after
	if err := w.rebind(tx, c, r.Text, &after); err != nil {
		return nil, err
	}
	w.measure(&after, renamed)
	tx.Message(s.message(schema.Message{
		Verb: schema.VerbRename, Book: string(w.name), Chapter: string(c.Key), Subject: "题为 " + title, Text: r.Text.Blob,
	}))
	return r, nil
}

// rebind ties the chapter's records to the renamed text. Records of an older text (a review before the polish) keep the
// blob that they speak of and get the new path.
func (w *work) rebind(tx *repo.Tx, c *state.Chapter, to schema.Binding, after *state.Chapter) error {
	move := func(b *schema.Binding) {
		if b.Blob == c.Text {
			*b = to
			return
		}
		b.Path = to.Path
	}
	rec, err := w.review(c.Key)
	if err != nil {
		return err
	}
	if rec != nil {
		move(&rec.Text)
		after.Review = state.ReviewOf(rec)
		if err := writeRecord(tx, schema.ReviewPath(w.name, c.Key.ID()), rec); err != nil {
			return err
		}
	}
	re, err := w.recheck(c.Key)
	if err != nil {
		return err
	}
	if re != nil {
		move(&re.Text)
		after.Recheck = state.RecheckOf(re)
		if err := writeRecord(tx, schema.RecheckPath(w.name, c.Key.ID()), re); err != nil {
			return err
		}
	}
	commit, err := w.commit(c.Key)
	if err != nil || commit == nil {
		return err
	}
	move(&commit.Text)
	if commit.Base != nil {
		move(commit.Base)
	}
	if commit.ReviewResult != nil {
		move(&commit.ReviewResult.Text)
	}
	after.Commit = state.CommitOf(commit)
	return writeRecord(tx, schema.CommitPath(w.name, c.Key.ID()), commit)
}

// leaveVerb is the way out of the book for a chapter where it stands.
func leaveVerb(c *state.Chapter) string {
	if c.State == schema.StateCommitted {
		return schema.VerbRetract
	}
	return schema.VerbDiscard
}

// retitle changes the title in the chapter's own heading line; a text without one stays as it is. What follows the heading is
// the same before and after, as the checker of the history sees it, or the title is refused.
func retitle(key schema.ChapterKey, text []byte, title string) ([]byte, error) {
	h, ok := prose.HeadingOf(string(text))
	if !ok || !state.OwnHeading(key, string(text)) {
		return text, nil
	}
	line := h.Line
	switch {
	case h.Title != "":
		at := strings.LastIndex(line, h.Title)
		line = line[:at] + title + line[at+len(h.Title):]
	default:
		line += " " + title
	}
	renamed := bytes.Replace(text, []byte(h.Line), []byte(line), 1)
	if state.Body(key, string(renamed)) != state.Body(key, string(text)) {
		return nil, schema.Errorf(schema.CodeUsage, "the title has %d characters and is too long for a heading line", schema.UTF16Len(title)).
			WithHint("a title is one line of text")
	}
	return renamed, nil
}
