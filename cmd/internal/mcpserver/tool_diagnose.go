package mcpserver

import (
	"context"

	"git-novel/workflow"
)

func diagnoseTool() tool {
	return tool{
		name:  "novel_diagnose",
		about: "诊断报告：各数据目录的大小（草稿镜像在内）、损坏的文件、同章号多文件、过期的凭证、git 与备份的状况、被静默跳过的事。只读。",
		args:  []property{bookArg(), rootArg()},
		reads: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			d, err := c.s.Diagnose(ctx)
			if err != nil {
				return nil, err
			}
			p := newPage("novel-diagnose", "")
			p.diagnosis(d)
			return p.end(d), nil
		},
	}
}

func (p *page) diagnosis(d *workflow.Diagnosis) {
	if d.Healthy {
		p.add("健康：没有需要处理的问题")
	}
	for _, x := range d.Problems {
		p.problem(x)
	}
	p.add("数据目录：")
	for _, f := range d.Folders {
		mark := ""
		if f.Ignored {
			mark = "（git 忽略）"
		}
		p.add("  %s  %d 个文件，%d 字节%s", f.Path, f.Files, f.Size, mark)
	}
	p.add("  .git  %d 个文件，%d 字节", d.Git.Size.Files, d.Git.Size.Size)
	for _, b := range d.Books {
		p.add("《%s》 %d 章；草稿镜像 %d 个文件，%d 字节", b.Book, b.Chapters, b.Drafts.Files, b.Drafts.Size)
	}
	who := d.Git.Identity
	if who == "" {
		who = "没有设置作者"
	}
	p.add("git：分支 %s，%s", d.Git.Branch, who)
	switch b := d.Backup; {
	case !b.Configured:
		p.add("备份：没有配置")
	case b.Pushed == "":
		p.add("备份：%s 还没有收到过", b.Remote)
	case b.Behind > 0:
		p.add("备份：%s 落后 %d 个提交，它的内容是 %d 天前的", b.Remote, b.Behind, b.AgeDays)
	default:
		p.add("备份：%s 没有落后", b.Remote)
	}
	p.add("回收分支：%d 个", d.Trash)
	if len(d.Events) > 0 {
		p.add("没有让命令失败、但被跳过的事（新的在后）：")
	}
	for _, e := range d.Events {
		p.add("  %s  %s  %s", e.Time, e.Kind, e.Text)
	}
}

func (p *page) problem(x workflow.Problem) {
	level := map[workflow.Level]string{workflow.LevelError: "错误", workflow.LevelWarning: "警告", workflow.LevelNote: "提示"}[x.Level]
	where := ""
	if x.Book != "" {
		where = "《" + x.Book + "》"
	}
	if x.File != "" {
		where += x.File + "："
	}
	p.add("%s  %s%s", level, where, zh.Text(x.Msg))
	if !x.Hint.IsZero() {
		p.add("    %s", zh.Text(x.Hint))
	}
}
