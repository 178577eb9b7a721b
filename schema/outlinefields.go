package schema

import (
	"slices"
	"strings"
	"unicode"
)

// outlineField is one field of an outline's content layer: where it lies, how the exposure policy names it, and what the
// Markdown form of volume outlines calls it. One of text and texts is set.
type outlineField struct {
	name   string
	labels []string
	text   func(*OutlineContent) *string
	texts  func(*OutlineContent) *[]string
	nodes  bool // the entries of the list are nodes: 主体 | 动作 | 对象
	always bool // the list is written even when it is empty
}

// outlineFields are the fields in their order.
func outlineFields() []outlineField {
	return []outlineField{
		{
			name: "chapter_goal", labels: []string{"目标", "本章目标", "章节目标", "章目标"},
			text: func(c *OutlineContent) *string { return &c.Goal },
		},
		{
			name: "must_payoff", labels: []string{"必须兑现", "本章兑现", "伏笔回收", "回收伏笔"}, always: true,
			texts: func(c *OutlineContent) *[]string { return &c.MustPayoff },
		},
		{
			name: "forbidden_turns", labels: []string{"本章禁区", "禁区", "禁止转折", "本章禁止"}, always: true,
			texts: func(c *OutlineContent) *[]string { return &c.Forbidden },
		},
		{
			name: "narrative_role_in_arc", labels: []string{"叙事功能", "叙事角色", "卷内功能", "卷级叙事功能"},
			text: func(c *OutlineContent) *string { return &c.Role },
		},
		{
			name: "strand_profile", labels: []string{"Strand配比", "Strand比例", "剧情线配比", "剧情线比例"},
			text: func(c *OutlineContent) *string { return &c.Strand },
		},
		{
			name: "time_pressure_source", labels: []string{"时间压力", "时间压力来源"},
			text: func(c *OutlineContent) *string { return &c.TimePressure },
		},
		{
			name: "cbn", labels: []string{"CBN", "开章节点", "章首节点"},
			text: func(c *OutlineContent) *string { return &c.CBN },
		},
		{
			name: "cpns", labels: []string{"CPNs", "CPN", "推进节点"}, nodes: true, always: true,
			texts: func(c *OutlineContent) *[]string { return &c.CPNs },
		},
		{
			name: "cen", labels: []string{"CEN", "收章节点", "章末节点"},
			text: func(c *OutlineContent) *string { return &c.CEN },
		},
		{
			name: "must_cover_nodes", labels: []string{"必须覆盖节点", "必须覆盖", "必覆盖节点"}, nodes: true, always: true,
			texts: func(c *OutlineContent) *[]string { return &c.MustCover },
		},
		{
			name: "key_entities", labels: []string{"关键实体", "涉及实体"}, always: true,
			texts: func(c *OutlineContent) *[]string { return &c.KeyEntities },
		},
		{
			name: "obstacles", labels: []string{"阻力", "本章阻力", "障碍"},
			texts: func(c *OutlineContent) *[]string { return &c.Obstacles },
		},
		{
			name: "cost", labels: []string{"代价", "本章代价"},
			text: func(c *OutlineContent) *string { return &c.Cost },
		},
		{
			name: "time_anchor", labels: []string{"时间锚点"},
			text: func(c *OutlineContent) *string { return &c.TimeAnchor },
		},
		{
			name: "chapter_span", labels: []string{"章内跨度", "章内时间跨度", "时间跨度"},
			text: func(c *OutlineContent) *string { return &c.Span },
		},
		{
			name: "countdown", labels: []string{"倒计时", "倒计时状态"},
			text: func(c *OutlineContent) *string { return &c.Countdown },
		},
		{
			name: "chapter_end_open_question", labels: []string{"章末未闭合问题", "未闭合问题", "章末问题"},
			text: func(c *OutlineContent) *string { return &c.OpenQuestion },
		},
		{
			name: "hook_type", labels: []string{"钩子类型", "章末钩子类型"},
			text: func(c *OutlineContent) *string { return &c.HookType },
		},
		{
			name: "hook_strength", labels: []string{"钩子强度", "章末钩子强度"},
			text: func(c *OutlineContent) *string { return &c.HookStrength },
		},
		{
			name: "strand", labels: []string{"Strand", "剧情线"},
			text: func(c *OutlineContent) *string { return &c.Thread },
		},
		{
			name: "antagonist_tier", labels: []string{"反派层级"},
			text: func(c *OutlineContent) *string { return &c.Antagonist },
		},
		{
			name: "highlight", labels: []string{"爽点", "本章爽点"},
			text: func(c *OutlineContent) *string { return &c.Highlight },
		},
		{
			name: "time_gap", labels: []string{"与上章时间差", "时间差"},
			text: func(c *OutlineContent) *string { return &c.TimeGap },
		},
		{
			name: "point_of_view", labels: []string{"视角", "主角", "视角主角"},
			text: func(c *OutlineContent) *string { return &c.PointOfView },
		},
		{
			name: "change", labels: []string{"本章变化", "变化"},
			text: func(c *OutlineContent) *string { return &c.Change },
		},
		{
			name: "hook", labels: []string{"钩子", "章末钩子"},
			text: func(c *OutlineContent) *string { return &c.Hook },
		},
	}
}

// OutlineFields lists the fields of the content layer in their order, as the exposure policy names them.
func OutlineFields() []string {
	var names []string
	for _, f := range outlineFields() {
		names = append(names, f.name)
	}
	return names
}

// OutlineList reports whether a field of the content layer is a list.
func OutlineList(field string) bool {
	return slices.ContainsFunc(outlineFields(), func(f outlineField) bool { return f.name == field && f.texts != nil })
}

// Values gives what a field of the content layer says, by the name that the exposure policy has for it: one value or
// several, blank ones left out. An unknown field says nothing.
func (c OutlineContent) Values(field string) []string {
	fields := outlineFields()
	i := slices.IndexFunc(fields, func(f outlineField) bool { return f.name == field })
	if i < 0 {
		return nil
	}
	var all []string
	if fields[i].texts != nil {
		all = slices.Clone(*fields[i].texts(&c))
	} else {
		all = []string{*fields[i].text(&c)}
	}
	return slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// plainLabel is a label without what writers put around it: blanks, bold marks, brackets with remarks, and the number of a
// counted node (CPN2). Width and case do not count.
func plainLabel(s string) string {
	var b strings.Builder
	deep := 0
	for _, r := range s {
		switch {
		case r > 0xFF00 && r < 0xFF5F:
			r -= 0xFEE0
		case r == '【' || r == '】' || r == '[' || r == ']':
			continue
		}
		switch {
		case r == '(':
			deep++
		case r == ')':
			deep = max(deep-1, 0)
		case deep > 0 || unicode.IsSpace(r) || strings.ContainsRune("*_`#", r):
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	out := b.String()
	if strings.HasPrefix(out, "cpn") {
		out = strings.TrimRight(out, "0123456789-")
	}
	return out
}
