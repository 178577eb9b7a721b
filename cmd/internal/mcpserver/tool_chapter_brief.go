package mcpserver

import (
	"context"

	"git-novel/workflow"
)

// chapterBriefTool is the 开写包 (reference 1.12, 2.12).
func chapterBriefTool() tool {
	return tool{
		name: "novel_chapter_brief",
		about: "开写包：动笔前读一遍。上章结尾（衔接锚点）、前情摘要、章纲方向、人物、未收伏笔、世界观、禁区与检查清单；只读，什么都不创建。" +
			"没有的部分写在 degraded 里。实时聊天写作开启时另有 chatWriting 一节。",
		args: []property{
			bookArg(),
			{"chapter", map[string]any{"type": []string{"string", "integer"}, "description": "next（默认，下一章）/ 章号 / 文件名 / 标题"}},
			oneOf("budget", "compact 锚点 300 字（默认）/ full 锚点 600 字", "compact", "full"),
			rootArg(),
		},
		reads: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			budget, err := c.word("budget", "compact", "full")
			if err != nil {
				return nil, err
			}
			b, err := c.s.ChapterBrief(ctx, workflow.BriefInput{Chapter: c.chapter(), Full: budget == "full"})
			if err != nil {
				return nil, err
			}
			return &answer{text: b.Render(), data: b}, nil
		},
	}
}
