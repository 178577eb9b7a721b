package workflow

import (
	"context"
	"errors"
	"iter"

	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/state"
)

// WriteInput is the six-step flow for one chapter (seed harness_v6, 4.2).
type WriteInput struct {
	Chapter  string
	Text     []byte // nil takes the draft mirror, or what was saved before
	File     string // what the text was called where it came from, for messages
	Segments string // which segments of the mirror make the chapter
	Title    string
}

// StepStatus says how a step ended.
type StepStatus string

// The ways a step ends.
const (
	StepDone    StepStatus = "done"
	StepSkipped StepStatus = "skipped" // its result was there already, or there is nothing to do
	StepBlocked StepStatus = "blocked" // the flow stops here until somebody acts
)

// WriteStep is one finished step.
type WriteStep struct {
	Step   string         `json:"step"`
	Name   schema.Text    `json:"name"`
	Status StepStatus     `json:"status"`
	Detail schema.Text    `json:"detail,omitzero"`
	Commit string         `json:"commit,omitempty"`
	Tokens int            `json:"tokens,omitempty"` // estimated, of what the step gives an agent to read
	Issues []schema.Issue `json:"issues,omitempty"`
	Notes  []schema.Text  `json:"notes,omitempty"`
	Owed   []schema.Text  `json:"owed,omitempty"` // what other chapters wait for
	Next   []state.Action `json:"next,omitempty"`
	Backup *BackupResult  `json:"backup,omitempty"`
}

// WriteReport is all steps of one run.
type WriteReport struct {
	Chapter string      `json:"chapter"`
	Done    bool        `json:"done"`
	Tokens  int         `json:"tokens"` // of all steps
	Steps   []WriteStep `json:"steps"`
}

// Add takes a step into the report.
func (r *WriteReport) Add(s WriteStep) {
	r.Steps = append(r.Steps, s)
	r.Tokens += s.Tokens
	r.Done = s.Step == "6" && s.Status != StepBlocked
}

// writing is one run of the flow.
type writing struct {
	s     *Session
	ctx   context.Context
	in    WriteInput
	key   schema.ChapterKey
	yield func(*WriteStep, error) bool
}

// errStopped ends the flow when the caller wants no more steps.
var errStopped = errors.New("stopped")

// Write takes one chapter through the six steps with the agents that are configured, else the built-in ones. It resumes from the recorded state: what was done
// is skipped. Each step comes as a value when it is finished; the last pair carries the error that ended the flow, if any.
// A review that blocks ends it with CodeRule; a failed push with CodeGit and the chapter committed.
func (s *Session) Write(ctx context.Context, in WriteInput) iter.Seq2[*WriteStep, error] {
	return func(yield func(*WriteStep, error) bool) {
		run := &writing{s: s, ctx: ctx, in: in, yield: yield}
		if err := run.all(); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

func (r *writing) all() error {
	if r.in.Text != nil && r.in.Segments != "" {
		return schema.Errorf(schema.CodeUsage, "give a text or --segments, not both")
	}
	w, _, err := r.now()
	if err != nil {
		return err
	}
	held, err := r.s.lib.LockBook(r.ctx, string(w.name))
	if err != nil {
		return err
	}
	defer held.Release()
	for _, step := range []func() error{r.preflight, r.context, r.draft, r.review, r.polish, r.writeBack, r.backup} {
		if r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (r *writing) done(step string, name schema.Text, status StepStatus, detail schema.Text) *WriteStep {
	return &WriteStep{Step: step, Name: name, Status: status, Detail: detail}
}

func (r *writing) give(st *WriteStep) error {
	if !r.yield(st, nil) {
		return errStopped
	}
	return nil
}

// now looks at the chapter afresh: another command may have been at work.
func (r *writing) now() (*work, *state.Chapter, error) {
	w, err := r.s.look()
	if err != nil {
		return nil, nil, err
	}
	if r.key == "" {
		c, err := w.resolveOrNew(r.in.Chapter)
		if err != nil {
			return nil, nil, err
		}
		r.key = c.Key
	}
	return w, w.chapter(r.key), nil
}

// preflight is step 0.5: may this chapter be worked on now?
func (r *writing) preflight() error {
	name := schema.Textf("preflight")
	w, c, err := r.now()
	if err != nil {
		return err
	}
	if _, _, err := r.s.lib.Store().Identity(); err != nil {
		return err
	}
	d, what := w.rules.Decide(c.Key, state.SaveEvent{}), schema.Textf("chapter %s cannot go on now", string(c.Key))
	if c.State == schema.StateNone {
		d, what = w.rules.Decide(c.Key, state.StartEvent{}), schema.Textf("chapter %s cannot start now", string(c.Key))
	}
	if !d.Allowed {
		st := r.done("0.5", name, StepBlocked, what)
		st.Next, st.Owed = d.Do, w.owedNotes(c.Key)
		if err := r.give(st); err != nil {
			return err
		}
		return d.Error(what)
	}
	detail := schema.Textf("%s is %s", string(c.Key), c.State)
	if c.State == schema.StateNone {
		detail = schema.Textf("%s may start", string(c.Key))
	}
	st := r.done("0.5", name, StepDone, detail)
	st.Owed = w.owedNotes(c.Key)
	return r.give(st)
}

// context is step 1: the task book.
func (r *writing) context() error {
	name := schema.Textf("context")
	w, c, err := r.now()
	if err != nil {
		return err
	}
	if c.State.Rank() >= schema.StateDrafted.Rank() && r.in.Text == nil {
		return r.give(r.done("1", name, StepSkipped, schema.Textf("the text is there already")))
	}
	book, err := r.s.agentTaskBook(r.ctx, w, c)
	if err != nil {
		return r.agentFailed("1", name, schema.Textf("the context agent failed; nothing was changed"), err)
	}
	if book == nil {
		if book, err = r.s.taskBook(w, c, DefaultBudget); err != nil {
			return err
		}
	}
	path := schema.TmpChapterDir(w.name, c.Key.ID()) + "/" + agent.FileTaskBook
	if err := r.s.writeTemp(path, []byte(book.Text)); err != nil {
		return err
	}
	st := r.done("1", name, StepDone, schema.Textf("task book of %d tokens: %s", book.Tokens, path))
	st.Tokens = book.Tokens
	return r.give(st)
}

// draft is step 2: the text enters git as drafted.
func (r *writing) draft() error {
	name := schema.Textf("draft")
	w, c, err := r.now()
	if err != nil {
		return err
	}
	text, run := r.in.Text, ""
	switch {
	case c.State == schema.StateCommitted:
		if text != nil && schema.HashBlob(text) != c.Text {
			return schema.Errorf(schema.CodeRule, "chapter %s is committed: its text changes only by retcon", string(c.Key)).
				WithHint("git novel retcon %s --reason R --file F", w.rules.Arg(c.Key))
		}
		return r.give(r.done("2", name, StepSkipped, schema.Textf("the chapter is committed")))
	case c.State != schema.StateNone && text == nil && !c.Unsaved:
		return r.drafted(name, w, c)
	case c.State == schema.StateNone && text == nil && c.Text.IsZero():
		if text, run, err = r.writtenText(name, w, c); err != nil {
			return err
		}
	}
	var saved *SaveResult
	save := func() error {
		if c.State == schema.StateNone && text != nil {
			title := r.in.Title
			if title == "" && headingTitle(text, c.Key) == "" {
				if o, err := w.outline(c.Key); err == nil && o != nil {
					title = o.Title
				}
			}
			saved, err = r.s.ChapterNew(r.ctx, ChapterNewInput{Chapter: arg(c.Key), Title: title, Text: text, File: r.in.File})
			return err
		}
		saved, err = r.s.ChapterSave(r.ctx, SaveInput{Chapter: arg(c.Key), Text: text, File: r.in.File})
		return err
	}
	if err := r.s.asRun(orElse(run, r.s.o.Actor.Run), save); err != nil {
		return err
	}
	if !saved.Changed {
		return r.drafted(name, w, c)
	}
	st := r.done("2", name, StepDone, schema.Textf("%s, %d characters", saved.Path, saved.Text.Chars))
	st.Commit, st.Notes = saved.Commit, saved.Notes
	return r.give(st)
}

// drafted skips the step of a chapter that has its text.
func (r *writing) drafted(name schema.Text, w *work, c *state.Chapter) error {
	st := r.done("2", name, StepSkipped, schema.Textf("drafted before, %d characters", c.Chars))
	if r.in.Segments != "" {
		st.Notes = append(st.Notes, schema.Textf("--segments was not used: the chapter has a text; `git novel chapter discard %s` takes it out", w.rules.Arg(c.Key)))
	}
	return r.give(st)
}

// writtenText is the text of a chapter that has none yet: the writer agent's, with its run, else the draft's.
func (r *writing) writtenText(name schema.Text, w *work, c *state.Chapter) (text []byte, run string, err error) {
	if r.in.Segments == "" {
		res, err := r.s.agentText(r.ctx, w, c)
		if err != nil {
			return nil, "", r.agentFailed("2", name, schema.Textf("the writer failed; nothing was changed"), err)
		}
		if res != nil {
			return res.Files[agent.FileText], res.Run, nil
		}
	}
	text, err = r.fromDraft(w)
	return text, "", err
}

// fromDraft joins the segments of the draft mirror.
func (r *writing) fromDraft(w *work) ([]byte, error) {
	segments, err := r.s.draftSegments(w, r.key)
	if err != nil {
		return nil, err
	}
	text, err := agent.Write(agent.WriteInput{Segments: segments, Choice: r.in.Segments})
	return []byte(text), err
}
