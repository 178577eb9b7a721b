package brief

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

// Limits of what a section takes (DESIGN 13 where it names one).
const (
	maxRules     = 5
	maxLoops     = 3
	maxStyle     = 2000 // characters of the style contract
	maxEnding    = 260  // characters of the previous ending
	nearChapters = 3    // summaries told whole
	farSummary   = 80   // characters of a summary farther away
	maxFar       = 7
	maxSetting   = 400 // characters of one settings section
	maxSettings  = 8
)

// Ranks: the lower goes in first. Hard constraints, nodes and borders come before anything that only helps.
const (
	rankGoal = iota
	rankNode
	rankForbidden
	rankHint
	rankEnding
	rankDead
	rankNote
	rankLoop
	rankEntity
	rankRule
	rankStyle
	rankNear
	rankPattern
	rankRelation
	rankSetting
	rankFar
	rankGenre
)

func (b *builder) hard() {
	const s = SectionHard
	o := b.in.Outline
	if o == nil {
		b.warn("the chapter has no outline; the task book has no goal and no nodes")
		b.add(s, rankGoal, "本章没有章纲：接着上一章写，不要收束主线，不要引入改变设定的事")
	} else {
		if b.shown("chapter_goal") && o.Content.Goal != "" {
			b.add(s, rankGoal, "本章目标：%s", o.Content.Goal)
		}
		if b.shown("must_payoff") {
			for _, p := range o.Content.MustPayoff {
				b.add(s, rankGoal, "必须兑现：%s", p)
			}
		}
		if b.shown("key_entities") && len(o.Content.KeyEntities) > 0 {
			b.add(s, rankGoal, "关键实体：%s", strings.Join(o.Content.KeyEntities, "、"))
		}
		b.told(s, "obstacles", "阻力")
		b.told(s, "cost", "代价")
		b.told(s, "antagonist_tier", "反派层级")
		b.told(s, "highlight", "爽点")
		b.told(s, "point_of_view", "视角")
		b.told(s, "change", "本章变化")
		b.told(s, "time_gap", "与上章时间差")
		b.told(s, "time_anchor", "时间锚点")
		b.told(s, "countdown", "倒计时")
		b.told(s, "chapter_span", "章内跨度")
	}
	if b.in.MinChars > 0 {
		b.add(s, rankGoal, "正文不少于 %d 个汉字；不留占位，写到一个完整的停顿处", b.in.MinChars)
	}
	if v := b.in.Memory; v != nil {
		for _, d := range v.Deaths() {
			b.add(s, rankDead, "%s 已死（第%d章），不得说话或行动，除非写明是回忆", d.Names[0], d.Chapter)
		}
		rules := v.Rules("", "")
		for _, r := range rules[:min(len(rules), maxRules)] {
			b.add(s, rankRule, "世界规则：%s", ruleText(r))
		}
	}
}

// told puts in a field of the outline that the writer may see word for word.
func (b *builder) told(section int, field, label string) {
	if vs := b.in.Outline.Content.Values(field); len(vs) > 0 && b.shown(field) {
		b.add(section, rankNode, "%s：%s", label, strings.Join(vs, "；"))
	}
}

func ruleText(r memory.Rule) string {
	t := r.Value
	if r.Subject != "" && !strings.Contains(r.Value, r.Subject) {
		t = r.Subject + "：" + t
	}
	return t
}

func (b *builder) nodes() {
	if b.in.Outline == nil {
		return
	}
	c := b.in.Outline.Content
	put := func(field, label string, nodes ...string) {
		if !b.shown(field) {
			return
		}
		for _, n := range nodes {
			if n = strings.TrimSpace(n); n != "" {
				b.add(SectionNodes, rankNode, "%s：%s", label, n)
			}
		}
	}
	put("cbn", "CBN（开章）", c.CBN)
	put("cpns", "CPN（推进）", c.CPNs...)
	put("cen", "CEN（收章）", c.CEN)
	put("must_cover_nodes", "必须覆盖", c.MustCover...)
	b.told(SectionNodes, "chapter_end_open_question", "章末留下的问题")
	b.told(SectionNodes, "hook", "章末钩子")
	b.told(SectionNodes, "hook_type", "章末钩子")
	b.told(SectionNodes, "hook_strength", "钩子强度")
}

func (b *builder) forbidden() {
	if b.in.Outline == nil {
		return
	}
	if b.shown("forbidden_turns") {
		for _, f := range b.in.Outline.Content.Forbidden {
			if f = strings.TrimSpace(f); f != "" {
				b.add(SectionForbidden, rankForbidden, "%s", f)
			}
		}
	}
	for _, f := range []string{"time_pressure_source", "time_anchor", "countdown"} {
		if len(b.in.Outline.Content.Values(f)) > 0 && !b.shown(f) {
			b.add(SectionForbidden, rankForbidden, "不写期限、具体钟点、剩余时间的数字")
			break
		}
	}
}

// context is the reference material: the nearer, the more of it.
func (b *builder) context() {
	const s = SectionContext
	if p := b.in.Previous; p != nil && strings.TrimSpace(p.Text) != "" {
		b.addLong(s, rankEnding, fmt.Sprintf("上一章（%s）结尾，从这里接：", p.Name), ending(p.Text))
	} else if b.in.Number > 1 {
		b.warn("the previous chapter's text was not given; the task book has no ending to go on from")
	}
	notes := b.in.Notes
	if b.in.Outline != nil && b.in.Outline.Note != "" {
		notes = append([]string{b.in.Outline.Note}, notes...)
	}
	for _, n := range notes {
		b.addLong(s, rankNote, "作者的灵感：", n)
	}
	b.fromMemory()
	b.summaries()
	b.settings()
}

// ending gives the last paragraphs of a text, whole ones, as many as the limit holds.
func ending(text string) string {
	ps := prose.Parse(text).Paragraphs
	var out []string
	n := 0
	for _, p := range slices.Backward(ps) {
		n += len([]rune(p.Text))
		if len(out) > 0 && n > maxEnding {
			break
		}
		out = append(out, p.Text)
	}
	slices.Reverse(out)
	return strings.Join(out, "\n")
}

func (b *builder) fromMemory() {
	v := b.in.Memory
	if v == nil {
		return
	}
	const s = SectionContext
	loops := v.Loops(memory.StatusActive)
	for _, l := range loops[:min(len(loops), maxLoops)] {
		kind := "未闭合的悬念"
		if l.Kind == memory.KindPromise {
			kind = "未兑现的承诺"
		}
		b.add(s, rankLoop, "%s（第%d章）：%s", kind, l.Planted, l.Content)
	}
	var told []string
	tell := func(e memory.EntitySnapshot) {
		if slices.Contains(told, e.ID) {
			return
		}
		told = append(told, e.ID)
		b.add(s, rankEntity, "%s", entityText(e))
		for _, r := range v.Relations(e.ID) {
			if r.From == e.ID && r.Type != "" {
				b.add(s, rankRelation, "%s 与 %s：%s", e.Name, nameOf(v, r.To), strings.TrimSpace(r.Type+" "+r.Description))
			}
		}
	}
	if b.in.Outline != nil {
		for _, k := range b.in.Outline.Content.KeyEntities {
			if e, ok := v.Entity(k); ok {
				tell(e)
			}
		}
	}
	if e, ok := v.Protagonist(); ok {
		tell(e)
	}
}

// nameOf is what the writer may call an entity: a record's id is no name.
func nameOf(v *memory.View, id string) string {
	if names := v.Names(id); len(names) > 0 {
		return names[0]
	}
	return id
}

func entityText(e memory.EntitySnapshot) string {
	t := e.Name
	if len(e.Aliases) > 0 {
		t += "（又称" + strings.Join(e.Aliases, "、") + "）"
	}
	var facts []string
	for _, k := range slices.Sorted(maps.Keys(e.Attributes)) {
		facts = append(facts, fmt.Sprintf("%s %v", k, e.Attributes[k]))
	}
	if e.Last > 0 {
		facts = append(facts, fmt.Sprintf("最近出场第%d章", e.Last))
	}
	if len(facts) == 0 {
		return t
	}
	return t + "：" + strings.Join(facts, "；")
}

// summaries puts the near chapters in whole and those farther away shortened.
func (b *builder) summaries() {
	n := len(b.in.Summaries)
	for i := n - 1; i >= 0 && n-i <= nearChapters+maxFar; i-- {
		s := b.in.Summaries[i]
		text := strings.Join(strings.Fields(s.Text), " ")
		if text == "" {
			continue
		}
		if n-i <= nearChapters {
			b.addLong(SectionContext, rankNear, "前情 "+s.Name+"：", text)
		} else {
			b.add(SectionContext, rankFar, "前情 %s：%s", s.Name, prose.Cut(text, farSummary))
		}
	}
}

// settings takes the sections of settings files that name a key entity.
func (b *builder) settings() {
	if b.in.Outline == nil {
		return
	}
	n := 0
	for _, f := range b.in.Settings {
		for _, sec := range splitSections(f.Text) {
			if n < maxSettings && b.concerns(sec) {
				n++
				b.addLong(SectionContext, rankSetting, "设定（"+strings.TrimSuffix(f.Name, ".md")+"）：", prose.Cut(sec, maxSetting))
			}
		}
	}
}

func (b *builder) concerns(sec string) bool {
	for _, k := range b.in.Outline.Content.KeyEntities {
		names := []string{k}
		if b.in.Memory != nil {
			names = append(names, b.in.Memory.Names(k)...)
		}
		for _, name := range names {
			if len([]rune(name)) > 1 && strings.Contains(sec, name) {
				return true
			}
		}
	}
	return false
}

// splitSections cuts a Markdown text before each heading.
func splitSections(text string) []string {
	var out []string
	var cur strings.Builder
	flush := func() {
		if s := strings.TrimSpace(cur.String()); s != "" && strings.Contains(s, "\n") {
			out = append(out, strings.TrimSpace(strings.TrimLeft(s, "# ")))
		}
		cur.Reset()
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			flush()
		}
		cur.WriteString(line)
	}
	flush()
	return out
}

func (b *builder) style() {
	const s = SectionStyle
	if o := b.in.Outline; o != nil {
		for _, h := range b.hints() {
			b.add(s, rankHint, "%s", h)
		}
		if h := b.in.Strand; h != "" && b.shown("strand_profile") {
			b.add(s, rankHint, "%s", h)
		}
	}
	style := []rune(strings.TrimSpace(b.in.Style))
	if len(style) > maxStyle {
		b.warn("the style contract has %d characters; the first %d are used", len(style), maxStyle)
		style = style[:maxStyle]
	}
	if len(style) == 0 {
		b.warn("the book has no style contract (settings/风格契约.md)")
	}
	text := string(style)
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, "# ") {
		text = rest // the title says what the label says
	}
	b.addLong(s, rankStyle, "风格契约：\n", text)
	for _, p := range b.in.Patterns {
		b.addLong(s, rankPattern, "作者的修改习惯：", p)
	}
	b.addLong(s, rankGenre, "题材参考：", b.in.Genre)
}
