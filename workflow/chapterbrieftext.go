package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
)

// Render is the brief as the tool shows it.
func (b *ChapterBrief) Render() string {
	p := &briefPage{}
	p.WriteString("<path>novels/" + b.Book + "</path>\n<type>novel-chapter-brief</type>\n<content>\n")
	target := b.Chapter
	if b.IsNext {
		target += "（下一章，还没有文件）"
	} else if b.File != "" {
		target += "（" + b.File + "）"
	}
	p.part("目标章", target)
	p.part("上章结尾 · "+b.Previous, b.Anchor)
	p.part("上章钩子", b.Hook)
	var sums []string
	for _, s := range b.Summary {
		sums = append(sums, s.Chapter+"："+s.Summary)
	}
	p.part("前情摘要", sums...)
	p.part("章纲方向", b.Outline)
	p.part("人物", b.People...)
	p.part("未收伏笔", b.Plots...)
	p.part("世界观", b.World...)
	p.part("上次审查", b.Verdict)
	p.part("禁区", b.Avoid...)
	if c := b.Chat; c != nil {
		p.part("实时聊天写作·逐段确认",
			"镜像文件:"+c.DraftFile, "镜像目录:"+c.MirrorDir,
			fmt.Sprintf("程序阈值:%d 字(由程序判定何时提问,不要自己决定)", c.Threshold), c.HowTo, schema.ChatBriefRule)
	}
	p.part("检查清单", b.Plan.Checklist...)
	p.part("缺失说明", b.Degraded...)
	p.WriteString("</content>")
	return p.String()
}

// briefPage collects sections; those without content are left out.
type briefPage struct{ strings.Builder }

func (p *briefPage) part(title string, lines ...string) {
	lines = slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return s == "" })
	if len(lines) == 0 {
		return
	}
	p.WriteString("\n【" + title + "】\n")
	for _, l := range lines {
		if len(lines) > 1 {
			p.WriteString("- ")
		}
		p.WriteString(l + "\n")
	}
}

func personText(e memory.EntitySnapshot) string {
	var facts []string
	for _, k := range slices.Sorted(maps.Keys(e.Attributes)) {
		facts = append(facts, fmt.Sprintf("%s=%v", k, e.Attributes[k]))
	}
	if e.Dead {
		facts = append(facts, "已死")
	}
	if len(facts) == 0 {
		return e.Name
	}
	return e.Name + "（" + strings.Join(facts, "，") + "）"
}

func loopText(l memory.OpenLoop) string {
	t := l.Content
	if l.Subject != "" && !strings.Contains(t, l.Subject) {
		t = l.Subject + "：" + t
	}
	if l.Planted > 0 {
		t += fmt.Sprintf("（埋于第%d章）", l.Planted)
	}
	return t
}

func ruleLine(r memory.Rule) string {
	if r.Subject != "" && !strings.Contains(r.Value, r.Subject) {
		return r.Subject + "：" + r.Value
	}
	return r.Value
}

// tailOf gives the end of a text, at most n UTF-16 units, without white space at its ends.
func tailOf(text string, n int) string {
	text = schema.TrimJS(text)
	runes := []rune(text)
	at, used := len(runes), 0
	for at > 0 {
		size := 1
		if runes[at-1] > 0xffff {
			size = 2
		}
		if used+size > n {
			break
		}
		used += size
		at--
	}
	return schema.TrimJS(string(runes[at:]))
}

func tailRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return s
}
