package workflow

import (
	"context"
	"strings"
	"time"

	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// LogRow is one commit of the book's history.
type LogRow struct {
	Commit  string        `json:"commit"`
	When    time.Time     `json:"when"`
	Author  string        `json:"author"`
	Verb    string        `json:"verb,omitempty"`
	Chapter string        `json:"chapter,omitempty"`
	From    *schema.State `json:"from"` // both null in a commit that moves no chapter; one null where it enters or leaves
	To      *schema.State `json:"to"`
	Text    string        `json:"text,omitempty"`
	Subject string        `json:"subject"`
}

// Log lists the commits of the book, or of one chapter, newest first. A commit that was made without git-novel is listed
// when it changed the chapter's file or records.
func (s *Session) Log(_ context.Context, chapter string) ([]LogRow, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	only := schema.ChapterKey("")
	if chapter != "" {
		c, err := w.resolveOrNew(chapter)
		if err != nil {
			return nil, err
		}
		only = c.Key
	}
	rows := []LogRow{}
	if w.snap.Commit().IsZero() {
		return rows, nil
	}
	err = s.lib.Store().Log(w.snap.Commit(), func(c *gitstore.Commit) (bool, error) {
		m, ours := schema.ParseMessage(c.Message)
		switch {
		case ours && m.Book != "" && m.Book != string(w.name):
			return true, nil
		case only != "" && ours && m.ChapterID != "" && m.ChapterID != only.ID():
			return true, nil
		case !ours || only != "" && m.ChapterID == "":
			touched, err := s.touches(w, c, only)
			if err != nil || !touched {
				return true, err
			}
		}
		rows = append(rows, logRow(c, m, ours))
		return true, nil
	})
	return rows, err
}

func logRow(c *gitstore.Commit, m schema.Message, ours bool) LogRow {
	subject, _, _ := strings.Cut(c.Message, "\n")
	r := LogRow{Commit: c.ID.String(), When: c.Author.When, Author: c.Author.Name, Subject: subject}
	if !ours {
		return r
	}
	r.Verb, r.Chapter = m.Verb, m.ChapterID
	if m.From != m.To {
		r.From, r.To = stateOrNil(m.From), stateOrNil(m.To)
	}
	if !m.Text.IsZero() {
		r.Text = m.Text.String()
	}
	return r
}

// stateOrNil is a state as JSON shows it: none is null.
func stateOrNil(st schema.State) *schema.State {
	if st == schema.StateNone {
		return nil
	}
	return &st
}

// touches reports whether a commit changed the book, or the chapter when one is named, against its first parent.
func (s *Session) touches(w *work, c *gitstore.Commit, only schema.ChapterKey) (bool, error) {
	store := s.lib.Store()
	parent := schema.OID{}
	if len(c.Parents) > 0 {
		p, err := store.Commit(c.Parents[0])
		if err != nil {
			return false, err
		}
		parent = p.Tree
	}
	for _, dir := range []string{schema.BookDir(w.name), schema.BookDataDir(w.name)} {
		a, _, err := store.Lookup(parent, dir)
		if err != nil {
			return false, err
		}
		b, _, err := store.Lookup(c.Tree, dir)
		if err != nil {
			return false, err
		}
		if a.ID == b.ID {
			continue
		}
		if only == "" {
			return true, nil
		}
		found := false
		err = store.Diff(parent, c.Tree, dir, func(ch gitstore.Change) error {
			found = found || w.owns(ch.Path, only)
			return nil
		})
		if err != nil || found {
			return found, err
		}
	}
	return false, nil
}
