package mcpserver

import (
	"context"

	"git-novel/workflow"
)

// backupTool pushes to backups that the author has configured. It adds none: where an author's text goes is the author's
// decision.
func backupTool() tool {
	return tool{
		name:  "novel_backup",
		about: "备份（第 6 步）：把当前分支、回收分支与章节标签推到作者配置好的备份，并核对对方收到了什么。配置备份是作者的事：git novel backup add NAME URL。",
		args: []property{
			oneOf("action", "run 推送（默认）/ list 列出备份 / verify 克隆备份并验证历史", "run", "list", "verify"),
			str("name", "备份的名字；只有一个时可省略"), chapterArg(), bookArg(), rootArg(),
		},
		waits: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			action, err := c.word("action", "run", "list", "verify")
			if err != nil {
				return nil, err
			}
			switch action {
			case "list":
				return backupList(ctx, c)
			case "verify":
				return backupVerify(ctx, c)
			}
			r, err := c.s.BackupRun(ctx, workflow.BackupInput{Name: c.optional("name"), Chapter: c.chapter()})
			if err != nil {
				return nil, err
			}
			p := newPage("novel-backup", "")
			p.add("备份到 %s（%s）", r.Name, r.URL)
			for _, ref := range r.Refs {
				note := ""
				if !ref.Note.IsZero() {
					note = "  " + zh.Text(ref.Note)
				}
				p.add("  %s %s%s", short(ref.ID), ref.Name, note)
			}
			p.notes(r.Notes)
			p.facts(r.Facts)
			return p.end(r), nil
		},
	}
}

func backupList(ctx context.Context, c *call) (*answer, error) {
	rows, err := c.s.BackupList(ctx)
	if err != nil {
		return nil, err
	}
	p := newPage("novel-backup", "")
	for _, r := range rows {
		p.add("%s  %s  %s", r.Name, r.URL, short(r.Pushed))
	}
	if len(rows) == 0 {
		p.add("没有配置备份。请作者运行：git novel backup add NAME URL")
	}
	return p.end(map[string]any{"backups": rows}), nil
}

func backupVerify(ctx context.Context, c *call) (*answer, error) {
	r, err := c.s.BackupVerify(ctx, c.optional("name"))
	if err != nil {
		return nil, err
	}
	p := newPage("novel-backup", "")
	p.add("备份 %s（%s）的分支 %s 已克隆并验证：%s，%d 个提交", r.Name, r.URL, r.Branch, r.Verify.Level, r.Verify.Commits)
	p.facts(r.Facts)
	return p.end(r), nil
}
