package state

import (
	"maps"
	"strings"
	"testing"

	"git-novel/schema"
)

// worn is a book that could not be made in one commit any more: its newest full review blocks, a summary was taken out, and
// the rules have been tightened since.
func worn(t *testing.T) *history {
	t.Helper()
	h := startedBook(t)
	h.review(two, true)
	h.keep(t, "review")
	h.review(two, true, someIssue(true))
	h.keep(t, "a later review that blocks")
	delete(h.files, schema.SummariesPath(shelfBook))
	h.keep(t, "summary taken out")
	h.put(schema.ConfigPath, []byte("rules = 1\n[review]\ndimensions = [\"setting\", \"timeline\", \"continuity\", \"character\", \"logic\", \"pacing\"]\n"))
	h.keep(t, "tightened rules")
	return h
}

// take removes the book and gives its files.
func (h *history) take() map[string]schema.OID {
	out := map[string]schema.OID{}
	for p, id := range h.files {
		if schema.ParsePath(p).Book == shelfBook {
			out[p] = id
			delete(h.files, p)
		}
	}
	return out
}

// give puts the files of the book back under a name, as the commands do.
func (h *history) give(t *testing.T, files map[string]schema.OID, name schema.BookName) {
	t.Helper()
	for p, id := range files {
		to := p
		data := h.blobs[id]
		if name != shelfBook {
			var err error
			to, _ = schema.RenameBookPath(p, shelfBook, name)
			if strings.HasSuffix(p, ".json") {
				if data, err = schema.RenameBookIn(data, shelfBook, name); err != nil {
					t.Fatal(err)
				}
			}
		}
		h.put(to, data)
	}
}

// legal judges the shelf by the fold and by a loaded State that remembers the tree before the deletion, and moves on.
func (h *history) legal(t *testing.T, what string, before tree) *Verdict {
	t.Helper()
	step := h.step(h.last(), h.tree())
	loaded, _, err := Load(h.last(), h.shelf)
	if err != nil {
		t.Fatal(err)
	}
	if before != nil {
		if err := loaded.Remember(before, h.shelf); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Check(loaded, step)
	if err != nil || len(w.Faults) > 0 {
		t.Errorf("%s, loaded: %v %v", what, w.Faults, err)
	}
	v := h.after(t)
	if len(v.Faults) > 0 {
		t.Errorf("%s: %v", what, v.Faults)
	}
	for _, m := range v.Moves {
		if m.Accepted {
			t.Errorf("%s: chapter %s counts as accepted again", what, m.Chapter)
		}
	}
	return v
}

func TestMovedBooksNeedNoNewEvidence(t *testing.T) {
	t.Parallel()
	h := worn(t)
	honest := words(h.fold.State)
	full := h.tree()
	h.give(t, h.take(), "雪夜灯")
	v := h.legal(t, "rename", nil)
	list := v.State.Chapters("雪夜灯")
	if len(list) != 2 || list[0].State != schema.StateCommitted || list[1].State != schema.StateReviewed {
		t.Errorf("renamed: %v", list)
	}
	h.files = maps.Clone(full)
	h.legal(t, "rename back", nil)
	files := h.take()
	h.legal(t, "delete", nil)
	h.give(t, files, shelfBook)
	if v := h.legal(t, "restore", full); words(v.State) != honest {
		t.Errorf("restored: %s, want %s", words(v.State), honest)
	}
	h.give(t, files, "三稿")
	h.legal(t, "restore as", full)
	if n := len(h.fold.State.Books()); n != 2 {
		t.Errorf("%d books", n)
	}
}

func TestMovedBooksAreNotBelievedBlindly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edit func(h *history)
	}{
		{"another text", func(h *history) { h.setText(one, h.freshText(one)) }},
		{"a higher state", func(h *history) { h.setState("0002", schema.StateCommitted) }},
		{"a review gone", func(h *history) { delete(h.files, schema.ReviewPath(shelfBook, "0002")) }},
		{"another review", func(h *history) {
			r := h.reviewDoc(two, true, someIssue(true))
			r.Summary = "别的"
			h.putJSON(schema.ReviewPath(shelfBook, "0002"), r)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := worn(t)
			files := h.take()
			h.legal(t, "delete", nil)
			h.give(t, files, shelfBook)
			c.edit(h)
			if v := h.after(t); len(v.Faults) == 0 {
				t.Error("passed")
			}
		})
	}
}

func TestDraftsMayOutliveTheirBook(t *testing.T) {
	t.Parallel()
	h := startedBook(t)
	h.put(schema.MirrorPath(shelfBook, "第03章"), []byte("## 第1段\n\n雨。\n"))
	h.keep(t, "draft")
	files := h.take()
	h.put(schema.MirrorPath(shelfBook, "第03章"), h.blobs[files[schema.MirrorPath(shelfBook, "第03章")]])
	h.keep(t, "delete without the drafts")
}
