package review

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// trace is a mark of text that is not finished.
type trace struct {
	re       func() *regexp.Regexp
	what     string
	severity schema.Severity
	blocking bool
}

// The verbs after 待 keep out prose in brackets such as （待我回去）.
const undone = `(?:补充|补写|补全|补|续写|续|定稿|定|写|完善|填写|填|修改|改|确认|核实|核对|查证|查|扩写|润色|处理|插入)`

//nolint:gochecknoglobals // a table that is never written
var traces = []trace{
	{schema.Pattern(`[（(〔]\s*待` + undone + `[^）)〕\n]{0,60}[）)〕]`), "占位：待补的内容", schema.SeverityHigh, true},
	{schema.Pattern(`[\[【]\s*(?:待|此处|占位|TODO|暂)[^\]】\n]{0,60}[\]】]`), "占位：方括号里的待办", schema.SeverityHigh, true},
	{schema.Pattern(`[（(【\[]\s*(?:暂名|暂定|暂定名|名字待定|名称待定|姓名待定|占位|待定)\s*[）)】\]]`), "占位：名字未定", schema.SeverityHigh, true},
	{schema.Pattern(`[（(【\[]\s*此处(?:省略|略|插入|展开|需要|应|补|描写|写|加)[^）)】\]\n]{0,60}[）)】\]]`), "占位：此处未写", schema.SeverityHigh, true},
	{schema.Pattern(`\{\{?[^{}\n]{1,40}\}?\}`), "占位：花括号变量", schema.SeverityHigh, true},
	{schema.Pattern(`\b(?:TODO|FIXME|TBD|PLACEHOLDER)\b|(?i:lorem ipsum)`), "占位：待办标记", schema.SeverityHigh, true},
	{schema.Pattern("(?m)^\\s*```"), "代码围栏留在正文里", schema.SeverityHigh, true},
	{schema.Pattern(`(?m)^(?:<{7}|>{7}|={7}|\|{7})(?:\s|$)`), "合并冲突标记留在正文里", schema.SeverityCritical, true},
	{schema.Pattern(`(?m)^## 第\s*\d+\s*段(?:\s*·.*)?$`), "草稿镜像的段头留在正文里", schema.SeverityHigh, true},
	{schema.Pattern(`(?m)^\s*(?:好的[，,]\s*)?(?:以下|下面)是[^。\n]{0,20}(?:正文|第[^。\n]{1,6}章|修改后|润色后|改写后)[^。\n]{0,20}[：:]`), "写作助手的话留在正文里", schema.SeverityHigh, true},
	{schema.Pattern(`作为(?:一个|一名)?(?:AI|人工智能)(?:语言模型|助手|模型)`), "写作助手的话留在正文里", schema.SeverityHigh, true},
	{schema.Pattern(`[Xx×]{3,}`), "疑似占位的 XXX", schema.SeverityLow, false},
	{schema.Pattern("\ufffd"), "无法辨认的字符（编码损坏）", schema.SeverityHigh, true},
}

// maxTraces bounds the issues of one kind; the rest is counted in the last one.
const maxTraces = 5

func (c *checker) placeholders() {
	for _, t := range traces {
		n := 0
		for _, p := range c.text.Paragraphs {
			for _, at := range t.re().FindAllStringIndex(p.Text, -1) {
				if n++; n > maxTraces {
					continue
				}
				c.add(issue{
					severity: t.severity, category: schema.CategoryOther, paragraph: p.Index, what: t.what,
					evidence: prose.Around(p.Text, at[0], at[1], 20), hint: "写出这一处，或删去这个标记", blocking: t.blocking,
				})
			}
		}
	}
}

// heading looks for headings with another number: the chapter's own, and one of a chapter that was pasted in.
func (c *checker) heading() {
	if c.in.Number <= 0 {
		return
	}
	check := func(line string, paragraph int) {
		n, ok := prose.HeadingNumber(line)
		if !ok || n == c.in.Number {
			return
		}
		c.add(issue{
			severity: schema.SeverityHigh, category: schema.CategoryOther, paragraph: paragraph,
			what: fmt.Sprintf("标题写的是第%d章，而这一章是第%d章", n, c.in.Number), evidence: line,
			hint: "改正标题里的章号；若是别章的文字混入，把它移走", blocking: true,
		})
	}
	check(c.text.Heading, 0)
	for _, p := range c.text.Paragraphs {
		if prose.IsHeading(p.Text) {
			check(p.Text, p.Index)
		}
	}
	if c.in.Outline != nil && c.in.Outline.Title != "" && c.text.Heading != "" &&
		!strings.Contains(prose.Fold(c.text.Heading), prose.Fold(c.in.Outline.Title)) {
		if _, ok := prose.HeadingNumber(c.text.Heading); ok {
			c.add(issue{
				severity: schema.SeverityLow, category: schema.CategoryOther, what: "标题与章纲的标题不同",
				evidence: fmt.Sprintf("正文「%s」，章纲「%s」", c.text.Heading, c.in.Outline.Title), hint: "统一两处的标题",
			})
		}
	}
}

// pairs are the marks that come in twos. A quotation may go on over paragraphs, each opened again (〝multi-paragraph
// speech〞); brackets may not.
//
//nolint:gochecknoglobals // a table that is never written
var pairs = []struct {
	open, shut rune
	quote      bool
}{
	{'“', '”', true},
	{'「', '」', true},
	{'『', '』', true},
	{'（', '）', false},
	{'《', '》', false},
	{'【', '】', false},
}

// balance reports marks without their partner, and a text that stops in the middle of a sentence.
func (c *checker) balance() {
	var odd []issue
	openAtEnd := ""
	for _, pair := range pairs {
		depth, since := 0, spot{}
		for _, p := range c.text.Paragraphs {
			for i, r := range p.Text {
				switch r {
				case pair.open:
					if pair.quote && depth > 0 && i == 0 {
						continue // the speech goes on
					}
					if depth > 0 && pair.quote {
						odd = append(odd, c.odd(since, pair.open, "没有闭合"))
						depth = 0
					}
					depth, since = depth+1, spot{p.Index, i}
				case pair.shut:
					if depth == 0 {
						odd = append(odd, c.odd(spot{p.Index, i}, pair.shut, "前面没有对应的开头"))
						continue
					}
					depth--
				}
			}
			if depth > 0 && !pair.quote {
				odd = append(odd, c.odd(since, pair.open, "没有闭合"))
				depth = 0
			}
		}
		if depth > 0 {
			// Whether the text ends there or the mark was forgotten in a finished sentence shows in its last character.
			if last := c.text.Paragraphs[len(c.text.Paragraphs)-1]; since.paragraph == last.Index && !finished(last.Text) {
				openAtEnd = string(pair.open)
			} else {
				odd = append(odd, c.odd(since, pair.open, "没有闭合"))
			}
		}
	}
	for i, o := range odd {
		if i == maxTraces {
			o.what = fmt.Sprintf("另有 %d 处标点不成对", len(odd)-i)
			c.add(o)
			break
		}
		c.add(o)
	}
	c.ending(openAtEnd)
}

// spot is a mark's place: 第N段 and the byte in it.
type spot struct{ paragraph, at int }

func (c *checker) odd(where spot, mark rune, how string) issue {
	p := c.text.Paragraphs[where.paragraph-1].Text
	return issue{
		severity: schema.SeverityMedium, category: schema.CategoryOther, paragraph: where.paragraph,
		what: fmt.Sprintf("标点「%c」%s", mark, how), evidence: prose.Around(p, where.at, where.at+utf8.RuneLen(mark), 20),
		hint: "补上或删去这个标点",
	}
}

// ending judges the last paragraph.
func (c *checker) ending(open string) {
	last := c.text.Paragraphs[len(c.text.Paragraphs)-1]
	cut := issue{
		severity: schema.SeverityHigh, category: schema.CategoryOther, paragraph: last.Index, blocking: true,
		evidence: lastRunes(last.Text, 40), hint: "把结尾写完",
	}
	if open != "" {
		cut.what = fmt.Sprintf("正文在「%s」没有闭合的地方中断", open)
		c.add(cut)
		return
	}
	end, _ := utf8.DecodeLastRuneInString(last.Text)
	switch {
	case strings.ContainsRune("，、；：,;:（(「『“‘《【", end):
		cut.what = "正文在半句话里中断"
	case unicode.IsLetter(end) || unicode.IsDigit(end):
		// A short last line without a full stop is a closing mark, a signature, a verse; a long one or one that has
		// punctuation inside is a sentence that was cut.
		if prose.Han(last.Text) < 16 && !strings.ContainsAny(last.Text, "，。；！？") || c.verse(last.Index) {
			return
		}
		cut.what = "正文的最后一句没有写完"
	default:
		return
	}
	c.add(cut)
}

// verse reports that the neighbours of a paragraph do without closing punctuation too.
func (c *checker) verse(index int) bool {
	if index < 2 {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(c.text.Paragraphs[index-2].Text)
	return unicode.IsLetter(end)
}

// finished reports a text that ends like a sentence.
func finished(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune("。！？!?.…”’」』）)》】~～", r)
}

func lastRunes(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n:])
}

func (c *checker) length() {
	if c.in.MinChars < 0 {
		return
	}
	n := prose.Han(c.text.Body())
	if n >= c.in.MinChars {
		return
	}
	i := issue{
		severity: schema.SeverityMedium, category: schema.CategoryPacing,
		what: fmt.Sprintf("全章 %d 个汉字，少于下限 %d", n, c.in.MinChars), evidence: fmt.Sprintf("汉字数 %d", n),
		hint: "补足情节，或调低 [chapters] min_chars",
	}
	if n*5 < c.in.MinChars {
		i.severity, i.blocking = schema.SeverityHigh, true
		i.what = fmt.Sprintf("全章只有 %d 个汉字，不到下限 %d 的五分之一，不成一章", n, c.in.MinChars)
	}
	c.add(i)
}
