package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/memory"
)

type obj = map[string]any

// memoryLibrary is a library whose book has n adopted chapters with facts, without a git program.
func memoryLibrary(t *testing.T, n int) Options {
	t.Helper()
	env := map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "作者", "GIT_AUTHOR_EMAIL": "a@example.org",
		"GIT_COMMITTER_NAME": "作者", "GIT_COMMITTER_EMAIL": "a@example.org",
	}
	dir := t.TempDir()
	o := Options{
		Root: dir, Dir: dir, Wait: 5 * time.Second, Now: time.Now, Getenv: func(k string) string { return env[k] },
		LookPath: func(string) (string, error) { return "", os.ErrNotExist },
	}
	book := filepath.Join(dir, "novels", "雨夜灯")
	if err := os.MkdirAll(book, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= n; i++ {
		text := fmt.Sprintf("# 第%02d章 夜%d\n\n第%d夜，沈砚在渡口等人。\n\n掌柜%d把灯芯拨亮，记下第%d笔账。\n", i, i, i, i%7, i)
		if err := os.WriteFile(filepath.Join(book, fmt.Sprintf("第%02d章 夜%d.md", i, i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Init(t.Context(), o, dir); err != nil {
		t.Fatal(err)
	}
	s := openMemory(t, o)
	putFacts(t, s, 1, n, 0)
	return o
}

func openMemory(t *testing.T, o Options) *Session {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// putFacts writes facts into the records of chapters; variant makes others.
func putFacts(t *testing.T, s *Session, from, to, variant int) {
	t.Helper()
	w, err := s.look()
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.lib.Update(t.Context(), func(tx *repo.Tx) error {
		for n := from; n <= to; n++ {
			key := schema.NumberKey(n)
			c, err := w.commit(key)
			if err != nil {
				return err
			}
			c.Revision += 1 + variant
			raw, err := json.Marshal(factsOf(n, variant))
			if err != nil {
				return err
			}
			if c.Extraction, err = schema.ParseExtraction("x", raw, n); err != nil {
				return err
			}
			if err := writeRecord(tx, schema.CommitPath(w.name, key.ID()), c); err != nil {
				return err
			}
			if err := s.putSummary(tx, w, key, c.Extraction.SummaryText); err != nil {
				return err
			}
		}
		tx.Message(schema.Message{Verb: schema.VerbCommit, Book: string(w.name), Subject: "补记"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func factsOf(n, variant int) obj {
	who := fmt.Sprintf("人物%d", (n+variant)%17)
	events := []obj{
		{"event_type": "open_loop_created", "subject": fmt.Sprintf("悬念%d", n), "payload": obj{"content": fmt.Sprintf("第%d件事由谁而起", n), "urgency": []any{"high", "medium", "low", n % 50}[n%4]}},
		{"event_type": "relationship_changed", "subject": "hero", "payload": obj{"to_entity": who, "relationship_type": fmt.Sprintf("关系%d", (n+variant)%5)}},
		{"event_type": "character_state_changed", "subject": who, "payload": obj{"field": "心境", "to": fmt.Sprintf("心境%d", n%3), "story_day": n - n%9*2}},
	}
	if n > 4 && (n+variant)%6 != 0 {
		events = append(events, obj{"event_type": "open_loop_closed", "subject": fmt.Sprintf("悬念%d", n-4), "payload": obj{"content": fmt.Sprintf("第%d件事由谁而起", n-4)}})
	}
	if n%10 == 1 {
		events = append(events, obj{"event_type": "world_rule_revealed", "subject": fmt.Sprintf("规矩%d", n), "payload": obj{"rule": fmt.Sprintf("第%d条规矩", n), "domain": "律", "id": fmt.Sprint("r", n)}})
	}
	if n%30 == 5 && n > 10 {
		events = append(events, obj{"event_type": "world_rule_broken", "subject": fmt.Sprintf("规矩%d", n-n%10-9), "payload": obj{"id": fmt.Sprint("r", n-n%10-9)}})
	}
	entities := []obj{{"entity_id": "hero", "canonical_name": "沈砚", "aliases": []string{"沈师傅"}}}
	if n == 1 {
		entities[0]["is_protagonist"] = true
	}
	states := []obj{{"entity_id": "hero", "field": "位置", "new": fmt.Sprintf("渡口%d", (n*7+variant)%11)}}
	if n%40 == 0 {
		states = append(states, obj{"entity_id": who, "field": "status", "new": []string{"死", "生还"}[n/40%2]})
	}
	return obj{
		"accepted_events": events, "state_deltas": states, "entity_deltas": entities,
		"summary_text": fmt.Sprintf("第%d夜，沈砚见到%s。", n, who),
		"chapter_meta": obj{"hook_type": []string{"悬念", "反转"}[n%2], "hook_strength": "strong", "coolpoint_patterns": []string{"打脸"}},
	}
}

// everyAnswer asks everything and gives the answers as text.
func everyAnswer(t *testing.T, s *Session) string {
	t.Helper()
	ctx := t.Context()
	var out strings.Builder
	put := func(name string) func(v any, err error) {
		return func(v any, err error) {
			raw, jerr := json.MarshalIndent(v, "", " ")
			if jerr != nil {
				t.Fatal(jerr)
			}
			fmt.Fprintf(&out, "== %s %v\n%s\n", name, err, raw)
		}
	}
	for _, at := range []string{"", "1", "77", "150", "299"} {
		for _, id := range []string{"hero", "沈师傅", "人物3", "悬念9", "无此人"} {
			put("entity " + id + at)(first(s.MemoryEntity(ctx, id, at)))
			put("relations " + id + at)(first(s.MemoryRelations(ctx, id, at)))
		}
		put("rules " + at)(first(s.MemoryRules(ctx, "律", "all", at)))
		put("relations " + at)(first(s.MemoryRelations(ctx, "", at)))
		for _, status := range []string{"active", "closed", "all"} {
			put("loops " + status + at)(first(s.MemoryLoops(ctx, status, at)))
		}
	}
	put("timeline")(first(s.MemoryTimeline(ctx, 40, 60)))
	put("warnings")(first(s.MemoryWarnings(ctx)))
	put("signals")(first(s.ReaderSignals(ctx, 5, 20)))
	put("metrics")(first(s.ReviewMetrics(ctx, 5)))
	put("trend")(first(s.ReviewTrend(ctx, 5)))
	for _, chapter := range []string{"1", "2", "150", "300", "301", "番外·雨夜"} {
		put("summary " + chapter)(first(s.MemorySummary(ctx, chapter)))
		for _, budget := range []int{1, 300, 8000} {
			for _, intent := range []string{IntentDraft, IntentReview, IntentRepair} {
				put(fmt.Sprint("context ", chapter, budget, intent))(first(s.LoadContext(ctx, ContextInput{Chapter: chapter, Budget: budget, Intent: intent})))
			}
		}
	}
	for _, words := range []string{"掌柜", "渡口", "灯芯 掌柜3", "第299夜", "沈", "没有的词", "人物3", "，"} {
		put("search " + words)(first(s.Search(ctx, SearchInput{Words: words, Limit: 7})))
	}
	return out.String()
}

func first[T any](v T, err error) (any, error) { return v, err }

// TestIndexIsOnlyACache: every answer about a book of 300 chapters is the same, byte for byte, whether the index file was there,
// was deleted, or was brought up to date step by step while the book changed at its end, in its middle and by leaving chapters.
func TestIndexIsOnlyACache(t *testing.T) {
	t.Parallel()
	o := memoryLibrary(t, 300)
	file := filepath.Join(o.Root, filepath.FromSlash(schema.IndexDBPath))
	check := func(when string) {
		t.Helper()
		s := openMemory(t, o)
		with := everyAnswer(t, s)
		if again := everyAnswer(t, s); again != with {
			t.Fatalf("%s: asked twice:\n%s", when, cmp.Diff(with, again))
		}
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("%s: there is no index: %v", when, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if without := everyAnswer(t, openMemory(t, o)); without != with {
			t.Fatalf("%s (-with the file +without):\n%s", when, cmp.Diff(with, without))
		}
		if len(s.Notices()) > 0 {
			t.Errorf("%s: notices %v", when, s.Notices())
		}
	}
	check("at first")
	putFacts(t, openMemory(t, o), 290, 300, 1)
	check("changed at the end")
	putFacts(t, openMemory(t, o), 100, 103, 2)
	check("changed in the middle")
	if _, err := openMemory(t, o).ChapterRetract(t.Context(), "300", "重写"); err != nil {
		t.Fatal(err)
	}
	check("a chapter left")
	text := filepath.Join(o.Root, "novels", "雨夜灯", "第120章 夜120.md")
	if err := os.WriteFile(text, []byte("# 第120章 夜120\n\n没有旧账。\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("a text was edited by hand")
}

// TestMemoryIsTheFold: what the index answers is what a fold of the records answers.
func TestMemoryIsTheFold(t *testing.T) {
	t.Parallel()
	s := openMemory(t, memoryLibrary(t, 60))
	w, err := s.look()
	if err != nil {
		t.Fatal(err)
	}
	fold := memory.New()
	for n := 1; n <= 60; n++ {
		rec, err := w.commit(schema.NumberKey(n))
		if err != nil {
			t.Fatal(err)
		}
		fold.Put(memory.Step{ID: schema.NumberKey(n).ID(), Number: n, Commit: rec})
	}
	for _, n := range []int{1, 17, 60} {
		v := fold.At(n)
		want := []any{v.Loops("all"), v.Rules("", ""), v.Relations("hero")}
		loops, err := s.MemoryLoops(t.Context(), "all", fmt.Sprint(n))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := s.MemoryRules(t.Context(), "", "", fmt.Sprint(n))
		if err != nil {
			t.Fatal(err)
		}
		relations, err := s.MemoryRelations(t.Context(), "hero", fmt.Sprint(n))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, []any{loops, rules, relations}); d != "" {
			t.Errorf("at %d (-fold +index):\n%s", n, d)
		}
	}
}

// TestIndexDamaged: an index file of any content, or none that can be had, changes no answer.
func TestIndexDamaged(t *testing.T) {
	t.Parallel()
	o := memoryLibrary(t, 20)
	file := filepath.Join(o.Root, filepath.FromSlash(schema.IndexDBPath))
	want := everyAnswer(t, openMemory(t, o))
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	half := append(append([]byte{}, good[:len(good)/2]...), make([]byte, len(good)/2)...)
	for name, data := range map[string][]byte{
		"empty": {}, "rubbish": []byte(strings.Repeat("不是索引", 2000)), "cut": good[:len(good)/3], "zeros": half,
	} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := everyAnswer(t, openMemory(t, o)); got != want {
			t.Errorf("%s:\n%s", name, cmp.Diff(want, got))
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	s := openMemory(t, o)
	if got := everyAnswer(t, s); got != want {
		t.Errorf("a folder in its place:\n%s", cmp.Diff(want, got))
	}
	if len(s.Notices()) == 0 {
		t.Error("nothing was said of it")
	}
}

// TestIndexShared: many sessions ask at once while there is no index yet; all get the same answer.
func TestIndexShared(t *testing.T) {
	t.Parallel()
	o := memoryLibrary(t, 30)
	var wg sync.WaitGroup
	answers := make([]string, 6)
	for i := range answers {
		wg.Go(func() {
			s, err := Open(context.Background(), o)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			p, err := s.LoadContext(context.Background(), ContextInput{Chapter: "31"})
			if err != nil {
				t.Error(err)
				return
			}
			r, err := s.Search(context.Background(), SearchInput{Words: "掌柜", Limit: 50})
			if err != nil {
				t.Error(err)
				return
			}
			answers[i] = string(p.Sections) + fmt.Sprint(r.Hits)
		})
	}
	wg.Wait()
	for i, a := range answers {
		if a != answers[0] {
			t.Errorf("session %d answers otherwise", i)
		}
	}
}
