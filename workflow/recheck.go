package workflow

import (
	"context"
	"fmt"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// RecheckInput is an anti-AI re-check that answers a task.
type RecheckInput struct {
	Chapter string
	File    File
	Task    string
}

// ReviewRecheck records the independent anti-AI re-check of a polished text. It counts only as the answer to its own task,
// for the text that the task was given for, and never from the run that saved that text.
func (s *Session) ReviewRecheck(ctx context.Context, in RecheckInput) (*ReviewResult, error) {
	return s.reviewRecheck(ctx, in, "")
}

// reviewRecheck is ReviewRecheck with the producer that ran the re-check, when it was one of our own agents.
func (s *Session) reviewRecheck(ctx context.Context, in RecheckInput, producer string) (*ReviewResult, error) {
	return s.record(ctx, in.Chapter, func(w *work, c *state.Chapter, text []byte) (*evidenceRecord, state.Decision, error) {
		input, err := schema.ParseRecheckInput(in.File.Name, in.File.Data, schema.ReviewWant{Book: string(w.name), Chapter: c.Key.ID(), Round: w.round(c)})
		if err != nil {
			return nil, state.Decision{}, err
		}
		input.Producer = orElse(producer, input.Producer)
		task, err := s.task(w, c.Key, in.Task)
		if err != nil {
			return nil, state.Decision{}, err
		}
		savedBy, err := s.savedBy(w, c.Key, schema.HashBlob(text))
		if err != nil {
			return nil, state.Decision{}, err
		}
		rec := w.newRecheck(c, text, input, task, s.o.Actor.Run)
		d := w.rules.Decide(c.Key, state.RecheckEvent{Record: state.RecheckOf(rec), Task: task, SavedBy: savedBy})
		return &evidenceRecord{
			path: schema.RecheckPath(w.name, c.Key.ID()), value: rec, issues: rec.Issues, round: w.round(c), blocking: rec.Blocking,
			verb: schema.VerbReview, subject: fmt.Sprintf("去AI味复检 %d 阻断", rec.Blocking),
		}, d, nil
	})
}

// newRecheck makes the record of a re-check. The text that it speaks of is the one the reviewer names, else its task's.
func (w *work) newRecheck(c *state.Chapter, text []byte, in *schema.ReviewInput, task *schema.Task, run string) *schema.Recheck {
	producer, depth := in.Producer, schema.DepthAgent
	switch {
	case producer == "":
		producer = "agent:reviewer"
	case isBuiltin(producer):
		depth = schema.DepthMechanical
	}
	b := bind(c.Path, text)
	taskID := ""
	if task != nil {
		b.Blob, taskID = task.Blob, task.ID
	}
	if in.TextBlob != nil {
		b.Blob = *in.TextBlob
	}
	if in.Run != "" {
		run = in.Run
	}
	blocking := in.Blocking()
	return &schema.Recheck{
		Schema: schema.SchemaRecheck, Book: string(w.name), Chapter: c.Key.ID(), Task: taskID, Run: run, Producer: producer, Depth: depth,
		Text: b, Dimensions: in.Dimensions, Issues: in.Issues, IssuesCount: len(in.Issues), Blocking: blocking, HasBlocking: blocking > 0,
		Summary: in.Summary,
	}
}
