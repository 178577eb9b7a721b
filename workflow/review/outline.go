package review

import (
	"fmt"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

var (
	quotedTerm  = schema.Pattern(`[「『“]([^「」『』“”\n]{2,40})[」』”]`)
	prohibition = schema.Pattern(`^(?:本章)?(?:不可以|不可|不得|不要|不能|不准|不许|禁止|严禁|切忌|避免|勿|别)(?:出现|提及|提到|写出|写|让)?`)
)

const (
	forbiddenSpan = 60 // letters: the terms of a forbidden turn must stand in about one sentence
	forbiddenHan  = 4  // a shorter phrase is too common to be a turn
)

// forbidden looks for turns that the outline forbids: the phrase itself without its 不可, a term that it quotes, or all terms
// of a bar node in one sentence that does not deny them.
func (c *checker) forbidden() {
	if c.in.Outline == nil {
		return
	}
	f := c.finder()
	f.Span, f.Strict = forbiddenSpan, true
	for _, turn := range c.in.Outline.Content.Forbidden {
		m := prose.Match{}
		if terms := prose.Terms(turn); terms != nil {
			if m = f.Find(turn); m.Found && denied(m.Quote, terms) {
				m = prose.Match{}
			}
		} else {
			for _, q := range quotedTerm().FindAllStringSubmatch(turn, -1) {
				if m = f.Find(q[1]); m.Found {
					break
				}
			}
			if bare := prohibition().ReplaceAllString(strings.TrimSpace(turn), ""); !m.Found && prose.Han(bare) >= forbiddenHan {
				m = f.Find(bare)
			}
		}
		if m.Found {
			c.add(issue{
				severity: schema.SeverityHigh, category: schema.CategoryLogic, paragraph: m.Paragraph,
				what: "写到了章纲禁止的转折：" + turn, evidence: m.Quote, hint: "改写这一处，避开禁区", blocking: true, soft: true,
			})
		}
	}
}

// denied reports that a term of the node stands right after a negation.
func denied(quote string, terms [][]string) bool {
	folded := []rune(prose.Fold(quote))
	for _, alts := range terms[1:] {
		for _, alt := range alts {
			want := []rune(alt)
			for i := 0; i+len(want) <= len(folded); i++ {
				if string(folded[i:i+len(want)]) == alt && strings.ContainsAny(string(folded[max(0, i-3):i]), "没不未别莫勿无") {
					return true
				}
			}
		}
	}
	return false
}

// nodes reports outline nodes that the text does not cover. CBN and must-cover nodes block, because no commit is accepted
// without them.
func (c *checker) nodes() {
	if c.in.Outline == nil {
		return
	}
	f := c.finder()
	o := c.in.Outline.Content
	check := func(kind, node string, must bool) {
		if strings.TrimSpace(node) == "" {
			return
		}
		m := f.Find(node)
		if m.Found {
			return
		}
		i := issue{
			severity: schema.SeverityMedium, category: schema.CategoryLogic, soft: true,
			what:     fmt.Sprintf("没有找到章纲节点（%s）：%s", kind, node),
			evidence: fmt.Sprintf("章纲要求「%s」；正文里它的内容最多出现 %d%%，且不在一处", node, int(m.Share*100)),
			hint:     "写到它；若已写到而措辞不同，把章纲节点改成「主体 | 动作/近义词 | 对象」的形式",
		}
		if must {
			i.severity, i.blocking = schema.SeverityHigh, true
		}
		c.add(i)
	}
	check("CBN", o.CBN, true)
	for _, n := range o.MustCover {
		check("必须覆盖", n, true)
	}
	for _, n := range o.CPNs {
		check("CPN", n, false)
	}
	check("CEN", o.CEN, false)
}

const numeral = `[0-9０-９〇零一二两三四五六七八九十百半几]{1,6}`

var (
	quantity  = schema.Pattern(numeral + `(?:个)?(?:点钟|点半|点|时辰|小时|刻钟|刻|分钟|分|秒|天|日|夜|周|星期|月|年)`)
	countdown = schema.Pattern(`倒计时|(?:还剩|只剩|仅剩|剩下|还有|只有|最后|限你|限期)[^，。！？\n]{0,4}?` + numeral +
		`(?:个)?(?:时辰|小时|刻钟|分钟|秒|天|日|周|星期|月)`)
)

// timePressure reports what the outline keeps from the reader about time, told in so many words: the outline wants it
// felt, not said (seed harness_v6 4.6).
func (c *checker) timePressure() {
	if c.in.Outline == nil {
		return
	}
	told := map[int]bool{} // one finding for a paragraph
	for _, f := range []string{"time_pressure_source", "countdown", "time_anchor"} {
		for _, source := range c.in.Outline.Content.Values(f) {
			if !c.in.Outline.Exposure.Shows(f) {
				c.timeTold(strings.TrimSpace(source), told)
			}
		}
	}
}

func (c *checker) timeTold(source string, told map[int]bool) {
	tell := func(p int, what, quote string) {
		if told[p] {
			return
		}
		told[p] = true
		c.add(issue{
			severity: schema.SeverityMedium, category: schema.CategoryTimeline, paragraph: p, what: what, evidence: quote,
			hint: "用动作和取舍写出紧迫，不写期限、数字或倒计时",
		})
	}
	f := prose.Finder{Text: c.text, Strict: true}
	if m := f.Find(source); m.Found && prose.Han(source) >= 3 {
		tell(m.Paragraph, "正文直接写出了时间压力的来源", m.Quote)
		return
	}
	amounts := quantity().FindAllString(source, -1)
	grams := bigrams(source)
	for i, p := range c.text.Paragraphs {
		at := countdown().FindStringIndex(p.Text)
		what := "正文写出了倒计时"
		if at == nil {
			for _, a := range amounts {
				if k := strings.Index(p.Text, a); k >= 0 {
					at, what = []int{k, k + len(a)}, "正文写出了时间压力里的具体时间「"+a+"」"
					break
				}
			}
		}
		if at == nil {
			continue
		}
		near := p.Text
		if i > 0 {
			near += c.text.Paragraphs[i-1].Text
		}
		if i+1 < len(c.text.Paragraphs) {
			near += c.text.Paragraphs[i+1].Text
		}
		if !mentions(near, grams) {
			continue // a length of time that has nothing to do with this pressure
		}
		tell(p.Index, what, prose.Around(p.Text, at[0], at[1], 20))
	}
}

// bigrams are the two-letter words of the source outside its numbers.
func bigrams(source string) []string {
	var out []string
	for part := range strings.SplitSeq(quantity().ReplaceAllString(source, "|"), "|") {
		r := []rune(prose.Fold(part))
		for i := 0; i+1 < len(r); i++ {
			out = append(out, string(r[i:i+2]))
		}
	}
	return out
}

func mentions(text string, grams []string) bool {
	for _, g := range grams {
		if strings.Contains(text, g) {
			return true
		}
	}
	return false
}
