package mcpserver

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow"
)

// reviewTool hands out review tasks and records their results. A person's own pass and the override of an issue are not
// among its actions (DESIGN 5, Override).
func reviewTool() tool {
	return tool{
		name: "novel_review",
		about: "审查：task 领取审查任务（kind=review 全面审查，kind=recheck 润色后的去 AI 味复检），record 登记全面审查的结果，recheck 登记复检的结果" +
			"（要带任务号 task），show 查看算数的那次审查。结果必须写明读的是哪个文本（results.text.blob，任务里有）。",
		args: []property{
			oneOf("action", "task / record / recheck / show", "task", "record", "recheck", "show"),
			bookArg(), chapterArg(),
			oneOf("kind", "task：任务种类，默认 review", string(schema.TaskReview), string(schema.TaskRecheck)),
			str("dispute", "task：给审查者的话，说明上次的问题为何是误报"),
			document("results", "record / recheck：审查结果"),
			str("textBlob", "record：审查者读到的文本的 blob（结果里没写时）"),
			boolean("atRecord", "record：审查者读的就是磁盘上现在的正文"),
			str("task", "recheck：所回答的复检任务的编号"),
			rootArg(),
		},
		required: []string{"action", "chapter"},
		run: func(ctx context.Context, c *call) (*answer, error) {
			if _, err := c.required("action"); err != nil {
				return nil, err
			}
			action, err := c.word("action", "task", "record", "recheck", "show")
			if err != nil {
				return nil, err
			}
			chapter, err := c.needChapter()
			if err != nil {
				return nil, err
			}
			switch action {
			case "task":
				return reviewTask(ctx, c, chapter)
			case "show":
				return reviewShow(ctx, c, chapter)
			}
			results, err := c.document("results")
			if err != nil {
				return nil, err
			}
			if results == nil {
				return nil, schema.Errorf(schema.CodeInvalid, "novel_review %s 需要 results 参数", action)
			}
			file := workflow.File{Name: "results", Data: results}
			if action == "recheck" {
				task, err := c.required("task")
				if err != nil {
					return nil, err
				}
				return reviewed(c.s.ReviewRecheck(ctx, workflow.RecheckInput{Chapter: chapter, File: file, Task: task}))
			}
			at, err := c.flag("atRecord")
			if err != nil {
				return nil, err
			}
			return reviewed(c.s.ReviewRecord(ctx, workflow.ReviewRecordInput{Chapter: chapter, File: file, TextBlob: c.optional("textBlob"), AtRecord: at}))
		},
	}
}

func reviewTask(ctx context.Context, c *call, chapter string) (*answer, error) {
	t, err := c.s.ReviewTask(ctx, workflow.ReviewTaskInput{Chapter: chapter, Kind: schema.TaskKind(c.optional("kind")), Dispute: c.optional("dispute")})
	if err != nil {
		return nil, err
	}
	data, err := schema.Marshal(t)
	if err != nil {
		return nil, err
	}
	p := newPage("novel-review-task", t.Path)
	p.add("审查任务 %s：读 %s（%d 字），按 inputs.dimensions 逐项给出结论；结果里写回 text.blob。", t.ID, t.Path, t.Chars)
	p.WriteString(string(data))
	return p.end(t), nil
}

func reviewShow(ctx context.Context, c *call, chapter string) (*answer, error) {
	v, err := c.s.ReviewShow(ctx, chapter)
	if err != nil {
		return nil, err
	}
	p := newPage("novel-review", "")
	p.WriteString(v.Report)
	return p.end(v), nil
}

// reviewed renders what a recorded result did.
func reviewed(r *workflow.ReviewResult, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	p := newPage("novel-review", r.Text.Path)
	p.add("%s 第 %d 轮已登记：%d 个问题，%d 个阻断", r.Key, r.Round, len(r.Issues), r.Blocking)
	if r.Advanced {
		p.add("  %s → %s", zh.State(r.From), zh.State(r.State))
	} else {
		p.add("  仍是 %s", zh.State(r.State))
	}
	for _, i := range r.Issues {
		mark := "·"
		if i.Blocks() {
			mark = "[阻断]"
		}
		p.add("  %s %s %s/%s %s：%s", mark, i.ID, i.Severity, i.Category, i.Location, i.Description)
	}
	for _, f := range r.Missing {
		p.add("  还缺：%s", zh.Fault(f))
	}
	p.next(r.Next)
	return p.end(r), nil
}
