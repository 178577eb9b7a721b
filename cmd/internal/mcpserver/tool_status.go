package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/state"
)

func statusTool() tool {
	return tool{
		name:  "novel_status",
		about: "进度看板：每章处在哪个状态、欠着什么、下一步该做什么，以及「已保存 / 已提交 / 已推送」三件事。",
		args:  []property{bookArg(), boolean("all", "列出全部章节；默认只列未完成的与最后几章"), rootArg()},
		reads: true,
		run: func(ctx context.Context, c *call) (*answer, error) {
			all, err := c.flag("all")
			if err != nil {
				return nil, err
			}
			b, err := c.s.Status(ctx)
			if err != nil {
				return nil, err
			}
			p := newPage("novel-status", "")
			p.notes(b.Notes)
			for i := range b.Books {
				p.board(&b.Books[i], all)
				if !all {
					b.Books[i].Chapters = shortList(b.Books[i].Chapters)
				}
			}
			if len(b.Books) == 0 {
				p.add("书库里还没有作品。")
			}
			p.facts(b.Backup)
			return p.end(b), nil
		},
	}
}

// lastShown is how many finished chapters at the end of a book are listed; all unfinished ones always are.
const lastShown = 5

func shortList(rows []workflow.ChapterRow) []workflow.ChapterRow {
	out := []workflow.ChapterRow{}
	for i, r := range rows {
		if i >= len(rows)-lastShown || !r.Quiet() {
			out = append(out, r)
		}
	}
	return out
}

func (p *page) board(b *workflow.BookBoard, all bool) {
	p.add("《%s》 共 %d 章 %d 字：已提交 %d，已审 %d，起草 %d；当前第 %d 章", b.Book, b.Counts.Chapters, b.Counts.Chars, b.Counts.Committed,
		b.Counts.Reviewed, b.Counts.Drafted, b.Current)
	rows := b.Chapters
	if !all {
		rows = shortList(rows)
		if n := len(b.Chapters) - len(rows); n > 0 {
			p.add("  …… 前面 %d 章已完成（all=true 全部列出）", n)
		}
	}
	for _, r := range rows {
		p.chapter(r)
	}
	if len(b.Debt) > 0 {
		p.add("  欠着回写（第 5 步）：%s", strings.Join(b.Debt, "、"))
	}
	if len(b.DraftsDue) > 0 {
		p.add("  还没进 git 的草稿镜像：%s", strings.Join(b.DraftsDue, "、"))
	}
	p.faults(b.Faults)
	p.next(b.Next)
}

// chapter is one line about a chapter.
func (p *page) chapter(r workflow.ChapterRow) {
	st := schema.StateNone
	if r.State != nil {
		st = *r.State
	}
	var marks []string
	for _, m := range r.Marks() {
		marks = append(marks, zh.Text(m))
	}
	mark := ""
	if len(marks) > 0 {
		mark = "〔" + strings.Join(marks, "、") + "〕"
	}
	title := ""
	if r.Title != "" {
		title = " " + r.Title
	}
	p.add("  %s%s  %d 字  %s%s", r.Key, title, r.Chars, zh.State(st), mark)
}

// facts tells saved, committed and pushed apart (DESIGN 12).
func (p *page) facts(f workflow.BackupFacts) {
	saved := "全部"
	if !f.Saved {
		saved = fmt.Sprintf("还有 %d 个文件没有：%s", len(f.Unsaved), strings.Join(f.Unsaved[:min(5, len(f.Unsaved))], "、"))
	}
	p.add("已保存：%s", saved)
	p.add("已提交：%s", short(f.Committed))
	switch {
	case f.Remote == "":
		p.add("已推送：没有配置备份（请作者运行 git novel backup add NAME URL）")
	case f.Pushed == "":
		p.add("已推送：%s 还没有收到过（novel_backup）", f.Remote)
	case f.Behind > 0:
		p.add("已推送：%s 到 %s，落后 %d 个提交（novel_backup）", short(f.Pushed), f.Remote, f.Behind)
	default:
		p.add("已推送：%s 到 %s", short(f.Pushed), f.Remote)
	}
}

func short(id string) string { return id[:min(len(id), 10)] }

func (p *page) notes(notes []schema.Text) {
	for _, n := range notes {
		p.add("  注意：%s", zh.Text(n))
	}
}

func (p *page) faults(faults []schema.Fault) {
	for _, f := range faults {
		p.add("  问题：%s", zh.Fault(f))
	}
}

// next lists what may be done now; a command that a tool also does is named with the tool.
func (p *page) next(actions []state.Action) {
	for _, a := range actions {
		mark := "可以"
		if a.Owed {
			mark = "应做"
		}
		with := ""
		if name := toolOf(a.Kind); name != "" && !strings.Contains(a.Command, " review pass ") { // which only a person gives
			with = "（工具 " + name + "）"
		}
		p.add("  %s：%s%s  %s", mark, a.Command, with, zh.Text(a.Why))
	}
}

// toolOf is the tool that does what a command does, "" when only a person does it.
func toolOf(k state.Kind) string {
	switch k {
	case state.KindStart:
		return "novel_new_chapter"
	case state.KindReview, state.KindRecheck:
		return "novel_review"
	case state.KindCommit, state.KindEnrich:
		return "novel_chapter_commit"
	case state.KindSave, state.KindOverride, state.KindRetcon, state.KindTypo, state.KindDiscard, state.KindRetract, state.KindRename,
		state.KindSetStatus, state.KindAdopt, state.KindSplit, state.KindResolve, state.KindRecover:
	}
	return ""
}
