package workflow

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"git-novel/repo/gitstore"
	"git-novel/schema"
	"git-novel/workflow/state"
)

// TrailerRun names the agent run that saved a text. A re-check from that run is refused (DESIGN 5, Anti-AI).
const TrailerRun = "Novel-Run"

// ReviewTaskInput asks for a review task.
type ReviewTaskInput struct {
	Chapter string
	Kind    schema.TaskKind
	Dispute string // what a person holds against the last review
}

// ReviewTask hands out a review or re-check task: the text's blob and what to look at. The task is kept in the work area,
// so that its answer can be held against it.
func (s *Session) ReviewTask(_ context.Context, in ReviewTaskInput) (*schema.Task, error) {
	if in.Kind == "" {
		in.Kind = schema.TaskReview
	}
	if in.Kind != schema.TaskReview && in.Kind != schema.TaskRecheck {
		return nil, schema.Errorf(schema.CodeUsage, "a review task is of kind review or recheck, not %q", string(in.Kind))
	}
	w, err := s.look()
	if err != nil {
		return nil, err
	}
	c, err := w.resolve(in.Chapter)
	if err != nil {
		return nil, err
	}
	whole := &state.ReviewEvidence{Text: c.Text, Dims: w.rules.Rules.Dimensions}
	d := w.rules.Decide(c.Key, state.ReviewEvent{Record: whole})
	if in.Kind == schema.TaskRecheck && d.Allowed {
		d = w.unsavedRecheck(c)
	}
	if err := d.Error(schema.Textf("chapter %s is not up for review", string(c.Key))); err != nil {
		return nil, err
	}
	text, err := w.chapterText(c)
	if err != nil {
		return nil, err
	}
	return s.newTask(w, c, text, in)
}

func (s *Session) newTask(w *work, c *state.Chapter, text []byte, in ReviewTaskInput) (*schema.Task, error) {
	nonce := make([]byte, 8)
	if _, err := rand.Read(nonce); err != nil {
		return nil, schema.Wrap(err, schema.CodeUnexpected, "no random number for the task's id")
	}
	b := bind(c.Path, text)
	savedBy, err := s.savedBy(w, c, b.Blob, "")
	if err != nil {
		return nil, err
	}
	t := &schema.Task{
		Schema: schema.SchemaTask, Kind: in.Kind, Book: string(w.name), Chapter: c.Key.ID(), Blob: b.Blob, Path: b.Path, Chars: b.Chars,
		Round: w.round(c), Dispute: in.Dispute, SavedBy: savedBy, Inputs: map[string]any{},
	}
	t.ID = schema.TaskID(t.Kind, t.Book, t.Chapter, t.Blob, t.Round, hex.EncodeToString(nonce))
	if in.Kind == schema.TaskRecheck {
		t.Inputs["dimensions"] = []schema.Category{schema.CategoryAIFlavor}
	} else {
		t.Inputs["dimensions"] = append(w.rules.Rules.Dimensions.List(), aiFlavorOf(w)...)
	}
	if path := schema.OutlinePath(w.name, c.Key.ID()); w.has(path) {
		t.Inputs["outline"] = path
	}
	if path := schema.ReviewPath(w.name, c.Key.ID()); c.Review != nil {
		t.Inputs["last_review"] = path
	}
	if in.Dispute != "" {
		t.Inputs["dispute"] = in.Dispute
	}
	if holds := s.contractInput(w, c.Key); holds != nil {
		t.Inputs["contracts"] = holds
	}
	data, err := schema.Marshal(t)
	if err != nil {
		return nil, err
	}
	return t, s.writeTemp(schema.TaskPath(w.name, t.Chapter, t.ID), data)
}

// aiFlavorOf asks for ai_flavor too, so that a first review can complete the evidence by itself.
func aiFlavorOf(w *work) []schema.Category {
	if w.rules.Rules.Dimensions.Covers(schema.CategoryAIFlavor) {
		return nil
	}
	return []schema.Category{schema.CategoryAIFlavor}
}

// task reads a task that was handed out; nil when there is none of that id.
func (s *Session) task(w *work, key schema.ChapterKey, id string) (*schema.Task, error) {
	if err := schema.CheckTaskID(id); err != nil {
		return nil, err
	}
	path := schema.TaskPath(w.name, key.ID(), id)
	data, err := s.lib.ReadFile(path)
	if schema.CodeOf(err) == schema.CodeNotFound {
		return nil, nil //nolint:nilnil // no such task is an answer
	}
	if err != nil {
		return nil, err
	}
	return schema.ParseTask(path, data)
}

// savedBy is the agent run that saved a text, "" when a person did. It is read from the commits that name the text: the
// oldest of them that brought it counts, unless the run that is asked about saved it too, which is answered then. A rename
// that changed the heading is followed to the text before it.
func (s *Session) savedBy(w *work, c *state.Chapter, blob schema.OID, asked string) (string, error) {
	run, looked := "", 0
	if w.snap.Commit().IsZero() {
		return "", nil
	}
	err := s.lib.Store().Log(w.snap.Commit(), func(k *gitstore.Commit) (bool, error) {
		looked++
		m, ok := schema.ParseMessage(k.Message)
		if !ok || m.Book != string(w.name) || m.ChapterID != c.Key.ID() || m.Text != blob {
			return looked < maxLookBack, nil
		}
		before := schema.OID{}
		if len(k.Parents) > 0 {
			parent, err := s.lib.Store().Commit(k.Parents[0])
			if err != nil {
				return false, err
			}
			if before, err = s.chapterAt(w, c, parent); err != nil {
				return false, err
			}
		}
		if before == blob {
			return looked < maxLookBack, nil // a record of the text, which was there already
		}
		run, _ = m.Trailer(TrailerRun)
		if run != "" && run == asked {
			return false, nil
		}
		if m.Verb == schema.VerbRename && !before.IsZero() {
			blob = before
		}
		return looked < maxLookBack, nil
	})
	return run, err
}

// maxLookBack bounds the search for the commits that saved a text: they are among the last of the book.
const maxLookBack = 2000
