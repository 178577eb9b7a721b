package mcpserver

import (
	"context"
	"path"
	"path/filepath"
	"strconv"

	"git-novel/schema"
	"git-novel/workflow"
)

// maxNumber is the highest chapter number (reference K26).
const maxNumber = 9999

func newChapterTool() tool {
	return tool{
		name: "novel_new_chapter",
		about: "把定稿写成正式章节（起草状态）：文件「第NN章[ 标题].md」，首行是标题。绝不覆盖已有章节；给了书名而书还没有时，连书一起建；上一章提交之后才能建下一章。" +
			"实时聊天写作时，本章全部写完、用户确认之后才调用。",
		args: []property{
			bookArg(),
			str("content", "本章完整正文；首行没有标题时程序加上「# 第NN章 标题」"),
			{"chapter", map[string]any{"type": []string{"integer", "string"}, "description": "章号（1 到 9999）；省略时为最大章号加一。无章号的篇目（楔子、番外·雨夜）给名称"}},
			str("title", "可选：标题"),
			str("after", "可选：无章号的篇目排在哪一章之后"),
			rootArg(),
		},
		required: []string{"content"},
		run: func(ctx context.Context, c *call) (*answer, error) {
			content, err := c.required("content")
			if err != nil {
				return nil, err
			}
			chapter := c.chapter()
			n, err := strconv.Atoi(chapter)
			if err == nil && (n < 1 || n > maxNumber) || chapter == "" && c.given("chapter") {
				return nil, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是 %d 到 %d 之间的整数`, "chapter", 1, maxNumber)
			}
			r, err := c.s.ChapterNew(ctx, workflow.ChapterNewInput{
				Chapter: chapter, Title: c.optional("title"), Text: []byte(content), After: c.optional("after"), Heading: true, NewBook: true,
			})
			if err != nil {
				return nil, err
			}
			data := map[string]any{
				"book": r.Book, "key": r.Key, "file": path.Base(r.Path), "path": filepath.Join(c.s.Root(), filepath.FromSlash(r.Path)),
				"chars": r.Text.Chars, "state": r.State, "blob": r.Text.Blob, "commit": r.Commit, "next": r.Next, "notes": r.Notes,
			}
			if n, ok := schema.ChapterKey(r.Key).Number(); ok {
				data["number"] = n
			}
			p := newPage("novel-new-chapter", r.Path)
			p.add("已新建 %s：%s（%d 字）", r.Key, path.Base(r.Path), r.Text.Chars)
			p.notes(r.Notes)
			p.next(r.Next)
			return p.end(data), nil
		},
	}
}
