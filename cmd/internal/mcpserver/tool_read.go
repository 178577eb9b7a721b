package mcpserver

import (
	"context"
	"strings"
)

// Lines of one page of novel_read.
const (
	pageLines    = 400
	maxPageLines = 5000
	maxLine      = 1 << 30
)

func readTool() tool {
	return tool{
		name:  "novel_read",
		about: "读一章正文：按章号、文件名或标题；长文按行分页。章号撞号或标题不唯一时报错并列出候选。",
		args: []property{
			bookArg(), chapterArg(),
			str("rev", "可选：旧版本，draft（草稿）、drafted / reviewed / committed（到达该状态时）或 git 版本"),
			whole("offset", "从第几行开始，默认 1", 1, maxLine),
			whole("limit", "最多多少行，默认 400", 1, maxPageLines),
			rootArg(),
		},
		required: []string{"chapter"},
		reads:    true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			chapter, err := c.needChapter()
			if err != nil {
				return nil, err
			}
			offset, err := c.integer("offset", 1, 1, maxLine)
			if err != nil {
				return nil, err
			}
			limit, err := c.integer("limit", pageLines, 1, maxPageLines)
			if err != nil {
				return nil, err
			}
			r, err := c.s.ChapterShow(ctx, chapter, c.optional("rev"))
			if err != nil {
				return nil, err
			}
			lines := strings.Split(strings.TrimSuffix(r.Text, "\n"), "\n")
			from := min(offset-1, len(lines))
			to := min(from+limit, len(lines))
			shown := strings.Join(lines[from:to], "\n")
			data := map[string]any{
				"book": r.Book, "chapter": r.Chapter, "key": r.Key, "title": r.Title, "state": r.State, "version": zh.Text(r.Version), "path": r.Binding.Path,
				"blob": r.Binding.Blob, "chars": r.Binding.Chars, "lines": len(lines), "offset": offset, "text": shown,
			}
			p := newPage("novel-chapter", r.Binding.Path)
			p.add("%s %s（%d 字，%d 行，%s）", r.Key, r.Title, r.Binding.Chars, len(lines), zh.State(r.State))
			p.add("")
			p.add("%s", shown)
			if to < len(lines) {
				data["nextOffset"] = to + 1
				p.add("")
				p.add("（第 %d–%d 行，共 %d 行；接着读：offset=%d）", from+1, to, len(lines), to+1)
			}
			return p.end(data), nil
		},
	}
}
