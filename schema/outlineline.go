package schema

import (
	"strings"
	"unicode/utf8"
)

// mdLine is one line of a Markdown outline, taken apart.
type mdLine struct {
	no     int
	level  int // of a heading, 0 for none
	indent int // columns before the text or its bullet; a tab counts 4, a full-width blank 2
	bullet bool
	text   string // without heading marks, bullet and bold marks
}

// parseMDLine takes a line apart. A block quote is read as what it quotes; a line that is all bold and names a chapter or a
// volume is a heading.
func parseMDLine(no int, raw string) mdLine {
	l := mdLine{no: no}
	s := strings.TrimRight(raw, " \t\r\u00a0\u3000")
	for {
		s = l.indented(s)
		rest, ok := strings.CutPrefix(s, ">")
		if !ok {
			break
		}
		l.indent, s = 0, strings.TrimPrefix(rest, " ")
	}
	if n := len(s) - len(strings.TrimLeft(s, "#")); n > 0 && n <= 6 {
		l.level = n
		l.text = strings.TrimSpace(plainBold(strings.TrimRight(s[n:], "# ")))
		return l
	}
	if inner, ok := strings.CutPrefix(s, "**"); ok {
		if inner, ok = strings.CutSuffix(inner, "**"); ok && !strings.Contains(inner, "**") {
			if _, _, is := chapterHeading(inner); is || isVolumeHeading(inner) {
				l.level, l.text = 6, strings.TrimSpace(inner)
				return l
			}
		}
	}
	rest, bullet := cutBullet(s)
	l.bullet = bullet
	l.text = strings.TrimSpace(plainBold(rest))
	return l
}

// indented counts and takes off the blanks that a line begins with.
func (l *mdLine) indented(s string) string {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		switch r {
		case ' ', '\u00a0':
			l.indent++
		case '\t':
			l.indent += 4
		case '\u3000':
			l.indent += 2
		default:
			return s
		}
		s = s[n:]
	}
	return s
}

// plainBold takes bold marks away: they say nothing about the content.
func plainBold(s string) string { return strings.ReplaceAll(s, "**", "") }

var numberedBullet = Pattern(`^(?:[0-9]{1,3}(?:[.)）]\s+|、\s*)|[（(][0-9]{1,3}[)）]\s*)`)

// cutBullet takes the mark of a list item off a line, and the box of a task.
func cutBullet(s string) (rest string, ok bool) {
	for _, mark := range []string{"- ", "* ", "+ ", "-\t", "*\t", "•", "●", "○", "▪", "◦", "·", "－"} {
		if rest, ok = strings.CutPrefix(s, mark); ok {
			break
		}
	}
	if !ok {
		if rest, ok = strings.CutPrefix(s, "-"); ok && (rest == "" || rest[0] == '-') {
			return s, rest == ""
		}
	}
	if !ok {
		r, n := utf8.DecodeRuneInString(s)
		if ok = r >= '①' && r <= '⑳'; ok {
			rest = s[n:]
		}
	}
	if !ok {
		at := numberedBullet().FindStringIndex(s)
		if at == nil {
			return s, false
		}
		rest = s[at[1]:]
	}
	rest = strings.TrimSpace(rest)
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		rest = strings.TrimPrefix(rest, box)
	}
	return rest, true
}

// isRule reports a line that only draws a rule.
func isRule(s string) bool {
	s = strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	return len(s) >= 3 && strings.Trim(s, s[:1]) == "" && strings.ContainsAny(s[:1], "-*_=")
}

// maxLabel is how many runes a label may have; what stands before a later colon is prose.
const maxLabel = 24

// cutLabel finds what looks like a label: the text before the first colon, or inside 【】 at the front. ok is false when
// there is none.
func cutLabel(s string) (label, value string, ok bool) {
	if rest, in := strings.CutPrefix(s, "【"); in {
		if label, value, ok = strings.Cut(rest, "】"); ok && utf8.RuneCountInString(label) <= maxLabel {
			return label, strings.TrimLeft(value, "：: \u3000"), true
		}
	}
	i := strings.IndexAny(s, "：:")
	if i < 0 || utf8.RuneCountInString(s[:i]) > maxLabel || strings.TrimSpace(s[:i]) == "" {
		return "", "", false
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[:i], strings.TrimSpace(s[i+n:]), true
}

// cutBlankLabel is cutLabel for `标签 值`: the label ends at the first blank.
func cutBlankLabel(s string) (label, value string, ok bool) {
	i := strings.IndexAny(s, " \t\u3000")
	if i < 0 {
		return s, "", s != ""
	}
	return s[:i], strings.TrimSpace(s[i:]), true
}

// looksLikeLabel tells a label that nobody knows from prose with a colon in it: short, and a word of its own.
func looksLikeLabel(label string) bool {
	return utf8.RuneCountInString(label) <= 10 && !strings.ContainsAny(label, "|｜，。；、！？“”「」『』…")
}

// headingNumber reads 第N and what follows it.
func headingNumber(s string) (run []rune, rest string, ok bool) {
	s = strings.TrimLeft(s, " \u3000")
	if s, ok = strings.CutPrefix(s, "第"); !ok {
		return nil, "", false
	}
	return numberRun(s)
}

func numberRun(s string) (run []rune, rest string, ok bool) {
	r := []rune(strings.Map(halfWidth, strings.TrimLeft(s, " \u3000")))
	end := digitRun(r, 0)
	if end == 0 {
		for end < len(r) && isChineseNumeral(r[end]) {
			end++
		}
	}
	if end == 0 {
		return nil, "", false
	}
	return r[:end], string([]rune(strings.TrimLeft(s, " \u3000"))[skipSpace(r, end):]), true
}

// numberOf is the value of a run of digits or Chinese numerals.
func numberOf(run []rune) (int, bool) {
	if digitRun(run, 0) == len(run) {
		return digitsValue(run)
	}
	return parseChinese(run)
}

// headingSeparators may stand between a number and a title.
const headingSeparators = "：: \t\u3000-—–－_·.．、"

var rangeGoesOn = Pattern(`^\s*(?:-|－|–|—|~|～|至|到)+\s*第?\s*(?:[0-9０-９]+|[零〇一二两三四五六七八九十百千]+)\s*[章回]`)

// chapterHeading reads 第N章 and a title. The number is -1 when the heading is a chapter's but its number is none.
func chapterHeading(s string) (n int, title string, ok bool) {
	run, rest, ok := headingNumber(s)
	r, size := utf8.DecodeRuneInString(rest)
	if !ok || size == 0 || !isMark(r) {
		return 0, "", false
	}
	rest = rest[size:]
	if rangeGoesOn().MatchString(rest) { // 第1章至第40章
		return 0, "", false
	}
	n, sound := numberOf(run)
	if !sound {
		n = -1
	}
	return n, strings.TrimSpace(strings.TrimLeft(rest, headingSeparators)), true
}

// extraHeading reads the heading of a chapter without a number (楔子, 番外·雨夜): its key and its title.
func extraHeading(s string) (key, title string, ok bool) {
	for _, w := range []string{"楔子", "引子", "序章", "序幕", "尾声", "尾聲", "终章", "終章", "后记", "後記", "番外", "外传", "外傳", "附录", "附錄"} {
		if !strings.HasPrefix(s, w) {
			continue
		}
		i := strings.IndexAny(s, "：:")
		if i < 0 {
			return s, "", true
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+n:]), true
	}
	return "", "", false
}
