package state

import (
	"strings"
	"unicode"

	"git-novel/schema"
)

// Body gives the text of a chapter without its own heading line: the first line that is not blank, when it carries the
// chapter's number, or, of an unnumbered chapter, its key. `chapter rename` rewrites that line, so a comparison of two
// texts of one chapter leaves it out.
func Body(key schema.ChapterKey, text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	rest := text
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		if line = schema.TrimJS(line); line == "" {
			rest = after
			continue
		}
		if isHeading(key, line) {
			return after
		}
		return text
	}
	return text
}

// OwnHeading reports a text that begins with its chapter's own heading line: the one that Body leaves out.
func OwnHeading(key schema.ChapterKey, text string) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	return Body(key, text) != text
}

func isHeading(key schema.ChapterKey, line string) bool {
	line = schema.TrimJS(strings.TrimLeft(line, "#"))
	if n, ok := key.Number(); ok {
		m, ok := schema.ParseNumber(line)
		return ok && m == n && len([]rune(line)) <= maxHeading
	}
	return strings.HasPrefix(line, string(key)) && len([]rune(line)) <= maxHeading
}

// maxHeading bounds a heading line, in runes: a whole chapter in one line is no heading.
const maxHeading = 120

// TypoForm gives the text that typo edits are counted in: the body, with what counts nothing taken out (DESIGN 5: line
// ends, BOM and trailing blanks count 0).
func TypoForm(key schema.ChapterKey, text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(Body(key, text), "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(l, isBlank)
	}
	return strings.Join(lines, "")
}

// isBlank takes in JavaScript's white space and Unicode's: the counter of repo/diff drops the latter.
func isBlank(r rune) bool { return unicode.IsSpace(r) || schema.IsSpaceJS(r) }

// CountTypo counts the edits that `chapter save --typo` limits: from the last reviewed or adopted text to the one now.
func CountTypo(key schema.ChapterKey, base, now string, edited EditedChars) Edits {
	a, b := TypoForm(key, base), TypoForm(key, now)
	if a == b {
		return Counted(0, 0)
	}
	return Counted(edited(a, b))
}
