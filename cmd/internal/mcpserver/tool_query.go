package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/memory"
)

// Questions of novel_query.
const (
	askEntity    = "entity"
	askRules     = "rules"
	askSummary   = "summary"
	askLoops     = "open_loops"
	askTimeline  = "timeline"
	askRelations = "relations"
	askSearch    = "search"
)

// Bounds of one answer of novel_query.
const (
	queryRows    = 100
	maxQueryRows = 1000
)

// queryTool asks the memory: what the committed chapters say, also as it was true at an earlier chapter.
func queryTool() tool {
	questions := []string{askEntity, askRules, askSummary, askLoops, askTimeline, askRelations, askSearch}
	return tool{
		name: "novel_query",
		about: "记忆查询：已提交章节记录了什么。entity 人物/地点/物件的状态，rules 世界规则，open_loops 伏笔与承诺（最急的在前），timeline 时间线，relations 关系，" +
			"summary 一章的摘要，search 在正文、摘要、记录里找词。at_chapter=N 问「第 N 章结束时」什么为真。",
		args: []property{
			oneOf("what", "问什么", questions...),
			bookArg(),
			str("id", "entity（必需）/ relations：编号、名字或别名"),
			{"chapter", map[string]any{"type": []string{"string", "integer"}, "description": "summary：哪一章"}},
			{"at_chapter", map[string]any{
				"type": []string{"string", "integer"}, "description": "entity / rules / open_loops / relations：第几章结束时；默认最后一章",
			}},
			str("domain", "rules：只要这个领域及其下级"), str("scope", "rules：只要这个范围"),
			oneOf("status", "open_loops：active（默认）/ closed / all", memory.StatusActive, memory.StatusClosed, "all"),
			whole("from", "timeline：从第几章", 0, schema.MaxNumber), whole("to", "timeline：到第几章", 0, schema.MaxNumber),
			str("words", "search：要找的词，空格分开，须同时出现"),
			stringList("kinds", "search：chapters / summaries / records，默认全部"),
			whole("limit", fmt.Sprintf("最多多少条，默认 %d", queryRows), 1, maxQueryRows),
			rootArg(),
		},
		required: []string{"what"},
		reads:    true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			if _, err := c.required("what"); err != nil {
				return nil, err
			}
			what, err := c.word("what", questions...)
			if err != nil {
				return nil, err
			}
			limit, err := c.integer("limit", queryRows, 1, maxQueryRows)
			if err != nil {
				return nil, err
			}
			q := &query{call: c, ctx: ctx, limit: limit, at: c.chapterIn("at_chapter"), page: newPage("novel-query", ""), data: map[string]any{"what": what}}
			if q.at != "" {
				if slices.Contains([]string{askSummary, askTimeline, askSearch}, what) {
					return nil, schema.Errorf(schema.CodeInvalid, `参数 "at_chapter" 不用于 %s`, what)
				}
				q.data["at_chapter"] = q.at
			}
			ask := map[string]func() error{
				askEntity: q.entity, askRules: q.rules, askSummary: q.summary, askLoops: q.loops, askTimeline: q.timeline,
				askRelations: q.relations, askSearch: q.search,
			}[what]
			if err := ask(); err != nil {
				return nil, err
			}
			return q.page.end(q.data), nil
		},
	}
}

// query is one question under way.
type query struct {
	*call

	ctx   context.Context //nolint:containedctx // of this one question
	limit int
	at    string
	page  *page
	data  map[string]any
}

// rows puts a list into the answer, as much of it as the limit allows.
func rows[T any](q *query, name string, list []T, line func(T) string) {
	total := len(list)
	list = list[:min(total, q.limit)]
	for _, v := range list {
		q.page.add("%s", line(v))
	}
	switch {
	case total == 0:
		q.page.add("（没有）")
	case total > len(list):
		q.page.add("（共 %d 条，只列 %d 条）", total, len(list))
	}
	q.data[name], q.data["total"] = list, total
}

func (q *query) entity() error {
	id, err := q.required("id")
	if err != nil {
		return err
	}
	e, err := q.s.MemoryEntity(q.ctx, id, q.at)
	if err != nil {
		return err
	}
	dead := ""
	if e.Dead {
		dead = "，已死"
	}
	q.page.add("%s（%s，第 %d–%d 章%s）", e.Name, e.Type, e.First, e.Last, dead)
	if len(e.Aliases) > 0 {
		q.page.add("  别名：%s", strings.Join(e.Aliases, "、"))
	}
	for _, k := range slices.Sorted(maps.Keys(e.Attributes)) {
		q.page.add("  %s = %v", k, e.Attributes[k])
	}
	for _, ch := range e.Recent {
		q.page.add("  第 %d 章：%s → %v", ch.Chapter, ch.Field, ch.New)
	}
	q.data["entity"] = e
	return nil
}

func (q *query) rules() error {
	list, err := q.s.MemoryRules(q.ctx, q.optional("domain"), q.optional("scope"), q.at)
	if err != nil {
		return err
	}
	rows(q, "rules", list, func(r memory.Rule) string {
		return fmt.Sprintf("%s：%s（%s，第 %d 章）", r.Subject, r.Value, r.Domain, r.Chapter)
	})
	return nil
}

func (q *query) summary() error {
	chapter, err := q.needChapter()
	if err != nil {
		return err
	}
	r, err := q.s.MemorySummary(q.ctx, chapter)
	if err != nil {
		return err
	}
	text := r.Summary
	if text == "" {
		text = "（没有摘要）"
	}
	q.page.add("%s", text)
	for _, list := range []struct {
		name string
		of   []string
	}{{"关键事件", r.KeyEvents}, {"关键设定", r.KeySettings}} {
		if len(list.of) > 0 {
			q.page.add("%s：%s", list.name, strings.Join(list.of, "；"))
		}
	}
	q.data["summary"] = r
	return nil
}

func (q *query) loops() error {
	status, err := q.word("status", memory.StatusActive, memory.StatusClosed, "all")
	if err != nil {
		return err
	}
	list, err := q.s.MemoryLoops(q.ctx, status, q.at)
	if err != nil {
		return err
	}
	rows(q, "open_loops", list, func(l memory.OpenLoop) string {
		kind := map[string]string{memory.KindLoop: "伏笔", memory.KindPromise: "承诺"}[l.Kind]
		end := ""
		if l.Closed > 0 {
			end = fmt.Sprintf("，收于第 %d 章", l.Closed)
		}
		return fmt.Sprintf("%s：%s（埋于第 %d 章%s，紧迫 %v）", kind, l.Content, l.Planted, end, l.Urgency)
	})
	return nil
}

func (q *query) timeline() error {
	from, err := q.integer("from", -1, 0, schema.MaxNumber)
	if err != nil {
		return err
	}
	to, err := q.integer("to", -1, 0, schema.MaxNumber)
	if err != nil {
		return err
	}
	if from < 0 || to < 0 {
		return schema.Errorf(schema.CodeInvalid, "novel_query timeline 需要 from 与 to 参数")
	}
	list, err := q.s.MemoryTimeline(q.ctx, from, to)
	if err != nil {
		return err
	}
	rows(q, "timeline", list, func(e memory.TimelineEvent) string {
		return strings.TrimRight(fmt.Sprintf("第 %d 章  %s  %s", e.Chapter, e.Event, e.TimeHint), " ")
	})
	return nil
}

func (q *query) relations() error {
	list, err := q.s.MemoryRelations(q.ctx, q.optional("id"), q.at)
	if err != nil {
		return err
	}
	rows(q, "relations", list, func(r memory.Relation) string {
		return strings.TrimRight(fmt.Sprintf("%s → %s：%s（第 %d 章） %s", r.From, r.To, r.Type, r.Chapter, r.Description), " ")
	})
	return nil
}

func (q *query) search() error {
	words, err := q.required("words")
	if err != nil {
		return err
	}
	in := workflow.SearchInput{Words: words, Limit: q.limit}
	if kinds := q.list("kinds"); kinds != nil {
		in.Kinds = *kinds
	}
	r, err := q.s.Search(q.ctx, in)
	if err != nil {
		return err
	}
	for _, h := range r.Hits {
		q.page.add("%s:%d  %s", h.Path, h.Line, h.Excerpt)
	}
	switch {
	case len(r.Hits) == 0:
		q.page.add("（没有）")
	case r.More:
		q.page.add("（还有更多，只列 %d 处）", len(r.Hits))
	}
	q.data["hits"], q.data["more"] = r.Hits, r.More
	return nil
}
