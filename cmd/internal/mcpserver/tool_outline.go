package mcpserver

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow"
)

func outlineTool() tool {
	return tool{
		name: "novel_outline",
		about: "章纲：show 读一章的章纲（含写手不该看到的字段；写正文请用 novel_context），set 保存章纲或追加作者灵感 note，check 检查一章或全书的章纲。" +
			"章纲可以是 JSON，也可以是中文 Markdown（目标 / 阻力 / CBN / CPNs / CEN / 必须覆盖节点 / 本章禁区 …）。",
		args: []property{
			oneOf("action", "show（默认）/ set / check", "show", "set", "check"),
			bookArg(), chapterArg(),
			{"outline", map[string]any{"type": []string{"object", "string"}, "description": "set：章纲（JSON 对象，或 JSON / Markdown 的文本）"}},
			str("note", "set：作者的灵感，进入下一次写作上下文"),
			rootArg(),
		},
		run: func(ctx context.Context, c *call) (*answer, error) {
			action, err := c.word("action", "show", "set", "check")
			if err != nil {
				return nil, err
			}
			if action == "check" {
				return outlineCheck(ctx, c)
			}
			chapter, err := c.needChapter()
			if err != nil {
				return nil, err
			}
			if action == "set" {
				return outlineSet(ctx, c, chapter)
			}
			o, err := c.s.OutlineShow(ctx, chapter)
			if err != nil {
				return nil, err
			}
			data, err := schema.Marshal(o)
			if err != nil {
				return nil, err
			}
			p := newPage("novel-outline", "")
			p.WriteString(string(data))
			return p.end(o), nil
		},
	}
}

func outlineSet(ctx context.Context, c *call, chapter string) (*answer, error) {
	data, err := c.document("outline")
	if err != nil {
		return nil, err
	}
	note := c.optional("note")
	if data == nil && note == "" {
		return nil, schema.Errorf(schema.CodeInvalid, "novel_outline set 需要 outline 或 note 参数")
	}
	r, err := c.s.OutlineSet(ctx, chapter, workflow.File{Name: "outline", Data: data}, note)
	if err != nil {
		return nil, err
	}
	p := newPage("novel-outline", "")
	p.add("已保存《%s》%s 的章纲：%d 个节点，提交 %s", r.Book, r.Key, len(r.Outline.Nodes()), short(r.Commit))
	return p.end(r), nil
}

func outlineCheck(ctx context.Context, c *call) (*answer, error) {
	r, err := c.s.OutlineCheck(ctx, c.chapter())
	if err != nil {
		return nil, err
	}
	p := newPage("novel-outline", "")
	for _, o := range r.Outlines {
		p.add("%s %s：%d 个节点，原样给写手 %d 项，转述 %d 项", o.Key, o.Title, len(o.Nodes), len(o.Verbatim), len(o.Transform))
		p.notes(o.Warnings)
	}
	if len(r.Outlines) == 0 {
		p.add("《%s》还没有章纲", r.Book)
	}
	return p.end(r), nil
}
