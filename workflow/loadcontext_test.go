package workflow

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-novel/repo"
	"git-novel/schema"
	"git-novel/workflow/brief"
	"git-novel/workflow/prose"
)

// TestTransformedFieldsAreNowhere hunts for the values of transformed fields in the writer's pack, though every source of it
// tells them: the notes, the summaries, the facts, the contracts, the style contract, the text before, what was learned.
func TestTransformedFieldsAreNowhere(t *testing.T) {
	t.Parallel()
	o := memoryLibrary(t, 6)
	s := openMemory(t, o)
	const countdown, countdown2, role = "离城门落锁只剩三个时辰", "离城门、落锁，只剩三个时辰", "承"
	told := "他知道" + countdown + "。" + "她说：" + countdown2 + "！本章的作用：" + role + "。他承认了。"
	w, err := s.look()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		schema.StyleContractPath(w.name):     "限知视角。" + told,
		schema.MasterContractPath(w.name):    `{"master_constraints": {"core_tone": "` + told + `"}}`,
		schema.ReviewContractPath(w.name):    `{"must_check": ["` + told + `"]}`,
		schema.PatternsPath(w.name):          `{"patterns": ["` + told + `", {"text": "` + told + `", "` + countdown + `": 1}]}`,
		schema.VolumesPath(w.name):           `{"volumes": [{"volume": 1, "title": "` + countdown + `", "first": 1, "last": 9}]}`,
		schema.VolumeContractPath(w.name, 1): `{"volume_goal": {"summary": "` + told + `"}}`,
		schema.OutlinePath(w.name, "0007"): `{"schema": "novel-outline/v1", "chapter": "0007", "title": "夜七：` + countdown + `", "note": "` + told + `",
			"content": {"chapter_goal": "沈砚出城，` + countdown + `", "must_payoff": ["` + told + `"], "forbidden_turns": [], "narrative_role_in_arc": "` + role + `",
			"time_pressure_source": "` + countdown + `", "strand_profile": "main_heavy", "key_entities": ["人物6"]},
			"writer_exposure_policy": {"verbatim_fields": ["chapter_goal", "must_payoff"], "transform_fields": {
			"narrative_role_in_arc": "转为节奏，不直接告知` + role + `", "time_pressure_source": "不写` + countdown + `"}}}`,
		"novels/雨夜灯/第06章 夜6.md": "# 第06章 夜6\n\n" + told + "\n",
	}
	for p, text := range files {
		full := filepath.Join(o.Root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.lib.Update(t.Context(), func(tx *repo.Tx) error {
		c, err := w.commit(schema.NumberKey(5))
		if err != nil {
			return err
		}
		c.Extraction.Events = append(c.Extraction.Events,
			schema.Event{ID: "e1", Chapter: 5, Type: "open_loop_created", Subject: "城门", Payload: obj{"content": told, "urgency": "high", "expected_payoff": told}},
			schema.Event{ID: "e2", Chapter: 5, Type: "world_rule_revealed", Subject: "城门", Payload: obj{"rule": told}},
			schema.Event{ID: "e3", Chapter: 5, Type: "relationship_changed", Subject: "hero", Payload: obj{"to": "守门人", "type": countdown, "description": told}})
		c.Extraction.States = append(c.Extraction.States, schema.StateDelta{Entity: "hero", Field: countdown, New: obj{"说": []any{told}}})
		if err := writeRecord(tx, schema.CommitPath(w.name, "0005"), c); err != nil {
			return err
		}
		tx.Message(schema.Message{Verb: schema.VerbCommit, Book: string(w.name), Subject: "补记"})
		return s.putSummary(tx, w, schema.NumberKey(6), told)
	}); err != nil {
		t.Fatal(err)
	}
	for _, intent := range []string{IntentDraft, IntentRepair} {
		for _, budget := range []int{200, 1000, 20000} {
			p, err := s.LoadContext(t.Context(), ContextInput{Chapter: "7", Budget: budget, Intent: intent})
			if err != nil {
				t.Fatal(err)
			}
			all := string(p.Sections)
			for _, w := range p.Warnings {
				all += w.String()
			}
			if strings.Contains(prose.Fold(all), prose.Fold(countdown)) {
				t.Errorf("%s %d tells the countdown: %s", intent, budget, all)
			}
			for _, alone := range []string{`"` + role + `"`, "：" + role + "。", "告知" + role} {
				if strings.Contains(all, alone) {
					t.Errorf("%s %d tells the role: %s", intent, budget, all)
				}
			}
			if budget == 20000 && (!strings.Contains(all, "承认") || !strings.Contains(all, "守门人") || !strings.Contains(all, "hints")) {
				t.Errorf("too much is hidden: %s", all)
			}
		}
	}
	p, err := s.LoadContext(t.Context(), ContextInput{Chapter: "7", Budget: 20000, Intent: IntentReview})
	if err != nil {
		t.Fatal(err)
	}
	if all := string(p.Sections); !strings.Contains(all, `"time_pressure_source":"`+countdown+`"`) || !strings.Contains(all, `"narrative_role_in_arc":"`+role+`"`) {
		t.Errorf("the reviewer cannot check what is hidden: %s", all)
	}
}

// TestContextTellsTiers: the chapters just before are told in detail, those before them shortly, older ones only through what
// still holds; nothing is told twice.
func TestContextTellsTiers(t *testing.T) {
	t.Parallel()
	s := openMemory(t, memoryLibrary(t, 40))
	p, err := s.LoadContext(t.Context(), ContextInput{Chapter: "41", Budget: 30000})
	if err != nil {
		t.Fatal(err)
	}
	var sections struct {
		Recent []struct {
			Chapter int    `json:"chapter"`
			Source  string `json:"source"`
		} `json:"recent_summaries"`
		Loops []struct {
			Urgency float64 `json:"urgency"`
		} `json:"urgent_loops"`
		Rules []map[string]any `json:"active_rules"`
		Pack  struct {
			Ending   string           `json:"previous_ending"`
			Timeline []map[string]any `json:"timeline"`
		} `json:"memory_pack"`
	}
	if err := json.Unmarshal(p.Sections, &sections); err != nil {
		t.Fatal(err)
	}
	if n := len(sections.Recent); n != nearSummaries+midSummaries || sections.Recent[n-1].Chapter != 40 || sections.Recent[0].Chapter != 29 {
		t.Errorf("recent %+v", sections.Recent)
	}
	if len(sections.Loops) != firstLoops || sections.Loops[0].Urgency < sections.Loops[1].Urgency || sections.Loops[1].Urgency < sections.Loops[2].Urgency {
		t.Errorf("loops %+v", sections.Loops)
	}
	if len(sections.Rules) == 0 || len(sections.Rules) > firstRules {
		t.Errorf("rules %+v", sections.Rules)
	}
	if !strings.Contains(sections.Pack.Ending, "第40笔账") || len(sections.Pack.Timeline) == 0 {
		t.Errorf("pack %+v", sections.Pack)
	}
	for _, line := range []string{"第40夜，沈砚见到"} {
		if strings.Count(string(p.Sections), line) != 1 {
			t.Errorf("%s is told %d times", line, strings.Count(string(p.Sections), line))
		}
	}
	if n := brief.Tokens(string(p.Sections)); n != p.Used || n > p.Budget {
		t.Errorf("used %d, counted %d", p.Used, n)
	}
	if len(p.Dropped) == 0 { // there are more loops than three
		t.Error("nothing is said to be left out")
	}
}
