package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"git-novel/schema"
)

// history is a line of honest commits, folded as it grows.
type history struct {
	*shelf
	fold  *Fold
	trees []tree
	at    []*State
}

func newHistory(t testing.TB) *history {
	h := &history{shelf: newShelf(t), fold: NewFold(), trees: []tree{{}}}
	h.at = append(h.at, h.fold.State)
	return h
}

func (h *history) last() tree { return h.trees[len(h.trees)-1] }

// try judges what lies on the shelf as the next commit, by the fold and by a state loaded from the parent alone, and keeps
// neither.
func (h *history) try(t fataler) *Verdict {
	t.Helper()
	step := h.step(h.last(), h.tree())
	v, err := Check(h.fold.State, step)
	if err != nil {
		t.Fatalf("%v", err)
	}
	loaded, list, err := Load(h.last(), h.shelf)
	if err != nil || len(list) > 0 {
		t.Fatalf("load: %v %v", list, err)
	}
	w, err := Check(loaded, step)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if a, b := fmt.Sprint(v.Faults), fmt.Sprint(w.Faults); a != b {
		t.Fatalf("fold says %s\nload says %s", a, b)
	}
	return v
}

type fataler interface {
	Fatalf(format string, args ...any)
	Helper()
}

// keep makes what lies on the shelf the next commit; it must be legal.
func (h *history) keep(t fataler, what string) *Verdict {
	t.Helper()
	v := h.try(t)
	if len(v.Faults) > 0 {
		t.Fatalf("%s: %v", what, v.Faults)
	}
	h.fold.State = v.State
	h.trees, h.at = append(h.trees, h.tree()), append(h.at, v.State)
	return v
}

var (
	one = schema.NumberKey(1)
	two = schema.NumberKey(2)
)

// startedBook has chapter 1 committed and chapter 2 drafted.
func startedBook(t *testing.T) *history {
	h := newHistory(t)
	h.newBook()
	h.keep(t, "book")
	for i, do := range []func(){
		func() { h.save(one, h.freshText(one)) }, func() { h.review(one, true) }, func() { h.commit(one) },
		func() { h.save(two, h.freshText(two)) },
	} {
		do()
		h.keep(t, fmt.Sprintf("step %d", i))
	}
	return h
}

func TestHonestWayOfAChapter(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.newBook()
	h.keep(t, "book")
	want := []struct {
		do   func()
		what string
		move Move
	}{
		{func() { h.save(one, h.freshText(one)) }, "draft", Move{From: "", To: schema.StateDrafted}},
		{func() { h.review(one, true, someIssue(true)) }, "review that blocks", Move{}},
		{func() { h.save(one, h.text(one)+"改。\n") }, "repair", Move{From: schema.StateDrafted, To: schema.StateDrafted}},
		{func() { h.review(one, false) }, "full review", Move{}},
		{func() { h.save(one, strings.Replace(h.text(one), "回头", "转身", 1)) }, "polish", Move{From: schema.StateDrafted, To: schema.StateDrafted}},
		{func() { h.recheck(one) }, "re-check", Move{From: schema.StateDrafted, To: schema.StateReviewed}},
		{func() { h.commit(one) }, "commit", Move{From: schema.StateReviewed, To: schema.StateCommitted, Revision: 1, Accepted: true}},
		{func() { h.typo(one, strings.Replace(h.text(one), "雨", "雪", 1)) }, "typo", Move{From: schema.StateCommitted, To: schema.StateCommitted, Revision: 2}},
		{func() { h.rename(one, "夜雨") }, "rename", Move{From: schema.StateCommitted, To: schema.StateCommitted, Revision: 2}},
		{func() { h.typo(one, strings.Replace(h.text(one), "雨打", "雪打", 2)) }, "typo after rename", Move{From: schema.StateCommitted, To: schema.StateCommitted, Revision: 3}},
		{func() { h.retcon(one, h.freshText(one)) }, "retcon", Move{From: schema.StateCommitted, To: schema.StateCommitted, Revision: 4, Accepted: true}},
		{func() { h.leave(one) }, "retract", Move{From: schema.StateCommitted, To: ""}},
	}
	for _, w := range want {
		w.do()
		v := h.keep(t, w.what)
		var got Move
		if len(v.Moves) == 1 {
			got = v.Moves[0]
			if got.Book != shelfBook || got.Chapter != one || (got.To == "") != got.Text.IsZero() {
				t.Errorf("%s: %+v", w.what, got)
			}
			got.Book, got.Chapter, got.Text = "", "", schema.OID{}
		}
		if diff := cmp.Diff(w.move, got); diff != "" || len(v.Moves) > 1 {
			t.Errorf("%s: %d moves, %s", w.what, len(v.Moves), diff)
		}
		audit, err := Audit(h.last(), h.shelf, lcsEdits)
		if err != nil || len(audit.Faults) > 0 {
			t.Errorf("%s: audit %v %v", w.what, audit, err)
		}
	}
	// All of it, up to the retraction, as one commit.
	v, err := Check(NewState(), h.step(tree{}, h.trees[len(h.trees)-2]))
	if err != nil || len(v.Faults) > 0 {
		t.Errorf("squash: %v %v", v.Faults, err)
	}
	if v.State.Current(shelfBook) != 1 || h.fold.State.Current(shelfBook) != 0 {
		t.Errorf("current %d and %d", v.State.Current(shelfBook), h.fold.State.Current(shelfBook))
	}
}

func TestAdoption(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	for _, n := range []int{1, 2, 5} {
		h.adopt(schema.NumberKey(n))
	}
	h.adopt("番外·雨夜")
	v := h.keep(t, "import")
	if len(v.Moves) != 4 || !v.Moves[0].Adopted || v.Moves[0].Accepted || v.State.Current(shelfBook) != 5 {
		t.Errorf("moves %+v", v.Moves)
	}
	h.adopt(schema.NumberKey(7))
	h.keep(t, "more, while all are adopted")
	h.revise(one, func(c *schema.Commit) { c.Extraction = &schema.Extraction{SummaryText: "s"} })
	h.summarise(one)
	h.keep(t, "enrich")
	h.retcon(two, h.freshText(two))
	h.keep(t, "retcon of an adopted chapter")
	h.write(schema.NumberKey(4))
	h.keep(t, "into the gap")
	h.save(schema.NumberKey(3), h.freshText(schema.NumberKey(3)))
	h.keep(t, "into the gap, below")
	for name, bad := range map[string]func(){
		"adopt-written": func() { h.adopt(schema.NumberKey(8)) },
		"number-next":   func() { h.save(schema.NumberKey(10), h.freshText(schema.NumberKey(10))) },
	} {
		before := h.tree()
		bad()
		if got := rulesOf(h.try(t).Faults); !cmp.Equal(got, []string{name}) {
			t.Errorf("%s: got %v", name, got)
		}
		h.files = before
	}
	g := newHistory(t)
	g.newBook()
	g.put(schema.MirrorPath(shelfBook, "第01章"), []byte("## 第1段 · 2026-01-01 00:00:00\n\n雨。\n"))
	g.keep(t, "a draft")
	g.adopt(one)
	if got := rulesOf(g.try(t).Faults); !cmp.Equal(got, []string{"adopt-draft"}) {
		t.Errorf("adopt beside a draft: %v", got)
	}
}

// TestOffences makes one illegal change each to a book with chapter 1 committed and chapter 2 drafted.
func TestOffences(t *testing.T) {
	t.Parallel()
	id := one.ID()
	tests := []struct {
		name  string
		do    func(h *history)
		rules []string
	}{
		{"reviewed without evidence", func(h *history) { h.setState("0002", schema.StateReviewed) }, []string{"review-missing"}},
		{"committed without evidence", func(h *history) { h.setState("0002", schema.StateCommitted) }, []string{"commit-missing"}},
		{"committed by an adoption that is none", func(h *history) { h.adopt(two) }, []string{"adopt-drafted", "adopt-written"}},
		{"state back", func(h *history) { h.setState(id, schema.StateReviewed) }, []string{"state-back"}},
		{"state taken away", func(h *history) { h.setState(id, schema.StateNone) }, []string{"state-lost"}},
		{"unknown word", func(h *history) { h.setState("0002", "chapter_rejected") }, []string{"book-state"}},
		{"current chapter wrong", func(h *history) {
			st := h.state()
			st.Progress.CurrentChapter = 7
			h.putJSON(schema.BookStatePath(shelfBook), st)
		}, []string{"book-state"}},
		{"state of another book", func(h *history) {
			st := h.state()
			st.Book = "别的书"
			h.putJSON(schema.BookStatePath(shelfBook), st)
		}, []string{"state-owner"}},
		{"damaged state", func(h *history) { h.put(schema.BookStatePath(shelfBook), []byte("{")) }, []string{"record-damaged"}},
		{"damaged record", func(h *history) { h.put(schema.CommitPath(shelfBook, id), []byte("[]")) }, []string{"record-damaged"}},
		{"committed text edited by hand", func(h *history) { h.setText(one, h.text(one)+"多一句。\n") }, []string{"committed-text-changed"}},
		{"committed text deleted", func(h *history) { delete(h.files, h.path(one)) }, []string{"chapter-missing"}},
		{"review of a committed chapter replaced", func(h *history) { h.putJSON(schema.ReviewPath(shelfBook, id), h.reviewDoc(one, true)) }, []string{"commit-rewritten"}},
		{"chapter commit taken away", func(h *history) { delete(h.files, schema.CommitPath(shelfBook, id)) }, []string{"evidence-removed"}},
		{"facts rewritten", func(h *history) {
			h.revise(one, func(c *schema.Commit) { c.Extraction.SummaryText = "别的" })
		}, []string{"commit-rewritten"}},
		{"facts rewritten with a revision but no review", func(h *history) {
			h.revise(one, func(c *schema.Commit) { c.Extraction.SummaryText, c.Revision = "别的", 2 })
		}, []string{"retcon-reason"}},
		{"a large edit as a typo", func(h *history) { h.typo(one, h.text(one)+strings.Repeat("雪", 21)) }, []string{"typo-too-large"}},
		{"typos that add up", func(h *history) {
			h.typo(one, h.text(one)+strings.Repeat("雪", 15))
			h.keep(h.t, "first typo")
			h.typo(one, h.text(one)+strings.Repeat("雪", 6))
		}, []string{"typo-too-large"}},
		{"retcon without a reason", func(h *history) {
			h.retcon(one, h.freshText(one))
			h.revise(one, func(c *schema.Commit) { c.Reason = " " })
		}, []string{"retcon-reason"}},
		{"retcon without a new review", func(h *history) {
			h.setText(one, h.freshText(one))
			h.revise(one, func(c *schema.Commit) { c.Text, c.Reason, c.Revision = h.binding(one), "改", 2 })
		}, []string{"evidence-stale"}},
		{"revision back", func(h *history) {
			h.typo(one, h.text(one)+"雪")
			h.keep(h.t, "typo")
			h.revise(one, func(c *schema.Commit) { c.Revision = 1 })
		}, []string{"revision-back"}},
		{"written becomes adopted", func(h *history) {
			h.revise(one, func(c *schema.Commit) { c.Origin = schema.OriginAdopted })
		}, []string{"origin-changed"}},
		{"a chapter skipped", func(h *history) { h.save(schema.NumberKey(4), h.freshText(schema.NumberKey(4))) }, []string{"number-next", "predecessor-open"}},
		{"the next before this one is done", func(h *history) { h.save(schema.NumberKey(3), h.freshText(schema.NumberKey(3))) }, []string{"predecessor-open"}},
		{"a second file", func(h *history) {
			h.put(schema.ChapterPath(shelfBook, "第1章 别名.md"), []byte("另一稿\n"))
		}, []string{"chapter-duplicate"}},
		{"a second name", func(h *history) {
			h.put(schema.ChapterPath(shelfBook, "Extra.md"), []byte("另一稿\n"))
			h.keep(h.t, "foreign")
			h.put(schema.ChapterPath(shelfBook, "EXTRA.md"), []byte("另一稿\n"))
		}, []string{"chapter-duplicate"}},
		{"a blank text", func(h *history) { h.setText(two, " \n\u3000\n") }, []string{"text-blank"}},
		{"a NUL byte", func(h *history) { h.setText(two, "雨\x00") }, []string{"text-encoding"}},
		{"not UTF-8", func(h *history) { h.setText(two, "\xb5\xda") }, []string{"text-encoding"}},
		{"a mirror as chapter", func(h *history) {
			h.setText(schema.NumberKey(3), "## 第1段 · 2026-01-01T00:00:00.000Z\n\n雨。\n")
		}, []string{"draft-in-novels"}},
		{"a mirror file among the chapters", func(h *history) {
			h.put(schema.ChapterPath(shelfBook, "第03章__draft.md"), []byte("雨。\n"))
		}, []string{"draft-in-novels"}},
		{"records without a state", func(h *history) {
			r := h.reviewDoc(two, true)
			r.Chapter = "0003"
			h.putJSON(schema.ReviewPath(shelfBook, "0003"), r)
		}, []string{"record-without-state"}},
		{"a record of another chapter", func(h *history) {
			h.putJSON(schema.ReviewPath(shelfBook, "0002"), h.reviewDoc(one, true))
		}, []string{"record-owner"}},
		{"a record folder that is none", func(h *history) {
			h.putJSON(schema.RecordDir(shelfBook, "2")+"/review.json", h.reviewDoc(two, true))
		}, []string{"record-path"}},
		{"a review that counts wrongly", func(h *history) {
			r := h.reviewDoc(two, true, someIssue(true))
			r.Blocking, r.HasBlocking = 0, false
			h.putJSON(schema.ReviewPath(shelfBook, "0002"), r)
			h.setState("0002", schema.StateReviewed)
		}, []string{"record-invalid", "review-missing"}},
		{"a review that blocks", func(h *history) {
			h.review(two, true, someIssue(true))
			h.setState("0002", schema.StateReviewed)
		}, []string{"review-blocking"}},
		{"a review with a wrong length", func(h *history) {
			r := h.reviewDoc(two, true)
			r.Text.Chars++
			h.putJSON(schema.ReviewPath(shelfBook, "0002"), r)
		}, []string{"binding-chars"}},
		{"a review of a place where nothing lies", func(h *history) {
			r := h.reviewDoc(two, true)
			r.Text.Path = "novels/雨夜灯/第02章 旧.md"
			h.putJSON(schema.ReviewPath(shelfBook, "0002"), r)
		}, []string{"binding-path"}},
		{"a stale review committed", func(h *history) {
			h.review(two, true)
			h.keep(h.t, "review")
			h.save(two, h.freshText(two))
			h.keep(h.t, "edit")
			h.commit(two)
		}, []string{"evidence-stale"}},
		{"too much polish", func(h *history) {
			h.review(two, true)
			h.keep(h.t, "review")
			h.save(two, h.freshText(two)+strings.Repeat("雪", 50))
			h.recheck(two)
			h.commit(two)
		}, []string{"polish-too-large"}},
		{"no summary", func(h *history) {
			h.review(two, true)
			before := h.files[schema.SummariesPath(shelfBook)]
			h.commit(two)
			h.files[schema.SummariesPath(shelfBook)] = before
		}, []string{"summary-missing"}},
		{"a missed node", func(h *history) {
			h.review(two, true)
			h.commit(two)
			h.revise(two, func(c *schema.Commit) { c.Fulfillment.Missed = []schema.Node{{Text: "停电"}} })
		}, []string{"record-invalid"}},
		{"a missed node that the outline calls CBN", func(h *history) {
			h.putJSON(schema.OutlinePath(shelfBook, "0002"), &schema.Outline{
				Schema: schema.SchemaOutline, Chapter: "0002", Content: schema.OutlineContent{Goal: "证词", CBN: "停电"},
			})
			h.keep(h.t, "outline")
			h.review(two, true)
			h.commit(two)
			h.revise(two, func(c *schema.Commit) {
				c.Fulfillment.Missed = []schema.Node{{Text: "停电"}}
				c.Review.Waived = []schema.Waiver{{Node: "停电", Reason: "R"}}
			})
		}, []string{"node-missed"}},
		{"a chapter commit with another review", func(h *history) {
			h.review(two, true)
			h.commit(two)
			h.revise(two, func(c *schema.Commit) { c.ReviewResult.Summary = "改过" })
		}, []string{"review-differs"}},
		{"retraction from the middle", func(h *history) { h.leave(one) }, []string{"retract-highest"}},
		{"discard that leaves the text", func(h *history) {
			text := h.text(two)
			h.leave(two)
			h.setText(two, text)
		}, []string{"state-lost"}},
		{"a symbolic link", func(h *history) {
			h.setText(two, "../../secret")
			h.modes[h.path(two)] = ModeLink
		}, []string{"file-mode"}},
		{"an executable", func(h *history) {
			h.put(schema.ChapterPath(shelfBook, "run.sh"), []byte("#!/bin/sh\n"))
			h.modes[schema.ChapterPath(shelfBook, "run.sh")] = ModeExec
		}, []string{"file-mode"}},
		{"a chapter on a drive where every file is executable", func(h *history) {
			h.setText(two, h.text(two)+"又一句。\n")
			h.modes[h.path(two)] = ModeExec
		}, nil},
		{"a book half deleted", func(h *history) { delete(h.files, schema.BookStatePath(shelfBook)) }, []string{"book-delete-incomplete"}},
		{"settings that do not parse", func(h *history) { h.put(schema.ConfigPath, []byte("rules = ")) }, []string{"config-invalid"}},
		{"rules that nobody knows", func(h *history) { h.put(schema.ConfigPath, []byte("rules = 99\n")) }, []string{"config-invalid"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := startedBook(t)
			tt.do(h)
			v := h.try(t)
			if diff := cmp.Diff(tt.rules, rulesOf(v.Faults)); diff != "" {
				t.Errorf("%s\n%v", diff, v.Faults)
			}
			for _, f := range v.Faults {
				if f.File == "" || f.Msg.IsZero() {
					t.Errorf("fault without place: %+v", f)
				}
			}
			// A refused commit that was made all the same must not make anything committed that is not.
			for _, c := range v.State.Chapters(shelfBook) {
				if c.Key == two && c.State == schema.StateCommitted && tt.name != "committed by an adoption that is none" {
					t.Errorf("chapter 2 counts as committed")
				}
			}
		})
	}
}

// TestSquashesOfHonestWork draws a line of honest commits. Each commit, and each stretch of them as one commit, is legal;
// and no stretch without its evidence is.
func TestSquashesOfHonestWork(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(nil)
		h.newBook()
		h.keep(t, "book")
		keys := []schema.ChapterKey{one, two, schema.NumberKey(3), "番外·雨夜"}
		for i := range rapid.IntRange(1, 14).Draw(t, "commits") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			what := h.honest(t, key)
			if what == "" {
				continue
			}
			h.keep(t, fmt.Sprintf("%d %s %s", i, what, key))
		}
		from := rapid.IntRange(0, len(h.trees)-1).Draw(t, "from")
		v, err := Check(h.at[from], h.step(h.trees[from], h.last()))
		if err != nil || len(v.Faults) > 0 {
			t.Fatalf("squash from %d: %v %v", from, v.Faults, err)
		}
		if a, b := words(v.State), words(h.fold.State); a != b {
			t.Fatalf("squash gives %s, the line %s", a, b)
		}
		audit, err := Audit(h.last(), h.shelf, lcsEdits)
		if err != nil || len(audit.Faults) > 0 {
			t.Fatalf("audit: %v %v", audit.Faults, err)
		}
		h.cheat(t)
	})
}

func words(s *State) string {
	var b strings.Builder
	for _, c := range s.Chapters(shelfBook) {
		fmt.Fprintf(&b, "%s %s %s; ", c.Key, c.State, c.Text.Short())
	}
	return b.String()
}

// honest does something legal to a chapter, "" when nothing fits.
func (h *history) honest(t *rapid.T, key schema.ChapterKey) string {
	st := h.state().Progress.ChapterStatus
	switch st[key.ID()] {
	case schema.StateNone:
		if n, ok := key.Number(); ok && n > 1 && st[schema.NumberKey(n-1).ID()] != schema.StateCommitted {
			return ""
		}
		h.save(key, h.freshText(key))
		return "start"
	case schema.StateDrafted, schema.StateReviewed:
		switch rapid.IntRange(0, 5).Draw(t, "open") {
		case 0:
			h.save(key, h.text(key)+"又一句。\n")
			return "save"
		case 1:
			if st[key.ID()] == schema.StateDrafted {
				h.review(key, true, someIssue(true))
				return "blocking review"
			}
			return ""
		case 2:
			// A weaker review of a reviewed chapter takes evidence away that a squash would need.
			h.review(key, st[key.ID()] == schema.StateReviewed || rapid.Bool().Draw(t, "ai"))
			return "review"
		case 3:
			before := h.tree()
			if h.recheck(key); st[key.ID()] == schema.StateReviewed && len(h.gaps(key)) > 0 {
				h.files = before
				return ""
			}
			return "re-check"
		case 4:
			return h.retitle(key)
		default:
			if st[key.ID()] == schema.StateReviewed && len(h.gaps(key)) == 0 {
				h.commit(key)
				return "commit"
			}
			return ""
		}
	default:
		switch rapid.IntRange(0, 2).Draw(t, "committed") {
		case 0:
			h.retcon(key, h.freshText(key))
			return "retcon"
		case 1:
			return h.retitle(key)
		default:
			var c schema.Commit
			h.getJSON(schema.CommitPath(shelfBook, key.ID()), &c)
			if c.Revision > 15 {
				return ""
			}
			text := h.text(key) + "。"
			base := c.Text.Blob
			if c.Base != nil {
				base = c.Base.Blob
			}
			if CountTypo(key, string(h.blobs[base]), text, lcsEdits).Total() > MaxTypoEdits {
				return ""
			}
			h.typo(key, text)
			return "typo"
		}
	}
}

// retitle renames a numbered chapter.
func (h *history) retitle(key schema.ChapterKey) string {
	if _, ok := key.Number(); !ok {
		return ""
	}
	h.rename(key, fmt.Sprintf("题%d", len(h.trees)))
	return "rename"
}

// cheat raises a chapter to committed, or changes a committed one, by hand; that must never pass.
func (h *history) cheat(t *rapid.T) {
	for _, key := range []schema.ChapterKey{one, two, "番外·雨夜"} {
		before := h.tree()
		switch h.state().Progress.ChapterStatus[key.ID()] {
		case schema.StateNone:
			continue
		case schema.StateCommitted:
			h.setText(key, h.text(key)+"偷改一句。\n")
		default:
			if len(h.gaps(key)) == 0 {
				h.save(key, h.freshText(key)+strings.Repeat("雪", 60))
			}
			h.commit(key)
		}
		if v := h.try(t); len(v.Faults) == 0 {
			t.Fatalf("%s was committed or changed by hand", key)
		}
		h.files = before
	}
}
