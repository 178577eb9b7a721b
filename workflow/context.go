package workflow

import (
	"context"
	"slices"

	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/state"
)

// ContextResult is the task book of a chapter: what the writer may see, within a budget.
type ContextResult struct {
	Book    string `json:"book"`
	Chapter string `json:"chapter"`
	*brief.TaskBook
}

// Render is the task book as text.
func (r *ContextResult) Render() string { return r.Text }

// recentSummaries is how many summaries of earlier chapters the task book is offered; the budget decides how many stay.
const recentSummaries = 12

// Context builds the five-section task book of a chapter, which need not exist yet. It reads only.
func (s *Session) Context(_ context.Context, chapter string, budget int) (*ContextResult, error) {
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.resolveOrNew(chapter)
	if err != nil {
		return nil, err
	}
	for _, owed := range w.owedNotes(c.Key) {
		s.notice(owed)
	}
	return s.taskBook(w, c, budget)
}

func (s *Session) taskBook(w *work, c *state.Chapter, budget int) (*ContextResult, error) {
	in := brief.Input{Book: string(w.name), Key: string(c.Key), MinChars: w.cfg.Chapters.MinChars, Budget: budget}
	in.Number, _ = c.Key.Number()
	var err error
	if in.Outline, err = w.outline(c.Key); err != nil {
		return nil, err
	}
	in.Memory = w.memoryBefore(c)
	before := w.before(c)
	if n := len(before); n > 0 {
		if text, err := w.chapterBytes(before[n-1]); err == nil {
			in.Previous = &brief.Chapter{Name: string(before[n-1].Key), Text: string(text)}
		}
	}
	sums, err := w.summaries()
	if err != nil {
		return nil, err
	}
	for _, x := range before[max(0, len(before)-recentSummaries):] {
		if e, ok := sums.Find(x.Key); ok {
			in.Summaries = append(in.Summaries, brief.Chapter{Name: string(x.Key), Text: e.Summary})
		}
	}
	all, err := s.settings(w)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(f brief.Chapter) bool { return f.Name == "风格契约" }); i >= 0 {
		in.Style = all[i].Text
		all = slices.Delete(all, i, i+1)
	}
	in.Settings = all
	set := s.genres()
	in.Strand, in.Genre = w.strandHint(in.Outline, set), set.Excerpt(w.cfg.Genre)
	if learned, _, err := w.patterns(); err == nil {
		for _, p := range learned.Patterns {
			in.Patterns = append(in.Patterns, p.Text)
		}
	} else {
		s.notice(schema.Textf("%s cannot be read and is left out: %s", schema.PatternsPath(w.name), firstFault(err)))
	}
	book, err := brief.Build(in)
	if err != nil {
		return nil, err
	}
	return &ContextResult{Book: string(w.name), Chapter: c.Key.ID(), TaskBook: book}, nil
}
