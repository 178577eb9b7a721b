package mcpserver

import (
	"context"

	"git-novel/workflow"
)

// Rows of one answer of novel_history.
const (
	historyRows    = 30
	maxHistoryRows = 1000
)

func historyTool() tool {
	return tool{
		name:  "novel_history",
		about: "一本书或一章的历史：每个提交的时间、动作与状态变化，新的在前。",
		args: []property{
			bookArg(), chapterArg(), whole("limit", "最多多少条，默认 30", 1, maxHistoryRows), rootArg(),
		},
		reads: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			limit, err := c.integer("limit", historyRows, 1, maxHistoryRows)
			if err != nil {
				return nil, err
			}
			rows, err := c.s.Log(ctx, c.chapter())
			if err != nil {
				return nil, err
			}
			total := len(rows)
			rows = rows[:min(limit, total)]
			p := newPage("novel-history", "")
			for _, r := range rows {
				p.add("%s  %s  %s%s", short(r.Commit), r.When.Format("2006-01-02 15:04"), r.Subject, move(r))
			}
			if total > len(rows) {
				p.add("（共 %d 条，只列 %d 条）", total, len(rows))
			}
			return p.end(map[string]any{"commits": rows, "total": total}), nil
		},
	}
}

// move shows a transition, or nothing when the commit made none.
func move(r workflow.LogRow) string {
	if r.From == nil || r.To == nil {
		return ""
	}
	return "  " + zh.State(*r.From) + " → " + zh.State(*r.To)
}
