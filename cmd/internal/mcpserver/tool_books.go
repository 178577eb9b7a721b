package mcpserver

import "context"

func booksTool() tool {
	return tool{
		name:  "novel_books",
		about: "列出书库里的全部作品：章数、已提交章数、当前章号。",
		args:  []property{rootArg()},
		reads: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			rows, err := c.s.BookList(ctx)
			if err != nil {
				return nil, err
			}
			p := newPage("novel-books", "novels/")
			for _, r := range rows {
				p.add("《%s》 %d 章，已提交 %d 章，当前第 %d 章", r.Book, r.Chapters, r.Committed, r.Current)
				p.faults(r.Faults)
			}
			if len(rows) == 0 {
				p.add("书库里还没有作品。请作者新建：git novel book new 书名")
			}
			return p.end(map[string]any{"root": c.s.Root(), "books": rows}), nil
		},
	}
}
