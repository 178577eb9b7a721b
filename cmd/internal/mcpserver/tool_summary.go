package mcpserver

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow"
)

// summaryTool is novel_summary (seed novel_summary).
func summaryTool() tool {
	text := map[string]any{"type": "string"}
	list := map[string]any{"type": "array", "items": text}
	return tool{
		name: schema.ToolSummary,
		about: "章节摘要存储：按章存取摘要、关键事件与关键设定。摘要文本由你生成，程序只负责存。add 与 update 都是整条替换，旧的 keyEvents / keySettings " +
			"不会保留；「2」「第02章」「第02章.md」「第二章」是同一个槽位。",
		args: []property{
			str("book", "书名，即 novels/ 下的子目录名"),
			oneOf("action", "list 列出全部（默认）/ get 取一章 / add 新增或覆盖 / update 修改 / delete 删除", "list", "get", "add", "update", "delete"),
			str("chapter", "章节标识（章号 / 文件名 / 标题）；非 list 动作必需"),
			str("summary", "add / update 必需：本章摘要，建议 200–500 字，覆盖剧情走向 / 关键事件 / 结尾状态"),
			stringList("keyEvents", "可选：关键事件列表"),
			stringList("keySettings", "可选：本章出现的关键设定 / 信息"),
			str("root", "章节库根目录"),
		},
		required: []string{"book"},
		output: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"book": text, "action": text, "message": text,
				"summaries": map[string]any{"type": "array", "items": map[string]any{
					"type": "object", "additionalProperties": false, "required": []string{"chapter", "summary"},
					"properties": map[string]any{"chapter": text, "summary": text, "keyEvents": list, "keySettings": list, "updatedAt": text},
				}},
			},
			"required": []string{"book", "action", "summaries"},
		},
		run: func(ctx context.Context, c *call) (*answer, error) {
			if _, err := c.required("book"); err != nil {
				return nil, err
			}
			r, err := c.s.Summary(ctx, workflow.SummaryInput{
				Action: c.exact("action"), Chapter: c.chapter(), Summary: c.optional("summary"),
				KeyEvents: c.list("keyEvents"), KeySettings: c.list("keySettings"),
			})
			if err != nil {
				return nil, err
			}
			return &answer{text: r.Render(), data: r}, nil
		},
	}
}
