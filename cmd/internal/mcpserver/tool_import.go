package mcpserver

import (
	"context"
	"path/filepath"

	"git-novel/schema"
	"git-novel/workflow"
)

// importTool takes in a novel as a new book. It copies: the source is only read.
func importTool() tool {
	return tool{
		name: "novel_import",
		about: "作品导入：把一个文本文件（.txt / .md）或一个文件夹里的书稿复制成一本新书。scan 只看会切出哪些章、有什么疑问；apply 才写入，一次提交。" +
			"源文件只读，原样留在原处；书已存在时拒绝。",
		args: []property{
			oneOf("action", "scan 预览（默认，不写）/ apply 导入", "scan", "apply"),
			str("path", "书稿的文件或文件夹；相对路径从书库根目录算起"),
			str("book", "新书的书名；省略时用文件或文件夹的名字"),
			boolean("renumber", "每卷从第 1 章重新编号的书稿：连续编号"),
			rootArg(),
		},
		required: []string{"path"},
		run: func(ctx context.Context, c *call) (*answer, error) {
			action, err := c.word("action", "scan", "apply")
			if err != nil {
				return nil, err
			}
			path, err := c.required("path")
			if err != nil {
				return nil, err
			}
			renumber, err := c.flag("renumber")
			if err != nil {
				return nil, err
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.s.Root(), filepath.FromSlash(path))
			}
			r, err := c.s.Import(ctx, workflow.ImportInput{
				Path: path, Book: c.optional("book"), DryRun: action == "scan", Renumber: renumber, Agent: true,
			})
			if err != nil {
				return nil, err
			}
			return imported(r), nil
		},
	}
}

// importShown is how many chapters the text lists; the data has them all.
const importShown = 60

func imported(r *workflow.ImportResult) *answer {
	p := newPage("novel-import", schema.BookDir(schema.BookName(r.Book)))
	p.add("《%s》 %d 章 %d 字，编码 %s", r.Book, len(r.Chapters), r.Chars, r.Encoding)
	for i, ch := range r.Chapters {
		if i == importShown {
			p.add("  …… 还有 %d 章", len(r.Chapters)-i)
			break
		}
		doubt := ""
		if !ch.Doubt.IsZero() {
			doubt = "  〔存疑：" + zh.Text(ch.Doubt) + "〕"
		}
		p.add("  %s  %s  %d 字%s", ch.Key, ch.Title, ch.Chars, doubt)
	}
	p.notes(r.Notes)
	if r.DryRun {
		p.add("这是预览，什么都没写；确认后用 action=apply。")
	} else {
		p.add("已导入，提交 %s", short(r.Commit))
		p.next(r.Next)
	}
	return p.end(r)
}
