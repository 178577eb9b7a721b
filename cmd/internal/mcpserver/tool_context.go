package mcpserver

import (
	"context"
	"fmt"

	"git-novel/workflow"
)

// maxBudget bounds the budget of novel_context, in estimated tokens.
const maxBudget = 1_000_000

func contextTool() tool {
	return tool{
		name: "novel_context",
		about: "写作上下文：一章动笔、审查或返修前需要知道的一切，永远不超预算；放不下的列在 dropped 里。draft 与 repair 守曝光策略（转述字段的原话不出现），" +
			"review 给全部字段；repair 另带审查问题。",
		args: []property{
			bookArg(), chapterArg(),
			oneOf("intent", "draft 写（默认）/ review 审 / repair 改", workflow.IntentDraft, workflow.IntentReview, workflow.IntentRepair),
			whole("budget", fmt.Sprintf("估算的 token 上限，默认 %d", workflow.DefaultBudget), 1, maxBudget),
			rootArg(),
		},
		required: []string{"chapter"},
		reads:    true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			chapter, err := c.needChapter()
			if err != nil {
				return nil, err
			}
			intent, err := c.word("intent", workflow.IntentDraft, workflow.IntentReview, workflow.IntentRepair)
			if err != nil {
				return nil, err
			}
			budget, err := c.integer("budget", workflow.DefaultBudget, 1, maxBudget)
			if err != nil {
				return nil, err
			}
			r, err := c.s.LoadContext(ctx, workflow.ContextInput{Chapter: chapter, Intent: intent, Budget: budget})
			if err != nil {
				return nil, err
			}
			p := newPage("novel-context", "")
			p.add("%s", r.Sections)
			p.add("（%s，约 %d / %d token）", r.Intent, r.Used, r.Budget)
			for _, d := range r.Dropped {
				p.add("  没放下：%s %d 项，约 %d token", d.Section, d.Items, d.Tokens)
			}
			p.notes(r.Warnings)
			return p.end(r), nil
		},
	}
}
