package prose

import (
	"strings"
	"unicode/utf8"

	"git-novel/schema"
)

var (
	numbered = schema.Pattern(`^(?:#{1,6}\s*)?(?:正文|《?》?\s*目录|目录)?[\s　]*(第[\s　]*[0-9０-９〇零一二三四五六七八九十百千两兩]{1,9}[\s　]*[章回节節话話集])(.*)$`)
	bare     = schema.Pattern(`^(?:楔子|序章|序幕|引子|前言|尾声|后记|终章|附录|番外|卷首)[\s　:：·—-]?`)
)

// headingRunes bounds a heading: longer lines are prose that happens to begin with 第三回.
const headingRunes = 40

// IsHeading reports whether a line is the heading of a chapter: a Markdown heading, or 第N章 with a short title that is
// no sentence.
func IsHeading(line string) bool {
	if strings.HasPrefix(line, "#") {
		rest := strings.TrimLeft(line, "#")
		return rest == "" || strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "　") || numbered().MatchString(line)
	}
	if utf8.RuneCountInString(line) > headingRunes || endsSentence(line) {
		return false
	}
	if m := numbered().FindStringSubmatch(line); m != nil {
		return m[2] == "" || strings.ContainsAny(m[2][:1], " \t:") || strings.HasPrefix(m[2], "　") ||
			strings.HasPrefix(m[2], "：") || strings.HasPrefix(m[2], "·") || strings.HasPrefix(m[2], "—") || strings.HasPrefix(m[2], "-")
	}
	return bare().MatchString(line) && utf8.RuneCountInString(line) <= 20
}

// HeadingNumber gives the chapter number that a heading line states, by the rules of schema.ParseNumber; false when it
// states none.
func HeadingNumber(line string) (int, bool) {
	m := numbered().FindStringSubmatch(line)
	if m == nil || !IsHeading(line) {
		return 0, false
	}
	return schema.ParseNumber(strings.Join(strings.Fields(strings.ReplaceAll(m[1], "　", " ")), ""))
}

func endsSentence(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune("。！？，；,;”」", r)
}
