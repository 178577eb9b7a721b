package mcpserver_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"git-novel/schema"
)

const (
	outlineTool = "novel_outline"
	contextTool = "novel_context"
	queryTool   = "novel_query"
)

// commit takes a chapter through review and commit, with what it tells the memory.
func (l *library) commit(n int, text string, extraction obj) {
	l.t.Helper()
	l.ok(newChapterTool, obj{"content": text, "chapter": n})
	pass := obj{}
	for _, d := range []string{"setting", "timeline", "continuity", "character", "logic", "ai_flavor"} {
		pass[d] = "pass"
	}
	l.ok("novel_review", obj{"action": "record", "chapter": n, "atRecord": true, "results": obj{
		"issues": []any{}, "issues_count": 0, "blocking_count": 0, "summary": "无阻断", "dimensions": pass,
	}})
	none := []any{}
	l.ok("novel_chapter_commit", obj{
		"chapter": n, "fulfillmentResult": obj{"planned_nodes": none, "covered_nodes": none, "missed_nodes": none, "extra_nodes": none},
		"disambiguationResult": obj{"pending": none}, "extractionResult": extraction,
	})
}

func event(kind, subject string, payload obj) obj {
	return obj{"event_type": kind, "subject": subject, "payload": payload}
}

func place(to string) []obj { return []obj{{"entity_id": "shen", "field": "place", "new": to}} }

// remembering is a library with a memory of two chapters.
func remembering(t *testing.T) *library {
	t.Helper()
	l := newLibrary(t)
	l.newBook("雨夜灯")
	l.commit(1, "沈砚在修复室里收到一本灯簿。", obj{
		"accepted_events": []obj{
			event("open_loop_created", "灯簿", obj{"content": "谁收走了灯簿", "urgency": "low"}),
			event("open_loop_created", "刀", obj{"content": "刀上为什么有缺口", "urgency": "high"}),
			event("world_rule_revealed", "口供", obj{"rule": "按了手印不能改", "domain": "口供.手印"}),
			event("relationship_changed", "沈砚", obj{"to_entity": "何三", "relationship_type": "互相试探"}),
		},
		"state_deltas":  place("修复室"),
		"entity_deltas": []obj{{"entity_id": "shen", "canonical_name": "沈砚", "aliases": []string{"沈师傅"}, "tier": "核心", "is_protagonist": true}},
		"chapter_meta":  obj{}, "summary_text": "沈砚收到一本灯簿。",
	})
	l.commit(2, "沈砚去了渡口，刀的事问清楚了。", obj{
		"accepted_events": []obj{
			event("open_loop_closed", "刀", obj{"content": "刀上为什么有缺口"}),
			event("relationship_changed", "沈砚", obj{"to_entity": "何三", "relationship_type": "信任"}),
		},
		"state_deltas": place("渡口"), "entity_deltas": []obj{}, "chapter_meta": obj{}, "summary_text": "沈砚去了渡口。",
	})
	return l
}

// TestQuery asks each question, now and at an earlier chapter.
func TestQuery(t *testing.T) {
	t.Parallel()
	l := remembering(t)
	for _, tt := range []struct {
		name string
		args obj
		data string // in the structured content
		text string
	}{
		{"entity", obj{"what": "entity", "id": "沈师傅"}, `"place":"渡口"`, "  place = 渡口"},
		{"entity at 1", obj{"what": "entity", "id": "shen", "at_chapter": 1}, `"place":"修复室"`, "  place = 修复室"},
		{"entity at 第01章", obj{"what": "entity", "id": "沈砚", "at_chapter": "第01章"}, `"place":"修复室"`, "沈砚（"},
		{"rules", obj{"what": "rules", "domain": "口供"}, `"value":"按了手印不能改"`, "按了手印不能改"},
		{"rules of nothing", obj{"what": "rules", "domain": "别的"}, `"rules":[]`, "（没有）"},
		{"summary", obj{"what": "summary", "chapter": 2}, `"summary":"沈砚去了渡口。"`, "沈砚去了渡口。"},
		{"no summary", obj{"what": "summary", "chapter": "9"}, `"summary":""`, "（没有摘要）"},
		{"loops", obj{"what": "open_loops"}, `"total":1`, "伏笔：谁收走了灯簿"},
		{"loops at 1", obj{"what": "open_loops", "at_chapter": 1}, `"total":2`, "伏笔：刀上为什么有缺口"},
		{"loops closed", obj{"what": "open_loops", "status": "closed"}, `"closed_chapter":2`, "收于第 2 章"},
		{"loops limited", obj{"what": "open_loops", "status": "all", "limit": 1}, `"total":2`, "（共 2 条，只列 1 条）"},
		{"timeline", obj{"what": "timeline", "from": 2, "to": 2}, `"chapter":2`, "第 2 章"},
		{"relations", obj{"what": "relations", "id": "沈砚"}, `"relationship_type":"信任"`, "：信任"},
		{"relations at 1", obj{"what": "relations", "at_chapter": 1}, `"relationship_type":"互相试探"`, "：互相试探"},
		{"search", obj{"what": "search", "words": "渡口", "kinds": []string{"chapters"}}, `"kind":"chapters"`, "novels/雨夜灯/第02章.md:3  "},
		{"search of nothing", obj{"what": "search", "words": "没有这词"}, `"hits":[]`, "（没有）"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a := l.in(t).ok(queryTool, tt.args); !strings.Contains(a.raw, tt.data) || !strings.Contains(a.text, tt.text) {
				t.Errorf("%s\n%s", a.raw, a.text)
			}
		})
	}
	for _, args := range []obj{
		{},
		{"what": "everything"},
		{"what": "entity"},
		{"what": "entity", "id": "无此人"},
		{"what": "summary"},
		{"what": "timeline"},
		{"what": "timeline", "from": 2, "to": 1},
		{"what": "timeline", "from": 1, "to": 2, "at_chapter": 1},
		{"what": "open_loops", "status": "half"},
		{"what": "search"},
		{"what": "search", "words": "灯", "kinds": []string{"drafts"}},
		{"what": "rules", "limit": 0},
	} {
		if a := l.call(queryTool, args); !a.isErr || !strings.HasPrefix(a.text, "错误：") {
			t.Errorf("%v: %s", args, a.text)
		}
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if a := l.call(queryTool, obj{"what": "entity", "id": "shen"}); a.isErr {
				t.Errorf("side by side: %s", a.text)
			}
		})
	}
	all.Wait()
}

const hidden = "灯屋月底前拆除"

// TestOutlineAndContext: an outline goes in as JSON or Markdown, and what the writer may not see stays out of the context.
func TestOutlineAndContext(t *testing.T) {
	t.Parallel()
	l := remembering(t)
	doc := obj{"title": "证词里的空白", "content": obj{
		"chapter_goal": "沈砚找到被改过的口供", "must_payoff": []any{}, "forbidden_turns": []string{"不可说破是谁下的令"}, "narrative_role_in_arc": "转：假相落空",
		"time_pressure_source": hidden, "key_entities": []string{"沈砚"},
	}}
	if a := l.call(outlineTool, obj{"chapter": 3}); !a.isErr {
		t.Errorf("%s", a.text)
	}
	a := l.ok(outlineTool, obj{"action": "set", "chapter": 3, "outline": doc, "note": "结尾让灯灭掉"})
	if a.str("key") != "第03章" || a.str("commit") != l.head() {
		t.Errorf("%s", a.raw)
	}
	l.ok(outlineTool, obj{"action": "set", "chapter": "第三章", "note": "船家要活着"})
	if a = l.ok(outlineTool, obj{"chapter": 3}); a.str("note") != "结尾让灯灭掉\n船家要活着" || !strings.Contains(a.text, hidden) {
		t.Errorf("%s", a.raw)
	}
	l.ok(outlineTool, obj{"action": "set", "chapter": 4, "outline": "## 第四章 渡船\n\n- 目标：过河\n- CBN：沈砚 | 登上 | 渡船\n"})
	if a = l.ok(outlineTool, obj{"action": "check"}); len(a.data["outlines"].([]any)) != 2 || !strings.Contains(a.text, "第04章 渡船：1 个节点") {
		t.Errorf("%s\n%s", a.raw, a.text)
	}
	head := l.head()
	for _, args := range []obj{
		{"action": "set", "chapter": 5},
		{"action": "set", "outline": doc},
		{"action": "set", "chapter": 5, "outline": obj{"content": obj{}}},
		{"action": "set", "chapter": 5, "outline": 5},
		{"action": "set", "chapter": 5, "outline": "## 第四章 渡船\n\n- 目标：过河\n"},
		{"action": "check", "chapter": 9},
		{"action": "delete", "chapter": 3},
	} {
		if a := l.call(outlineTool, args); !a.isErr {
			t.Errorf("%v: %s", args, a.text)
		}
	}
	if l.head() != head {
		t.Error("a refused outline made a commit")
	}

	for intent, shown := range map[string]bool{"": false, "draft": false, "repair": false, "review": true} {
		for _, budget := range []int{60, 400, 8000} {
			a := l.ok(contextTool, obj{"chapter": 3, "intent": intent, "budget": budget})
			if used := a.num("budget_used_tokens"); used > budget || a.num("budget_tokens") != budget {
				t.Errorf("%s %d: %d used", intent, budget, used)
			}
			if !shown && strings.Contains(a.all+a.raw, hidden) || shown && budget == 8000 && !strings.Contains(a.text, hidden) {
				t.Errorf("%s %d: %s", intent, budget, a.text)
			}
		}
	}
	a = l.ok(contextTool, obj{"chapter": 3})
	if a.str("intent") != "draft" || !strings.Contains(a.text, "谁收走了灯簿") || !strings.Contains(a.text, "船家要活着") {
		t.Errorf("%s", a.text)
	}
	for _, args := range []obj{{}, {"chapter": 3, "budget": 0}, {"chapter": 3, "intent": "guess"}, {"chapter": 3, "budget": "many"}} {
		if a := l.call(contextTool, args); !a.isErr {
			t.Errorf("%v: %s", args, a.text)
		}
	}
	l.write(schema.OutlinePath("雨夜灯", "0003"), "{")
	if a := l.call(contextTool, obj{"chapter": 3}); !a.isErr || strings.Contains(a.text, hidden) {
		t.Error(fmt.Sprint("a damaged outline hides nothing: ", a.text))
	}
}
