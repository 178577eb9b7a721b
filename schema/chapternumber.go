package schema

import (
	"slices"
	"strings"
)

// chapterExts are the endings of chapter files.
func chapterExts() [3]string { return [...]string{".md", ".markdown", ".txt"} }

// nameText prepares a name for reading: a tab or line break is a blank, hidden characters go, full-width digits and －．／ become
// half-width (one to one, since NFKC would change titles), then white space, a chapter file's ending and the marks of a
// heading go.
func nameText(s string) string {
	s = TrimJS(visible(strings.Map(halfWidth, strings.ToValidUTF8(s, ""))))
	for _, ext := range chapterExts() {
		if len(s) >= len(ext) && strings.EqualFold(s[len(s)-len(ext):], ext) {
			s = TrimJS(s[:len(s)-len(ext)])
			break
		}
	}
	return strings.TrimLeftFunc(s, func(r rune) bool { return r == '#' || IsSpaceJS(r) })
}

func halfWidth(r rune) rune {
	switch {
	case r >= '０' && r <= '９':
		return r - '０' + '0'
	case r == '－', r == '．', r == '／':
		return r - 0xFEE0
	case r >= '\t' && r <= '\r', r == 0x2028, r == 0x2029:
		return ' '
	}
	return r
}

// ParseNumber gives the chapter number, 0 to 9999, of an argument, a heading or a file name. ChapterKey has the rules.
func ParseNumber(s string) (int, bool) {
	if n, _, ok := leadingNumber(s); ok {
		return n, true
	}
	n, _, ok := numberIn([]rune(nameText(s)))
	return n, ok
}

// leadingNumber is the fast way for what most names start with: 第, one to four digits, 章.
func leadingNumber(s string) (n int, rest string, ok bool) {
	digits, ok := strings.CutPrefix(s, "第")
	if !ok {
		return 0, "", false
	}
	i := 0
	for i < len(digits) && digits[i] >= '0' && digits[i] <= '9' && i < 5 {
		n = n*10 + int(digits[i]-'0')
		i++
	}
	rest, ok = strings.CutPrefix(digits[i:], "章")
	return n, rest, ok && i > 0 && n <= MaxNumber
}

// plainKey reads a key that is of the form of NumberKey, but for needless zeros.
func plainKey(s string) (int, bool) {
	n, rest, ok := leadingNumber(s)
	return n, ok && rest == "" && len(s) >= len("第00章") && len(s) <= len("第0000章")
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// numberIn finds the number in a prepared name, and where the text after the number and its mark or separator starts.
func numberIn(s []rune) (n, end int, ok bool) {
	if n, end, found, ok := markedNumber(s); found {
		return n, end, ok
	}
	i := digitRun(s, 0)
	if i == 0 {
		return 0, 0, false
	}
	if i < len(s) && !isNumberSeparator(s, i) {
		return 0, 0, false
	}
	n, ok = digitsValue(s[:i])
	return n, min(i+1, len(s)), ok
}

// markedNumber finds the first number with a mark. found without ok is a number that cannot be one: the search ends, so that
// no part of it is taken for another.
func markedNumber(s []rune) (n, end int, found, ok bool) {
	for i := 0; i < len(s); {
		stop := digitRun(s, i)
		chinese := stop == i
		if chinese {
			for stop < len(s) && isChineseNumeral(s[stop]) {
				stop++
			}
		}
		if stop == i {
			i++
			continue
		}
		mark := skipSpace(s, stop)
		if mark == len(s) || !isMark(s[mark]) || !startsNumber(s, i, mark+1, chinese) {
			i = stop
			continue
		}
		if isExtra(string(s[:i])) {
			return 0, 0, false, false
		}
		if chinese {
			n, ok = parseChinese(s[i:stop])
		} else {
			n, ok = digitsValue(s[i:stop])
		}
		return n, mark + 1, true, ok
	}
	// 3.5章 is no chapter 3 either.
	if i := digitRun(s, 0); i > 0 && i < len(s) && s[i] == '.' {
		if j := digitRun(s, i+1); j > i+1 && skipSpace(s, j) < len(s) && isMark(s[skipSpace(s, j)]) {
			return 0, 0, true, false
		}
	}
	return 0, 0, false, false
}

// startsNumber reports whether the run at i, whose mark ends at end, stands as a number of its own: behind 第, or at the
// start, or behind a space, a bracket or a volume. Without 第 a Chinese numeral must also end there, for 两回事 and 最后一章
// speak of something else.
func startsNumber(s []rune, i, end int, chinese bool) bool {
	before := i
	for before > 0 && IsSpaceJS(s[before-1]) {
		before--
	}
	if before > 0 && s[before-1] == '第' {
		return true
	}
	if chinese && end < len(s) && !IsSpaceJS(s[end]) && !strings.ContainsRune("-._:：、·—（(【[》」』〕", s[end]) {
		return false
	}
	if i == 0 || before < i {
		return true
	}
	return strings.ContainsRune("卷部集册冊篇，。、：:·—【[（(《「『〔#_", s[i-1])
}

// isExtra reports that the text before a number names an extra, which has its own count: 番外 第一章 is not chapter 1.
func isExtra(before string) bool {
	return slices.ContainsFunc([]string{
		"番外", "外传", "外傳", "前传", "前傳", "后传", "後傳", "后日谈", "後日談", "附录", "附錄", "特典", "特别篇", "特別篇",
	}, func(w string) bool { return strings.Contains(before, w) })
}

func isMark(r rune) bool { return strings.ContainsRune("章回话節节話", r) }

// isNumberSeparator reports that the leading number ends at i: - . _ white space, 、, or a colon that does not make it a time.
func isNumberSeparator(s []rune, i int) bool {
	switch r := s[i]; {
	case r == '-', r == '.', r == '_', r == '、', IsSpaceJS(r):
		return true
	case r == ':', r == '：':
		return i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9'
	}
	return false
}

func digitRun(s []rune, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func skipSpace(s []rune, i int) int {
	for i < len(s) && IsSpaceJS(s[i]) {
		i++
	}
	return i
}

func digitsValue(run []rune) (int, bool) {
	n := 0
	for _, r := range run {
		if n = n*10 + int(r-'0'); n > MaxNumber {
			return 0, false
		}
	}
	return n, len(run) > 0
}
