package review

import (
	"fmt"
	"regexp"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// recalled marks prose that speaks of the dead without making them act.
var recalled = schema.Pattern(`想起|记得|记起|回忆|回想|忆起|当年|那年|生前|从前|以前|曾经|曾|梦|遗像|遗书|遗物|照片|录音|视频|日记|信里|信上|信中|鬼|魂|灵位|牌位|坟|墓|仿佛|好像|似乎|如果|要是|假如|冒充|假扮|长得像|诈尸|复活|还魂|转世|幻觉|幻影|` +
	`死前|死后|死去|去世|已故|亡`)

// quotedSpeech is taken out before somebody is looked for as an actor: what people say about the dead is not their doing.
var quotedSpeech = schema.Pattern(`“[^”]*”?|「[^」]*」?|『[^』]*』?`)

const (
	between = `[^，。！？；：“”「」『』\n]{0,6}`
	acting  = `(?:走|站|坐|跑|拿|推|抬|转|点|摇|回|看|望|伸|笑|哭|骂|喊|叫|拉|抓|握|递|放|打开|推开|起身|抬头|点头|摇头|转身)`
)

// deadActing reports somebody whom the record calls dead and who speaks (blocking) or acts (a hint) in this chapter.
func (c *checker) deadActing() {
	if c.in.Memory == nil {
		return
	}
	for _, d := range c.in.Memory.Deaths() {
		var names []string
		for _, n := range d.Names {
			if prose.Han(n) >= 2 || len([]rune(n)) >= 3 {
				names = append(names, regexp.QuoteMeta(n))
			}
		}
		if len(names) == 0 {
			continue
		}
		who := "(?:" + strings.Join(names, "|") + ")"
		speaks := regexp.MustCompile(who + between + `(?:道|说|问|答|喊|叫|骂|笑)[：，:]?\s*[“「『]|[”」』]` + `\s*` + who + between + `(?:道|说|问|答|喊|叫|骂)`)
		acts := regexp.MustCompile(who + `[^，。！？；：“”「」『』的\n]{0,3}` + acting)
		c.deadIn(d.Chapter, d.Names[0], speaks, acts)
	}
}

func (c *checker) deadIn(since int, name string, speaks, acts *regexp.Regexp) {
	hint := true
	for i, p := range c.text.Paragraphs {
		context := p.Text
		if i > 0 {
			context += c.text.Paragraphs[i-1].Text
		}
		at := speaks.FindStringIndex(p.Text)
		bare := quotedSpeech().ReplaceAllStringFunc(p.Text, func(q string) string { return strings.Repeat(".", len(q)) })
		acted := acts.FindStringIndex(bare)
		if at == nil && acted == nil || recalled().MatchString(context) {
			continue
		}
		if at != nil {
			c.add(issue{
				severity: schema.SeverityHigh, category: schema.CategoryCharacter, paragraph: p.Index,
				what:     fmt.Sprintf("「%s」在第%d章已死，这里却在说话", name, since),
				evidence: prose.Around(p.Text, at[0], at[1], 30) + fmt.Sprintf("（记录：第%d章死亡）", since),
				hint:     "换一个人，或写明这是回忆；若记录有误，先改正记录", blocking: true,
			})
			return
		}
		if hint {
			hint = false
			c.add(issue{
				severity: schema.SeverityMedium, category: schema.CategoryCharacter, paragraph: p.Index, soft: true,
				what:     fmt.Sprintf("「%s」在第%d章已死，这里疑似在行动", name, since),
				evidence: prose.Around(p.Text, acted[0], acted[1], 30) + fmt.Sprintf("（记录：第%d章死亡）", since),
				hint:     "确认这是回忆、别名还是误写",
			})
		}
	}
}
