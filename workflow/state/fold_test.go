package state

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"git-novel/schema"
)

// TestBooksComeAndGo renames, deletes and restores a whole book.
func TestBooksComeAndGo(t *testing.T) {
	t.Parallel()
	h := startedBook(t)
	h.write("番外·雨夜")
	h.keep(t, "side story")
	full := h.tree()

	// An unnumbered chapter has its title for a key, so that its rename is a leave and an entry.
	h.moveKey("番外·雨夜", "番外·雪夜")
	h.keep(t, "rename of a side story")
	h.files = maps.Clone(full)
	h.keep(t, "and back")

	other := schema.BookName("雪夜灯")
	for p, id := range full {
		moved := strings.ReplaceAll(p, string(shelfBook), string(other))
		data := h.blobs[id]
		if strings.HasSuffix(p, ".json") {
			data = []byte(strings.ReplaceAll(string(data), string(shelfBook), string(other)))
		}
		delete(h.files, p)
		h.put(moved, data)
	}
	v := h.keep(t, "book rename")
	if got := v.State.Books(); !cmp.Equal(got, []schema.BookName{other}) {
		t.Errorf("books %v", got)
	}
	h.files = map[string]schema.OID{}
	v = h.keep(t, "book delete")
	if len(v.State.Books()) != 0 || len(v.State.books) != 0 {
		t.Errorf("left: %v", v.State.books)
	}
	h.files = maps.Clone(full)
	v = h.keep(t, "book restore")
	if v.State.Current(shelfBook) != 1 || len(v.State.Chapters(shelfBook)) != 3 {
		t.Errorf("restored: %s", words(v.State))
	}
	// A plain delete that forgets one record is told.
	h.files = map[string]schema.OID{schema.CommitPath(shelfBook, "0001"): full[schema.CommitPath(shelfBook, "0001")]}
	if got := rulesOf(h.try(t).Faults); !cmp.Equal(got, []string{"book-delete-incomplete"}) {
		t.Errorf("half deleted: %v", got)
	}
}

// moveKey gives an unnumbered chapter another key, records and summary included.
func (h *history) moveKey(from, to schema.ChapterKey) {
	st := h.state()
	st.Progress.ChapterStatus[to.ID()] = st.Progress.ChapterStatus[from.ID()]
	delete(st.Progress.ChapterStatus, from.ID())
	h.putJSON(schema.BookStatePath(shelfBook), st)
	for p, id := range maps.Clone(h.files) {
		if !strings.Contains(p, string(from)) && p != schema.SummariesPath(shelfBook) {
			continue
		}
		data := string(h.blobs[id])
		if strings.HasSuffix(p, ".json") {
			data = strings.ReplaceAll(data, string(from), string(to))
		}
		delete(h.files, p)
		h.put(strings.ReplaceAll(p, string(from), string(to)), []byte(data))
	}
}

func TestRepairOfAStateFile(t *testing.T) {
	t.Parallel()
	h := startedBook(t)
	h.setState("0002", schema.StateReviewed)
	v := h.try(t)
	if len(v.Faults) == 0 {
		t.Fatal("reviewed without evidence passed")
	}
	// The offence stands in the history; what follows is judged on its own.
	h.fold.State = v.State
	h.trees = append(h.trees, h.tree())
	h.put(schema.SettingsDir(shelfBook)+"/世界.md", []byte("雨城\n"))
	if v := h.after(t); len(v.Faults) > 0 {
		t.Errorf("an unrelated commit: %v", v.Faults)
	}
	h.setState("0002", schema.StateDrafted)
	if v := h.after(t); len(v.Faults) > 0 {
		t.Errorf("the repair: %v", v.Faults)
	}
	h.review(two, true)
	h.setState("0002", schema.StateReviewed)
	if v := h.after(t); len(v.Faults) > 0 || v.State.Chapters(shelfBook)[1].State != schema.StateReviewed {
		t.Errorf("the review after it: %v", v.Faults)
	}
}

// after judges by the fold alone, and moves on.
func (h *history) after(t *testing.T) *Verdict {
	t.Helper()
	v, err := h.fold.Apply(h.step(h.trees[len(h.trees)-1], h.tree()))
	if err != nil {
		t.Fatal(err)
	}
	h.trees = append(h.trees, h.tree())
	return v
}

func TestRecoveredStates(t *testing.T) {
	t.Parallel()
	h := startedBook(t)
	h.review(two, true)
	h.keep(t, "review")
	h.save("番外·雨夜", h.freshText("番外·雨夜"))
	h.keep(t, "side story")
	honest := words(h.fold.State)
	derive := func() string {
		st, err := Derive(h.tree(), h.shelf, lcsEdits)
		if err != nil {
			t.Fatal(err)
		}
		return words(st)
	}
	if got := derive(); got != honest {
		t.Errorf("as it is: %s, want %s", got, honest)
	}
	before := h.tree()
	h.setState("0001", schema.StateDrafted)
	h.setState("0002", schema.StateCommitted)
	if got := derive(); got != honest {
		t.Errorf("with wrong words: %s, want %s", got, honest)
	}
	h.put(schema.BookStatePath(shelfBook), []byte("{"))
	side := h.text("番外·雨夜")
	if got, want := derive(), honest[:strings.Index(honest, "番外")]; got != want {
		t.Errorf("with a damaged file: %s, want %s; %s has no record and is foreign then", got, want, side[:12])
	}
	h.files = maps.Clone(before)
	h.setText(one, h.text(one)+"手改。\n")
	if got := derive(); !strings.Contains(got, "第01章 chapter_committed") {
		t.Errorf("a hand edit takes no state away: %s", got)
	}

	// The record is lost in one commit, which is an offence; the next one may say so.
	h.files = maps.Clone(before)
	delete(h.files, schema.CommitPath(shelfBook, "0001"))
	lost := h.tree()
	h.setState("0001", schema.StateReviewed)
	if got := rulesOf(h.try(t).Faults); !cmp.Equal(got, []string{"state-back"}) {
		t.Errorf("record and state taken away together: %v", got)
	}
	h.files = maps.Clone(lost)
	if v := h.after(t); !cmp.Equal(rulesOf(v.Faults), []string{"evidence-removed"}) {
		t.Errorf("record lost: %v", v.Faults)
	}
	h.setState("0001", schema.StateReviewed)
	if v := h.after(t); len(v.Faults) > 0 || !strings.Contains(words(v.State), "第01章 chapter_reviewed") {
		t.Errorf("repair: %v %s", v.Faults, words(v.State))
	}
	h.setState("0002", schema.StateDrafted)
	if got := rulesOf(h.after(t).Faults); !cmp.Equal(got, []string{"state-back"}) {
		t.Errorf("a reviewed chapter with its review goes back: %v", got)
	}
}

func TestSettingsOfTheParentJudge(t *testing.T) {
	t.Parallel()
	h := startedBook(t)
	tight := []byte("rules = 1\n[review]\ndimensions = [\"setting\", \"timeline\", \"continuity\", \"character\", \"logic\", \"pacing\"]\n")
	h.put(schema.ConfigPath, tight)
	h.review(two, true)
	h.keep(t, "the review comes with the settings that would refuse it")
	h.commit(two)
	if got := rulesOf(h.try(t).Faults); !cmp.Equal(got, []string{"review-not-full"}) {
		t.Errorf("commit under the tighter rules: %v", got)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	mv := []Move{{Book: shelfBook, Chapter: one, From: schema.StateDrafted, To: schema.StateReviewed}}
	good := schema.Message{Book: string(shelfBook), ChapterID: "0001", From: schema.StateDrafted, To: schema.StateReviewed}
	wrong := good
	wrong.ChapterID = "0002"
	for name, tt := range map[string]struct {
		m    schema.Message
		mv   []Move
		want []string
	}{
		"right": {good, mv, nil}, "wrong": {wrong, mv, []string{"trailer-wrong"}}, "silent": {schema.Message{}, mv, []string{"trailer-missing"}},
		"nothing moved": {schema.Message{}, []Move{{From: schema.StateDrafted, To: schema.StateDrafted}}, nil},
	} {
		if got := rulesOf(Notes(tt.m, tt.mv)); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestCommandsNameTheBookAndQuote(t *testing.T) {
	t.Parallel()
	b := NewBook("雨 夜", DefaultRules(), []*Chapter{{Key: "番外 It's", State: schema.StateDrafted, Text: textA, Unsaved: true}})
	b.NeedsFlag = true
	if got, want := NextForBook(b)[0].Command, `git novel chapter save '番外 It'\''s' --book '雨 夜'`; got != want {
		t.Errorf("%s", got)
	}
	if a := NextForBook(NewBook("雨", DefaultRules(), nil)); len(a) != 1 || a[0].Command != "git novel chapter new 1 --title T --file F" {
		t.Errorf("%+v", a)
	}
	last := &Chapter{Key: schema.NumberKey(9999), State: schema.StateCommitted, Text: textA, Commit: &CommitEvidence{Text: textA}}
	if a := NextForBook(NewBook("雨", DefaultRules(), []*Chapter{last})); len(a) != 1 || a[0].Chapter != "" {
		t.Errorf("%+v", a)
	}
}

// longHistory is a book of n chapters with three commits each, as steps.
func longHistory(t testing.TB, n int) []Step {
	s := newShelf(t)
	s.newBook()
	steps := []Step{s.step(tree{}, s.tree())}
	before := s.tree()
	cut := func() {
		// Only what changed is compared: a real tree difference skips what is equal, too.
		steps = append(steps, s.step(before, s.files))
		maps.Copy(before, s.files)
	}
	for i := 1; i <= n; i++ {
		key := schema.NumberKey(i)
		s.save(key, s.freshText(key))
		cut()
		s.review(key, true)
		cut()
		s.commit(key)
		cut()
	}
	return steps
}

func TestFoldOfALongHistory(t *testing.T) {
	t.Parallel()
	steps := longHistory(t, 60)
	f := NewFold()
	for i, s := range steps {
		v, err := f.Apply(s)
		if err != nil || len(v.Faults) > 0 {
			t.Fatalf("step %d: %v %v", i, v, err)
		}
	}
	if f.State.Current(shelfBook) != 60 {
		t.Errorf("current %d", f.State.Current(shelfBook))
	}
}

func BenchmarkFold(b *testing.B) {
	steps := longHistory(b, 400)
	for b.Loop() {
		f := NewFold()
		for _, s := range steps {
			if v, err := f.Apply(s); err != nil || len(v.Faults) > 0 {
				b.Fatal(v.Faults, err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(len(steps))/float64(time.Microsecond), "µs/commit")
}

func BenchmarkBoard(b *testing.B) {
	chapters := make([]*Chapter, 0, 9999)
	for i := range 9999 {
		text := schema.HashBlob(fmt.Appendf(nil, "%d", i))
		chapters = append(chapters, &Chapter{
			Key: schema.NumberKey(i + 1), State: schema.StateCommitted, Text: text, Commit: &CommitEvidence{Text: text, Base: text, Revision: 1},
		})
	}
	for b.Loop() {
		if len(NextForBook(NewBook("雨夜灯", DefaultRules(), chapters))) == 0 {
			b.Fatal("no way on")
		}
	}
}
