package manuscript

import (
	"strings"
	"unicode/utf8"

	"git-novel/schema"
)

// doubtReason is why a heading may be none. The words are in doubtText.
type doubtReason int

const (
	doubtSentence doubtReason = iota
	doubtLong
	doubtGlued
	doubtSequence
	doubtStyle
	doubtCrowded
	doubtBare
	doubtEmpty
	doubtRange
	doubtVolumeOnly
)

func (d doubtReason) text() schema.Text {
	switch d {
	case doubtSentence:
		return schema.Textf("the line ends or reads like a sentence")
	case doubtLong:
		return schema.Textf("the line is long for a heading")
	case doubtGlued:
		return schema.Textf("nothing stands between the number and the title")
	case doubtSequence:
		return schema.Textf("its number does not continue the others")
	case doubtStyle:
		return schema.Textf("it is written unlike the other headings")
	case doubtCrowded:
		return schema.Textf("no blank line sets it off from the text")
	case doubtBare:
		return schema.Textf("it is only a number")
	case doubtEmpty:
		return schema.Textf("no text follows it")
	case doubtRange:
		return schema.Textf("it covers several numbers; the first one counts")
	case doubtVolumeOnly:
		return schema.Textf("the text has volumes but no chapters; each volume became one")
	}
	return schema.Textf("the heading is doubtful")
}

// A line is a heading from accepted on, and free of doubt from certain on.
const (
	accepted = 50
	certain  = 75
)

// weigh gives every candidate its score from the line itself, from the lines around it and from the other candidates.
func weigh(cs []candidate) {
	for i := range cs {
		cs[i].score, cs[i].doubt = weighLine(&cs[i])
	}
	style := majorityStyle(cs)
	common := sharedTextPrefix(cs)
	live := make([]int, 0, len(cs))
	for i := range cs {
		if countsForSequence(&cs[i]) && cs[i].score >= accepted-5 {
			live = append(live, i)
		}
	}
	at := 0
	for i := range cs {
		c := &cs[i]
		if c.inContents || c.kind == kindContents {
			continue
		}
		if strings.Contains(c.prefix, textPrefix) && c.prefix == common {
			c.score += 30
		}
		if c.kind != kindChapter && c.kind != kindSection {
			continue
		}
		if style != "" && c.style() == style {
			c.score += 10
		} else if style != "" {
			c.add(-10, doubtStyle)
		}
		for at < len(live) && live[at] < i {
			at++
		}
		c.weighSequence(cs, live, at)
	}
}

func countsForSequence(c *candidate) bool {
	return c.number >= 0 && c.kind == kindChapter && !c.inContents && !c.repeated
}

func (c *candidate) add(n int, why doubtReason) {
	c.score += n
	c.doubt = append(c.doubt, why)
}

// weighSequence looks whether the number continues that of the nearest headings; live[at] is the first at or behind c.
func (c *candidate) weighSequence(cs []candidate, live []int, at int) {
	if c.number < 0 {
		return
	}
	before, after := -1, -1
	if at > 0 {
		before = cs[live[at-1]].last
	}
	next := at
	if next < len(live) && &cs[live[next]] == c {
		next++
	}
	if next < len(live) {
		after = cs[live[next]].number
	}
	follows := before >= 0 && c.number == before+1
	leads := after >= 0 && c.last+1 == after
	if c.kind == kindSection {
		c.fills = follows && leads
		// 第二节 inside 第二章 also follows 第一章; a section that fills a hole between two chapters is one of them.
		if follows && leads {
			c.score += 15
		} else {
			c.score -= 15
		}
		return
	}
	switch {
	case follows || leads:
		c.score += 15
	case before < 0 && after < 0: // the only one
	case before < 0 || c.number <= 1: // the first, or the first of a volume
	default:
		c.add(-15, doubtSequence)
	}
}

func weighLine(c *candidate) (score int, doubt []doubtReason) {
	add := func(n int, why doubtReason) {
		score += n
		doubt = append(doubt, why)
	}
	switch {
	case c.kind == kindBare:
		score = 35
	case strings.Contains(c.prefix, textPrefix):
		score = 30
	case c.sep:
		score = 70
	default:
		add(50, doubtGlued)
	}
	if c.kind == kindSection {
		score -= 10
	}
	if c.prefix != "" && !strings.Contains(c.prefix, textPrefix) {
		score += 15
	}
	if c.blankBefore {
		score += 8
	}
	if c.blankAfter {
		score += 7
	} else if c.bodyIndented && !c.indent {
		score += 8
	}
	if !c.blankBefore && !c.blankAfter && (!c.bodyIndented || c.indent) {
		add(-5, doubtCrowded)
	}
	score += c.weighTitle(add)
	return score, doubt
}

func (c *candidate) weighTitle(add func(int, doubtReason)) int {
	runes := utf8.RuneCountInString(c.title)
	switch {
	case runes > 60:
		add(-45, doubtLong)
	case runes > 45:
		add(-25, doubtLong)
	case runes > 32:
		add(-10, doubtLong)
	}
	title := strings.TrimRight(c.title, blanks+"”’」』）)\"'")
	last, _ := utf8.DecodeLastRuneInString(title)
	switch {
	case title == "":
	case strings.ContainsRune("。；，、：;,:", last):
		add(pick(c.sep, -25, -60), doubtSentence)
	case strings.ContainsRune("！？…!?", last) && !c.sep:
		add(-20, doubtSentence)
	}
	inner := strings.TrimSuffix(title, string(last))
	if strings.ContainsAny(inner, "。；") {
		add(-40, doubtSentence)
	}
	if !c.sep && strings.ContainsAny(inner, "，“”") {
		add(-20, doubtSentence)
	}
	if runes <= 20 {
		return 3
	}
	return 0
}

func pick(ok bool, a, b int) int {
	if ok {
		return a
	}
	return b
}

// style is how a heading is written, apart from what it says.
func (c *candidate) style() string {
	s := c.prefix + "|" + c.mark
	if c.indent {
		s += "|>"
	}
	if !c.sep {
		s += "|glued"
	}
	return s
}

// majorityStyle is the style of at least three fifths of five or more good candidates, else "".
func majorityStyle(cs []candidate) string {
	count := map[string]int{}
	total := 0
	for i := range cs {
		if c := &cs[i]; countsForSequence(c) && c.score >= accepted-15 {
			count[c.style()]++
			total++
		}
	}
	for s, n := range count {
		if n >= 5 && n*5 >= total*3 {
			return s
		}
	}
	return ""
}

// sharedTextPrefix is the author's text that stands before at least three headings and before half of those that have
// text before them, else "".
func sharedTextPrefix(cs []candidate) string {
	count := map[string]int{}
	total := 0
	for i := range cs {
		if p := cs[i].prefix; strings.Contains(p, textPrefix) && !cs[i].inContents {
			count[p]++
			total++
		}
	}
	best, most := "", 0
	for p, n := range count {
		if n > most || n == most && p < best {
			best, most = p, n
		}
	}
	if most < 3 || most*2 < total {
		return ""
	}
	return best
}
