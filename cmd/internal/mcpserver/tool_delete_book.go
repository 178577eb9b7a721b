package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"
)

// deleteBookTool moves books to the trash and back (reference 1.13).
func deleteBookTool() tool {
	return tool{
		name: "novel_delete_book",
		about: "作品删除：preview 列出会移走什么（默认，不写）；apply 移到回收分支；list 列出回收分支；restore 从回收分支恢复，绝不覆盖；" +
			"purge 彻底删除一个回收分支，必须在 confirm 里把分支名再写一遍。先 preview 给用户看，得到同意再 apply；purge 只在用户明确要求时用。",
		args: []property{
			oneOf("action", "preview（默认）/ apply / list / restore / purge", "preview", "apply", "list", "restore", "purge"),
			str("book", "preview / apply：书名；list：只列这本书的"),
			stringList("keys", "preview / apply：只移走计划里的这些条目（例如 data:drafts）；省略 = 全部"),
			str("trashId", "restore / purge：回收分支名，见 list"),
			str("as", "restore：换个书名恢复"),
			str("confirm", "purge：再写一遍回收分支名"),
			rootArg(),
		},
		destroys: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			action, err := c.word("action", "preview", "apply", "list", "restore", "purge")
			if err != nil {
				return nil, err
			}
			switch action {
			case "list":
				return trashList(ctx, c)
			case "restore":
				return bookRestore(ctx, c)
			case "purge":
				return bookPurge(ctx, c)
			}
			book, err := c.required("book")
			if err != nil {
				return nil, err
			}
			keys, err := c.planKeys()
			if err != nil {
				return nil, err
			}
			r, err := c.s.BookDelete(ctx, workflow.BookDeleteInput{Book: book, Keys: keys, Apply: action == "apply"})
			if err != nil {
				return nil, err
			}
			return deletion(r), nil
		},
	}
}

// planKeys are the chosen entries; none is all of them. Anything but a list of names is refused: it must not be taken for
// "everything".
func (c *call) planKeys() ([]string, error) {
	raw, ok := c.args["keys"]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	list := c.list("keys")
	if list == nil || len(*list) == 0 {
		return nil, schema.Errorf(schema.CodeInvalid, `参数 "keys" 必须是非空的条目列表；要移走全部就省略它`)
	}
	return *list, nil
}

func deletion(r *workflow.BookDeletion) *answer {
	p := newPage("novel-delete-book", schema.BookDir(schema.BookName(r.Book)))
	if r.Applied {
		p.add("《%s》已移到回收分支 %s", r.Book, r.Branch)
	} else {
		p.add("《%s》将移到回收分支的有（预览，什么都没动）：", r.Book)
	}
	for _, e := range r.Entries {
		mark := ""
		if e.Untracked > 0 {
			mark = fmt.Sprintf("，其中未进 git 的 %d 个", e.Untracked)
		}
		p.add("  %s（%s）  %s  %d 个文件，%d 字节%s", e.Key, e.Kind, e.Path, e.Files, e.Size, mark)
	}
	p.add("  合计 %d 个文件，%d 字节", r.Files, r.Size)
	if len(r.Kept) > 0 {
		p.add("  不动的：%s", strings.Join(r.Kept, "、"))
	}
	if n := len(r.Unsaved); n > 0 {
		p.add("  git 还没有的 %d 个文件（一并移走）：%s", n, strings.Join(r.Unsaved[:min(n, fewNames)], "、"))
	}
	p.faults(r.Faults)
	if !r.Applied {
		p.add("确认后用 action=apply。")
		return p.end(r)
	}
	p.add("没有丢失任何内容：action=restore, trashId=%s", r.Branch)
	p.next(r.Next)
	return p.end(r)
}

// fewNames is how many names a line lists.
const fewNames = 10

func trashList(ctx context.Context, c *call) (*answer, error) {
	rows, err := c.s.BookTrash(ctx)
	if err != nil {
		return nil, err
	}
	p := newPage("novel-trash", "")
	for _, r := range rows {
		p.add("%s  %s  %d 个文件，%d 字节  %s", r.Branch, trashed(r), r.Files, r.Size, r.Time)
	}
	if len(rows) == 0 {
		p.add("没有回收分支。")
	}
	return p.end(map[string]any{"trash": rows}), nil
}

func trashed(r workflow.TrashRow) string {
	switch r.Kind {
	case schema.TrashBook:
		return "作品《" + r.Book + "》"
	case schema.TrashChapter:
		return "《" + r.Book + "》" + string(schema.KeyOfID(r.Chapter))
	case schema.TrashDamaged:
		return "《" + r.Book + "》损坏的记录"
	case schema.TrashOther:
	}
	return "不是 git-novel 建的"
}

func bookRestore(ctx context.Context, c *call) (*answer, error) {
	id, err := c.required("trashId")
	if err != nil {
		return nil, err
	}
	r, err := c.s.BookRestore(ctx, id, c.optional("as"))
	if err != nil {
		return nil, err
	}
	p := newPage("novel-delete-book", schema.BookDir(schema.BookName(r.Book)))
	p.add("《%s》已恢复：%d 个文件，提交 %s；回收分支 %s 还在", r.Book, r.Files, short(r.Commit), r.Branch)
	p.notes(r.Notes)
	p.next(r.Next)
	return p.end(r), nil
}

func bookPurge(ctx context.Context, c *call) (*answer, error) {
	id, err := c.required("trashId")
	if err != nil {
		return nil, err
	}
	r, err := c.s.BookPurge(ctx, id, c.optional("confirm"))
	if err != nil {
		return nil, err
	}
	p := newPage("novel-delete-book", "")
	p.add("回收分支 %s 已彻底删除（原提交 %s）", r.Branch, short(r.Commit))
	for _, cmd := range r.Remote {
		p.add("备份里还有一份；要删由作者运行：%s", cmd)
	}
	return p.end(r), nil
}
