package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// contextBudget is the budget that P4 asks for, in tokens.
const contextBudget = 8000

// rowContext measures P4: the context for the next chapter of a long book against that of a short one. The index is there, as
// it is in daily work; how long it takes to make is not measured here.
func rowContext(ctx context.Context, b *bench) ([]result, error) {
	dirs := [2]string{}
	for i, chapters := range []int{large, small} {
		dir, err := b.library(ctx, chapters)
		if err != nil {
			return nil, err
		}
		if err := b.addFacts(ctx, dir, chapters); err != nil {
			return nil, err
		}
		n, err := b.contextTokens(ctx, dir, chapters+1)
		if err != nil {
			return nil, err
		}
		if n < contextBudget/4 || n > contextBudget {
			return nil, fmt.Errorf("load-context gives %d tokens for a budget of %d", n, contextBudget)
		}
		dirs[i] = dir
	}
	args := func(chapters int) []string {
		return []string{"memory-contract", "load-context", "--chapter", strconv.Itoa(chapters + 1), "--budget-tokens", strconv.Itoa(contextBudget)}
	}
	sa, sb, err := interleaved(b.repetitions(21, 9), true, timed(ctx, b.novel, dirs[0], args(large)...), timed(ctx, b.novel, dirs[1], args(small)...))
	if err != nil {
		return nil, err
	}
	res := compare(sa, sb, fmt.Sprintf("the same at %d chapters", small))
	res.Chapters, res.Bar = large, 1.5
	return []result{res}, nil
}

// contextTokens asks for a context and gives the estimated tokens that it says it has.
func (b *bench) contextTokens(ctx context.Context, dir string, chapter int) (int, error) {
	_, out, err := b.novel(ctx, dir, "memory-contract", "load-context", "--chapter", strconv.Itoa(chapter), "--budget-tokens", strconv.Itoa(contextBudget))
	if err != nil {
		return 0, err
	}
	var pack struct {
		Used int `json:"budget_used_tokens"`
	}
	err = json.Unmarshal(out, &pack)
	return pack.Used, err
}

// addFacts gives every chapter facts, as one has that was written with the tool: people who change and meet, questions that
// open and close again, now and then a rule of the world. It is done once; the rows after it see a book with a memory.
func (b *bench) addFacts(ctx context.Context, dir string, chapters int) error {
	records := filepath.Join(dir, ".novel-writer", "books", bookName, "chapters")
	for n := 1; n <= chapters; n++ {
		path := filepath.Join(records, fmt.Sprintf("%04d", n), "commit.json")
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		var rec map[string]any
		if err := json.Unmarshal(data, &rec); err != nil {
			return err
		}
		if rec["extraction_result"] != nil {
			continue
		}
		rec["extraction_result"] = facts(n)
		if data, err = json.MarshalIndent(rec, "", "  "); err != nil {
			return err
		}
		if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil { //nolint:gosec // like the tool's own files
			return err
		}
	}
	if _, out, err := b.gitCmd(ctx, dir, "status", "--porcelain"); err != nil || len(out) == 0 {
		return err
	}
	if _, err := b.addCommit(ctx, dir, "facts", []string{".novel-writer/books/" + bookName}); err != nil {
		return err
	}
	return b.settle(ctx, dir)
}

func facts(n int) map[string]any {
	type obj = map[string]any
	w := newWriter(n)
	someone := func() string { return fmt.Sprintf("人物%d", w.r.IntN(60)) }
	event := func(i int, typ, subject string, payload obj) obj {
		return obj{"event_id": fmt.Sprintf("evt-ch%03d-%03d-0000000000", n, i), "chapter": n, "event_type": typ, "subject": subject, "payload": payload}
	}
	question := func(n int) obj {
		return obj{"content": fmt.Sprintf("第%d件事由谁而起", n), "urgency": []string{"high", "medium", "low"}[n%3]}
	}
	events := []obj{
		event(1, "open_loop_created", fmt.Sprintf("悬念%d", n), question(n)),
		event(2, "relationship_changed", "主角", obj{"to_entity": someone(), "relationship_type": []string{"信任", "猜疑", "敌对"}[n%3]}),
		event(3, "character_state_changed", someone(), obj{"field": "心境", "to": []string{"平静", "不安"}[n%2]}),
	}
	if n > 20 {
		events = append(events, event(4, "open_loop_closed", fmt.Sprintf("悬念%d", n-20), question(n-20)))
	}
	if n%100 == 1 {
		events = append(events, event(5, "world_rule_revealed", fmt.Sprintf("规矩%d", n), obj{"rule": fmt.Sprintf("第%d条规矩不可违背", n), "domain": "律"}))
	}
	return obj{
		"accepted_events": events,
		"state_deltas":    []obj{{"entity_id": "hero", "field": []string{"位置", "境界", "心情"}[n%3], "new": fmt.Sprintf("状态%d", n%37)}},
		"entity_deltas":   []obj{{"entity_id": "hero", "canonical_name": "主角", "entity_type": "角色", "tier": "核心", "is_protagonist": n == 1}},
		"chapter_meta":    obj{"hook_type": "悬念", "hook_strength": "strong"},
		"summary_text":    "见摘要。",
	}
}
