package workflow

import (
	"path"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// readable finds a chapter for reading it (reference 1.8), where a person may be less exact than in a command that changes
// something: an exact file name, then what find takes, then a part of a title or of a file name. A number that several files
// have, and a part that several chapters have, is CodeConflict with the list; a number never falls back to titles.
func (w *work) readable(arg string) (*state.Chapter, error) {
	arg = schema.TrimJS(arg)
	if c := w.byFile(arg); c != nil {
		return c, nil
	}
	c, err := w.find(arg)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return w.byPart(arg)
	}
	if files := w.files(c.Key); len(files) > 1 {
		return nil, several(c.Key, files)
	}
	return c, nil
}

// byFile finds the chapter that has a file of this name. Of a chapter with several files it is that one.
func (w *work) byFile(name string) *state.Chapter {
	for _, c := range w.rules.Chapters {
		if c.Path != "" && strings.EqualFold(path.Base(c.Path), name) {
			return c
		}
	}
	for _, d := range w.book.Duplicates {
		for _, p := range d.Paths {
			if strings.EqualFold(path.Base(p), name) {
				c := *w.chapter(d.Key)
				c.Path, c.Missing = p, false
				return &c
			}
		}
	}
	return nil
}

func (w *work) byPart(part string) (*state.Chapter, error) {
	var found []*state.Chapter
	if key, err := schema.ParseChapterKey(part); err == nil {
		if _, numbered := key.Number(); !numbered {
			for _, c := range w.rules.Chapters {
				if strings.Contains(w.titles[c.Key], part) || strings.Contains(path.Base(c.Path), part) {
					found = append(found, c)
				}
			}
		}
	}
	switch len(found) {
	case 0:
		return w.resolve(part)
	case 1:
		return found[0], nil
	}
	err := schema.Errorf(schema.CodeConflict, "%d chapters are called %s", len(found), part).WithHint("name one by its number or key")
	for _, c := range found {
		err = err.WithDetails(schema.Fault{File: c.Path, Msg: schema.Textf("chapter %s", string(c.Key))})
	}
	return nil, err
}

// files lists the files of a chapter that has several, none of any other.
func (w *work) files(key schema.ChapterKey) []string {
	for _, d := range w.book.Duplicates {
		if schema.SameKey(d.Key, key) {
			return d.Paths
		}
	}
	return nil
}

func several(key schema.ChapterKey, files []string) error {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = path.Base(f)
	}
	n, numbered := key.Number()
	err := schema.Errorf(schema.CodeConflict, schema.ChapterAmbiguous, n, len(files), strings.Join(names, "、"))
	if !numbered {
		err = schema.Errorf(schema.CodeConflict, "chapter %s has %d files", string(key), len(files))
	}
	for _, f := range files {
		err = err.WithDetails(schema.Fault{File: f, Rule: "chapter-duplicate", Msg: schema.Textf("one of the files")})
	}
	return err
}
