package workflow

import (
	"context"
	"fmt"

	"git-novel/schema"
	"git-novel/workflow/agent"
	"git-novel/workflow/state"
)

// RecheckInput is an anti-AI re-check that answers a task.
type RecheckInput struct {
	Chapter string
	File    File
	Task    string
}

// ReviewRecheck records the independent anti-AI re-check of a polished text. It counts only as the answer to its own task,
// for the text that the task was given for, and never from the run that saved that text. The task is used up by it.
func (s *Session) ReviewRecheck(ctx context.Context, in RecheckInput) (*ReviewResult, error) {
	return s.reviewRecheck(ctx, in, nil)
}

// reviewRecheck is ReviewRecheck; made is what one of our own agents answered with, nil when the result was handed in.
func (s *Session) reviewRecheck(ctx context.Context, in RecheckInput, made *agent.Result) (*ReviewResult, error) {
	used := ""
	r, err := s.record(ctx, in.Chapter, func(w *work, c *state.Chapter, text []byte) (*evidenceRecord, state.Decision, error) {
		no := func(err error) (*evidenceRecord, state.Decision, error) { return nil, state.Decision{}, err }
		input, err := schema.ParseRecheckInput(in.File.Name, in.File.Data, schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c)})
		if err != nil {
			return no(err)
		}
		if input.Task != "" && input.Task != in.Task {
			return no(schema.Errorf(schema.CodeInvalid, "the re-check says it answers task %s, --task says %s", input.Task, in.Task))
		}
		if made != nil {
			input.Producer, input.Run = made.Producer, made.Run
		} else if err := s.claims(input); err != nil {
			return no(err)
		}
		task, err := s.task(w, c.Key, in.Task)
		if err != nil {
			return no(err)
		}
		if task != nil {
			used = schema.TaskPath(w.name, task.Chapter, task.ID)
		}
		rec := w.newRecheck(c, text, input, task)
		e := state.RecheckOf(rec)
		savedBy, err := s.savedBy(w, c, schema.HashBlob(text), rec.Run)
		if err != nil {
			return no(err)
		}
		if d := w.unsavedRecheck(c); !d.Allowed {
			return nil, d, nil
		}
		return &evidenceRecord{
			path: schema.RecheckPath(w.name, c.Key.ID()), value: rec, issues: rec.Issues, round: max(w.round(c)-1, 1), blocking: rec.Blocking,
			verb: schema.VerbReview, subject: fmt.Sprintf("去AI味复检 %d 阻断", rec.Blocking),
			apply: func(c *state.Chapter) { c.Recheck = e },
		}, w.rules.Decide(c.Key, state.RecheckEvent{Record: e, Task: task, SavedBy: savedBy}), nil
	})
	if err == nil && used != "" {
		s.removeTemp(used)
	}
	return r, err
}

// unsavedRecheck refuses a re-check of a text that nobody has saved: who wrote it is not known then, and it might be the
// one who re-checks it.
func (w *work) unsavedRecheck(c *state.Chapter) state.Decision {
	if !c.Open() || !c.Unsaved {
		return state.Decision{Allowed: true}
	}
	return state.Decision{
		From: c.State, Next: c.State, Do: state.Next(w.rules, c),
		Faults: []schema.Fault{{File: c.Path, Rule: "recheck-unsaved", Msg: schema.Textf("the polished text of chapter %s is not saved yet", string(c.Key))}},
	}
}

// newRecheck makes the record of a re-check. The text that it speaks of is the one the reviewer names, else its task's.
func (w *work) newRecheck(c *state.Chapter, text []byte, in *schema.ReviewInput, task *schema.Task) *schema.Recheck {
	producer, depth := producerOf(in)
	b := bind(c.Path, text)
	taskID, run := "", in.Run
	if task != nil {
		b.Blob, taskID = task.Blob, task.ID
		run = orElse(run, agent.RunID(*task, producer))
	}
	if in.TextBlob != nil {
		b.Blob = *in.TextBlob
	}
	for i := range in.Issues {
		// Ids that were given out here say whose they are: a review of the same round numbers its issues the same way.
		if in.Issues[i].ID == fmt.Sprintf("r%d-%d", w.round(c), i+1) {
			in.Issues[i].ID = "k" + in.Issues[i].ID[1:]
		}
	}
	blocking := in.Blocking()
	return &schema.Recheck{
		Schema: schema.SchemaRecheck, Book: string(w.name), Chapter: c.Key.ID(), Task: taskID, Run: run, Producer: producer, Depth: depth,
		Text: b, Dimensions: in.Dimensions, Issues: in.Issues, IssuesCount: len(in.Issues), Blocking: blocking, HasBlocking: blocking > 0,
		Summary: in.Summary,
	}
}
