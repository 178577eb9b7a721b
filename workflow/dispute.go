package workflow

import (
	"strings"

	"git-novel/schema"
	"git-novel/workflow/state"
)

// disputeOf is what a person holds against the last review, from the task that a review answers: the one that it names,
// else one for this text and round that lies open. "" when nobody disputed anything.
func (s *Session) disputeOf(w *work, c *state.Chapter, taskID string, text []byte) string {
	if taskID != "" && schema.CheckTaskID(taskID) == nil {
		if t, err := s.task(w, c.Key, taskID); err == nil && t != nil {
			return t.Dispute
		}
		return ""
	}
	paths, err := s.lib.ListFiles(schema.TmpChapterDir(w.name, c.Key.ID()))
	if err != nil {
		return "" // the work area is no evidence: without it the dispute is only not told again
	}
	blob, round := schema.HashBlob(text), w.round(c)
	for _, p := range paths {
		if !strings.HasPrefix(p[strings.LastIndexByte(p, '/')+1:], "task-") {
			continue
		}
		data, err := s.lib.ReadFile(p)
		if err != nil {
			continue
		}
		t, err := schema.ParseTask(p, data)
		if err == nil && t.Kind == schema.TaskReview && t.Dispute != "" && t.Blob == blob && t.Round == round {
			return t.Dispute
		}
	}
	return ""
}
