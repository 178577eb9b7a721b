package workflow

import (
	"context"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/brief"
	"git-novel/workflow/memory"
	"git-novel/workflow/review"
	"git-novel/workflow/state"
)

// DefaultBudget is the token budget of a task book when none is asked for.
const DefaultBudget = brief.DefaultBudget

// earlierChapters is how many chapters before this one the built-in reviewer holds against it for repeated paragraphs: a
// text that was pasted twice comes from nearby.
const earlierChapters = 200

// isBuiltin reports a producer that is one of our own agents.
func isBuiltin(producer string) bool { return strings.HasPrefix(producer, agent.BuiltinPrefix) }

// before lists the chapters of the book that stand before c, in order.
func (w *work) before(c *state.Chapter) []*state.Chapter {
	at := slices.Index(w.rules.Chapters, c)
	if at < 0 {
		at = slices.IndexFunc(w.rules.Chapters, func(x *state.Chapter) bool { return x.Key == c.Key })
	}
	if at < 0 { // not in the book yet: everything with a lower number, or all of it
		n, numbered := c.Key.Number()
		at = len(w.rules.Chapters)
		for i, x := range w.rules.Chapters {
			if m, ok := x.Number(); numbered && ok && m >= n {
				at = i
				break
			}
		}
	}
	return w.rules.Chapters[:at]
}

// memoryBefore is what the committed chapters before c recorded.
func (w *work) memoryBefore(c *state.Chapter) *memory.View {
	var at spot
	var damaged []string
	err := w.s.withKnownOf(context.Background(), w.snap, w.name, []part{memoryPart{}}, func(k *known) (err error) {
		if at, err = k.spotOf(string(c.Key)); err == nil {
			damaged, err = k.damagedRecords(at.pos)
		}
		return err
	})
	if err != nil {
		return w.foldBefore(c)
	}
	for _, p := range damaged {
		w.s.notice(schema.Textf("%s cannot be read and is left out of the memory", p))
	}
	return memory.Load(pastStore{w.s, w.snap, w.name}, at.before(), at.pos)
}

// foldBefore is memoryBefore from the records themselves.
func (w *work) foldBefore(c *state.Chapter) *memory.View {
	fold := memory.New()
	number, place := 0, 0
	for _, x := range w.before(c) {
		if n, ok := x.Number(); ok {
			number, place = n, 0
		} else {
			place++
		}
		if x.State != schema.StateCommitted || x.Commit == nil || !x.Commit.Extracted {
			continue
		}
		rec, err := w.commit(x.Key)
		if err != nil {
			w.s.notice(schema.Textf("the record of chapter %s cannot be read and is left out of the memory", string(x.Key)))
			continue
		}
		fold.Put(memory.Step{ID: x.Key.ID(), Number: number, Place: place, Commit: rec})
	}
	return fold.Now()
}

// job is a task for a built-in agent about a chapter's text.
func (w *work) job(kind schema.TaskKind, c *state.Chapter, text []byte) agent.Job {
	b := bind(c.Path, text)
	t := schema.Task{
		Schema: schema.SchemaTask, Kind: kind, Book: string(w.name), Chapter: c.Key.ID(), Blob: b.Blob, Path: b.Path, Chars: b.Chars, Round: w.round(c),
	}
	t.ID = schema.TaskID(kind, t.Book, t.Chapter, t.Blob, t.Round, "")
	return agent.Job{Task: t, Text: string(text)}
}

// run has a built-in agent answer a job.
func runBuiltin(ctx context.Context, role schema.Role, job agent.Job) (*agent.Result, error) {
	r, err := agent.Builtin(string(role))
	if err != nil {
		return nil, err
	}
	return r.Run(ctx, job)
}

// reviewInput gathers what the built-in reviewer reads besides the text.
func (s *Session) reviewInput(w *work, c *state.Chapter) (*review.Input, error) {
	outline, err := w.outline(c.Key)
	if err != nil {
		return nil, err
	}
	view := w.memoryBefore(c)
	flavor, err := s.flavor()
	if err != nil {
		return nil, err
	}
	in := &review.Input{Number: -1, Outline: outline, Memory: view, Flavor: flavor, MinChars: w.cfg.Chapters.MinChars}
	if in.MinChars == 0 {
		in.MinChars = -1
	}
	if n, ok := c.Key.Number(); ok {
		in.Number = n
	}
	earlier := w.before(c)
	earlier = earlier[max(0, len(earlier)-earlierChapters):]
	for _, x := range earlier {
		if text, err := w.chapterBytes(x); err == nil {
			in.Earlier = append(in.Earlier, review.PrintsOf(string(x.Key), string(text)))
		}
	}
	return in, nil
}

// flavor is the library's list of AI-flavour phrases; the built-in one when there is none.
func (s *Session) flavor() (*review.Flavor, error) {
	data, err := s.lib.ReadFile(schema.AIFlavorPath)
	switch {
	case err == nil:
		return review.ParseFlavor(schema.AIFlavorPath, data)
	case schema.CodeOf(err) == schema.CodeNotFound:
		return review.DefaultFlavor(), nil
	}
	return nil, err
}

// settings reads the author's settings files, by name.
func (s *Session) settings(w *work) ([]brief.Chapter, error) {
	paths, err := s.lib.ListFiles(schema.SettingsDir(w.name))
	if err != nil {
		return nil, err
	}
	var out []brief.Chapter
	for _, p := range paths {
		if !strings.HasSuffix(p, ".md") {
			continue
		}
		data, err := s.lib.ReadFile(p)
		if err != nil {
			return nil, err
		}
		name := p[strings.LastIndexByte(p, '/')+1:]
		out = append(out, brief.Chapter{Name: strings.TrimSuffix(name, ".md"), Text: string(data)})
	}
	return out, nil
}
