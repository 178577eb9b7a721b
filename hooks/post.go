package hooks

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow"
)

// restoreDrafts puts back the draft segments that a merge or a checkout destroyed. It never fails: git has done its work
// already. It does not wait for a command that is under way, which looks after the drafts itself.
func (r *run) restoreDrafts(ctx context.Context) {
	o := r.o
	o.Wait = -1
	s, err := workflow.Open(ctx, o)
	if err != nil {
		if schema.CodeOf(err) != schema.CodeNotLibrary {
			r.notes = append(r.notes, schema.Textf("lost draft segments could not be looked for: %s", err.Error()))
		}
		return
	}
	defer s.Close()
	r.notes = append(r.notes, s.Notices()...)
}
