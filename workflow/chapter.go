package workflow

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// ChapterRow is one chapter of a book. A foreign file (State nil) is listed and never counted.
type ChapterRow struct {
	Number    *int          `json:"number"`
	Key       string        `json:"key"`
	Title     string        `json:"title"`
	Path      string        `json:"path"`
	Chars     int           `json:"chars"` // UTF-16 units
	State     *schema.State `json:"state"`
	Stale     bool          `json:"stale"`
	Adopted   bool          `json:"adopted"`
	Blocked   bool          `json:"blocked,omitempty"`
	Debt      bool          `json:"debt,omitempty"`
	Edited    bool          `json:"edited,omitempty"`  // a committed text was changed by hand
	Unsaved   bool          `json:"unsaved,omitempty"` // the text on disk is not the one in git
	Missing   bool          `json:"missing,omitempty"`
	Duplicate bool          `json:"duplicate,omitempty"`
	Files     []string      `json:"files,omitempty"` // of a duplicate: all of them
	Damaged   bool          `json:"damaged,omitempty"`
	Foreign   bool          `json:"foreign,omitempty"`
}

// Marks names what is special about the chapter, for people.
func (r ChapterRow) Marks() []schema.Text {
	var out []schema.Text
	mark := func(on bool, t schema.Text) {
		if on {
			out = append(out, t)
		}
	}
	mark(r.Foreign, schema.Textf("foreign"))
	mark(r.Duplicate, schema.Textf("two files"))
	mark(r.Missing, schema.Textf("file missing"))
	mark(r.Damaged, schema.Textf("record damaged"))
	mark(r.Blocked, schema.Textf("blocked"))
	mark(r.Stale, schema.Textf("review is of an older text"))
	mark(r.Debt, schema.Textf("write-back owed"))
	mark(r.Edited, schema.Textf("edited by hand"))
	mark(r.Unsaved && !r.Edited, schema.Textf("unsaved edit"))
	mark(r.Adopted, schema.Textf("adopted"))
	return out
}

// Quiet reports a finished chapter with nothing to say about it.
func (r ChapterRow) Quiet() bool {
	return r.State != nil && *r.State == schema.StateCommitted && !r.Duplicate && !r.Missing && !r.Damaged && !r.Edited && !r.Unsaved
}

func (w *work) row(c *state.Chapter) ChapterRow {
	r := ChapterRow{
		Key: string(c.Key), Title: w.title(c), Path: c.Path, Chars: c.Chars, Stale: c.Stale(), Adopted: c.Adopted(), Blocked: c.Blocked(),
		Debt: c.Debt(), Edited: c.Edited(), Unsaved: c.Unsaved, Missing: c.Missing, Duplicate: c.Duplicate, Damaged: c.Damaged, Foreign: c.Foreign(),
	}
	if c.Duplicate {
		r.Files = w.files(c.Key)
	}
	if n, ok := c.Number(); ok {
		r.Number = &n
	}
	r.State = stateOrNil(c.State)
	return r
}

// ChapterList lists the chapters in the order of the book.
func (s *Session) ChapterList(_ context.Context) ([]ChapterRow, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	rows := make([]ChapterRow, 0, len(w.rules.Chapters))
	for _, c := range w.rules.Chapters {
		rows = append(rows, w.row(c))
	}
	return rows, nil
}

// ChapterText is a chapter's text.
type ChapterText struct {
	Book    string         `json:"book"`
	Chapter string         `json:"chapter"`
	Key     string         `json:"key"`
	Title   string         `json:"title"`
	State   schema.State   `json:"state"`
	Version schema.Text    `json:"version"`
	Text    string         `json:"text"`
	Binding schema.Binding `json:"binding"`
}

// ChapterShow gives a chapter's text: on disk, or as it was in a state or revision. The chapter is found for reading: see
// readable.
func (s *Session) ChapterShow(_ context.Context, chapter, rev string) (*ChapterText, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.readable(chapter)
	if err != nil {
		return nil, err
	}
	text, version, err := s.side(w, c, rev)
	if err != nil {
		return nil, err
	}
	return &ChapterText{
		Book: string(w.name), Chapter: c.Key.ID(), Key: string(c.Key), Title: w.title(c), State: c.State, Version: version, Text: text, Binding: bind(c.Path, []byte(text)),
	}, nil
}

// ChapterPath gives the path of a chapter's file, relative to the library, with slashes. It looks at its own chapter only.
// A chapter that has no file yet gets the path that a new one would have.
func (s *Session) ChapterPath(_ context.Context, chapter string) (string, error) {
	snap, err := s.lib.Snapshot()
	if err != nil {
		return "", err
	}
	name, err := s.bookName(snap)
	if err != nil {
		return "", err
	}
	key, err := schema.ParseChapterKey(chapter)
	if err != nil {
		return "", err
	}
	found, err := s.lib.ChapterPaths(snap, name, key)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if _, numbered := key.Number(); !numbered {
			// Not a key that is there: a file name or a title, which only the whole book can tell.
			w, err := s.gather(snap)
			if err != nil {
				return "", err
			}
			if c, err := w.find(chapter); err != nil || c != nil && c.Path != "" {
				return pathOf(c), err
			}
		}
		cfg, err := s.lib.Config()
		if err != nil {
			return "", err
		}
		title := ""
		if o, err := s.lib.Outline(snap, name, key); err == nil && o != nil {
			title = o.Title
		}
		return schema.ChapterPath(name, schema.ChapterFileName(key, title, cfg.Chapters.Digits)), nil
	}
	twice := schema.Errorf(schema.CodeConflict, "chapter %s has %d files", string(key), len(found))
	for _, p := range found {
		twice = twice.WithDetails(schema.Fault{File: p, Rule: "chapter-duplicate", Msg: schema.Textf("one of the files")})
	}
	return "", twice
}

func pathOf(c *state.Chapter) string {
	if c == nil {
		return ""
	}
	return c.Path
}
