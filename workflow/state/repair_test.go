package state

import (
	"testing"

	"git-novel/schema"
)

// TestTakenBack: what an illegal commit did is told there, and a commit that takes it back is legal and no new acceptance.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	record := schema.CommitPath(shelfBook, one.ID())
	tests := []struct {
		name string
		do   func(h *history)
	}{
		{"text deleted", func(h *history) { delete(h.files, h.path(one)) }},
		{"text edited", func(h *history) { h.setText(one, h.text(one)+"多一句。\n") }},
		{"record deleted", func(h *history) { delete(h.files, record) }},
		{"record damaged", func(h *history) { h.put(record, []byte("{")) }},
		{"state forward without evidence", func(h *history) { h.setState("0002", schema.StateReviewed) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := startedBook(t)
			before := h.tree()
			tt.do(h)
			v := h.try(t)
			if len(v.Faults) == 0 {
				t.Fatal("the offence is not told")
			}
			h.fold.State = v.State
			h.trees, h.at = append(h.trees, h.tree()), append(h.at, v.State)
			h.files = before
			step := h.step(h.last(), h.tree())
			back, err := Check(h.fold.State, step)
			if err != nil || len(back.Faults) > 0 {
				t.Fatalf("taking it back: %v %v", back.Faults, err)
			}
			for _, m := range back.Moves {
				if m.Accepted {
					t.Errorf("taking it back counts as an acceptance: %+v", m)
				}
			}
		})
	}
}
