package mcpserver

import (
	"context"
	"path"
	"strings"

	"git-novel/workflow"
)

func chaptersTool() tool {
	return tool{
		name:  "novel_chapters",
		about: "列出一本书的章节：章号、标题、字数、状态；同一章号有多个文件时给出警告。",
		args:  []property{bookArg(), rootArg()},
		reads: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			rows, err := c.s.ChapterList(ctx)
			if err != nil {
				return nil, err
			}
			p := newPage("novel-chapters", "")
			chars := 0
			for _, r := range rows {
				if !r.Foreign {
					chars += r.Chars
				}
				p.chapter(r)
			}
			p.add("共 %d 章，%d 字", len(rows), chars)
			duplicates := duplicateGroups(rows)
			if len(duplicates) > 0 {
				p.add("⚠️ 同章号多文件 %d 组（%s）", len(duplicates), strings.Join(duplicates, "；"))
			}
			return p.end(map[string]any{"chapters": rows, "duplicates": duplicates}), nil
		},
	}
}

// duplicateGroups names each chapter that several files claim, with the files.
func duplicateGroups(rows []workflow.ChapterRow) []string {
	groups := []string{}
	at := map[string]int{}
	for _, r := range rows {
		if !r.Duplicate {
			continue
		}
		files := r.Files
		if len(files) == 0 {
			files = []string{r.Path}
		}
		names := make([]string, len(files))
		for i, f := range files {
			names[i] = path.Base(f)
		}
		if i, seen := at[r.Key]; seen {
			if len(r.Files) == 0 {
				groups[i] += "、" + names[0]
			}
			continue
		}
		at[r.Key] = len(groups)
		groups = append(groups, r.Key+"："+strings.Join(names, "、"))
	}
	return groups
}
