package brief

import (
	"fmt"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// shown reports whether a content field may be given word for word.
func (b *builder) shown(field string) bool { return b.in.Outline.Exposure.Shows(field) }

// policy collects the values that may not appear.
func (b *builder) policy() {
	if b.in.Outline == nil {
		return
	}
	for _, f := range schema.OutlineFields() {
		if b.shown(f) {
			continue
		}
		for _, v := range b.in.Outline.Content.Values(f) {
			if v = strings.TrimSpace(v); len([]rune(prose.Fold(v))) >= 2 && !slices.Contains(b.secrets, v) {
				b.secrets = append(b.secrets, v)
			}
		}
	}
	// Longer ones first: a value that holds another one must go whole.
	slices.SortStableFunc(b.secrets, func(x, y string) int { return len(y) - len(x) })
}

// roleHints say a role as rhythm. None of them holds the word for the role.
//
//nolint:gochecknoglobals // a table that is never written
var roleHints = map[rune]string{
	'起': "节奏：从一件具体的小事进入，让人物和处境先站住，疑问只放一个，不急着解释",
	'承': "节奏：顺着已有的麻烦往深处走一层，让人物为上一章的决定付一点代价，不揭底",
	'转': "节奏：让一个读者以为稳妥的判断落空，变化来自人物已经做过的事，不靠外来的巧遇",
	'合': "节奏：让前面散开的线头彼此碰上，答一个旧问题，留下的余味比答案多",
}

// hints are what the writer gets in place of transformed fields.
func (b *builder) hints() []string {
	c, p := b.in.Outline.Content, b.in.Outline.Exposure
	var out []string
	pressed := false
	for _, f := range schema.OutlineFields() {
		if b.shown(f) || len(c.Values(f)) == 0 {
			continue
		}
		switch f {
		case "narrative_role_in_arc":
			h := "节奏：按本章在全卷里的位置收放，不抢后面章节的戏"
			for _, r := range c.Role {
				if s, ok := roleHints[r]; ok {
					h = s
					break
				}
			}
			out = append(out, h)
		case "time_pressure_source", "time_anchor", "countdown":
			if pressed { // one pressure, told once
				continue
			}
			pressed = true
			out = append(out, "人物心里有一件推着他走的事：用动作、取舍、被打断的话和环境的变化让人感到急，不点破")
		default:
			how := strings.TrimSpace(p.Transform[f])
			if how == "" || b.tells(how) {
				how = "只作写后校验的依据，不进正文"
			}
			out = append(out, fmt.Sprintf("章纲另有约束（%s）：%s", f, how))
		}
	}
	return out
}

// tells reports that a text says a hidden value, whatever its punctuation.
func (b *builder) tells(text string) bool {
	folded := prose.Fold(text)
	return slices.ContainsFunc(b.secrets, func(s string) bool { return strings.Contains(folded, prose.Fold(s)) })
}

// scrub takes hidden values out of every item, whatever source it came from.
func (b *builder) scrub() {
	n := 0
	b.items = slices.DeleteFunc(b.items, func(i item) bool { return strings.TrimSpace(i.text) == "" })
	for i := range b.items {
		if clean := b.hide(b.items[i].text); clean != b.items[i].text {
			n++
			b.items[i].text = clean
		}
	}
	b.items = slices.DeleteFunc(b.items, func(i item) bool { return strings.TrimSpace(i.text) == "" })
	if n > 0 {
		b.warn("%d items told a field that the exposure policy transforms; the words were left out", n)
	}
}

// hide puts 〔略〕 for a value word for word, and leaves out whole sentences that still tell one.
func (b *builder) hide(text string) string {
	if !b.tells(text) {
		return text
	}
	for _, s := range b.secrets {
		text = strings.ReplaceAll(text, s, "〔略〕")
	}
	if !b.tells(text) {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		for _, s := range prose.Sentences(line) {
			if !b.tells(s) {
				out.WriteString(s)
			}
		}
	}
	text = out.String()
	if b.tells(text) { // told across sentences
		return ""
	}
	return text
}
