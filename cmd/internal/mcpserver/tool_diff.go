package mcpserver

import (
	"context"

	"git-novel/repo/diff"
	"git-novel/workflow"
)

func diffTool() tool {
	return tool{
		name:  "novel_diff",
		about: "比较一章的两个版本（默认：草稿镜像对正文），按段、句、字标出改动。",
		args: []property{
			bookArg(), chapterArg(),
			str("from", "旧的一边：draft、drafted、reviewed、committed 或 git 版本"),
			str("to", "新的一边，同上；默认磁盘上的正文"),
			boolean("stat", "只要统计"),
			rootArg(),
		},
		required: []string{"chapter"},
		reads:    true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			chapter, err := c.needChapter()
			if err != nil {
				return nil, err
			}
			stat, err := c.flag("stat")
			if err != nil {
				return nil, err
			}
			r, err := c.s.Diff(ctx, workflow.DiffInput{Chapter: chapter, From: c.optional("from"), To: c.optional("to")})
			if err != nil {
				return nil, err
			}
			labels := diff.English().Map("zh-CN", func(s string) string { return zh.T(s) })
			o := diff.RenderOptions{Labels: labels, From: zh.Text(r.From), To: zh.Text(r.To)}
			p := newPage("novel-diff", "")
			if stat {
				p.WriteString(r.Result.StatText(o))
				return p.end(map[string]any{"book": r.Book, "chapter": r.Chapter, "from": r.From, "to": r.To, "stat": r.Result.Stat}), nil
			}
			p.WriteString(r.Result.Unified(o))
			return p.end(r), nil
		},
	}
}
