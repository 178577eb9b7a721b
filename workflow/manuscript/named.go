package manuscript

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"git-novel/schema"
)

// frontWords are the names of chapters without a number that stand before the first one. Longer words come before their
// beginnings.
func frontWords() []string {
	return []string{
		"楔子", "序章", "序言", "序幕", "序曲", "序文", "自序", "代序", "序", "引子", "引言", "前言", "导言", "导读", "卷首语", "卷首",
		"Prologue", "PROLOGUE", "Preface", "PREFACE", "Foreword", "Introduction",
	}
}

// backWords are the names of the others.
func backWords() []string {
	return []string{
		"尾声", "尾聲", "后记", "後記", "终章", "終章", "终曲", "大结局", "跋", "附录", "附錄", "番外篇", "番外", "外传", "外傳", "外篇",
		"特别篇", "间章", "幕间", "完本感言", "完结感言", "上架感言", "Epilogue", "EPILOGUE", "Afterword", "Appendix", "APPENDIX", "Interlude",
	}
}

// IsFront reports a chapter name that stands before the first chapter by its nature: 楔子, 序章, Prologue.
func IsFront(name string) bool { return isFront(name) }

// isFront reports a name that stands before the first chapter by its nature.
func isFront(name string) bool {
	for _, w := range frontWords() {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// readNamed reads 楔子, 番外二, 番外（二）, 番外·雨夜, 附录　陈光蕊…, Appendix A.
func readNamed(s string) (heading, string, bool) {
	for _, list := range [2][]string{frontWords(), backWords()} {
		for _, w := range list {
			rest, ok := strings.CutPrefix(s, w)
			if !ok {
				continue
			}
			n := countSpan(rest)
			counted := strings.ContainsAny(rest[:n], ")）")
			name, rest := w+rest[:n], rest[n:]
			if in, after, ok := readOrdinal(rest); ok && in.kind == kindChapter && in.number >= 0 {
				name, rest = w+strconv.Itoa(in.number), after // 番外第1章: extras have numbers of their own
				counted = true
			}
			if r, size := utf8.DecodeRuneInString(rest); !counted && size > 0 && !strings.ContainsRune(separators+"】]》）)」』（(《【", r) {
				continue // 序幕拉开, 番外来了: a word in a sentence
			}
			h := heading{kind: kindNamed, number: -1, last: -1, name: name, mark: w}
			if r, size := utf8.DecodeRuneInString(rest); size > 0 && strings.ContainsRune("（(《【", r) {
				h.sep, h.joint = true, " "
			}
			return h, rest, true
		}
	}
	return heading{}, "", false
}

var bracketCount = schema.Pattern(`^[（(][0-9０-９零一二三四五六七八九十百上中下终]+[）)]`)

// countSpan is the length of what counts extras of one name: 二, 12, （二）, A.
func countSpan(s string) int {
	if m := bracketCount().FindString(s); m != "" {
		return len(m)
	}
	if n, _ := numeralSpan(s); n > 0 {
		return n
	}
	t := strings.TrimLeft(s, blanks)
	if len(t) == 1 && t[0] >= 'A' && t[0] <= 'Z' || len(t) > 1 && t[0] >= 'A' && t[0] <= 'Z' && strings.ContainsRune(separators, []rune(t[1:])[0]) {
		return len(s) - len(t) + 1
	}
	return 0
}

// readBehindText reads a heading behind the book's name and a blank: 西游记 第一回 题. It counts only when many lines
// begin the same way.
func readBehindText(s string) (heading, bool) {
	i, h, ok := secondHeading(s)
	if !ok || i == 0 {
		return heading{}, false
	}
	lead := strings.Trim(s[:i], separators)
	if lead == "" || utf8.RuneCountInString(lead) > 20 || strings.ContainsAny(lead, "，。！？；：“”‘’…,!?;") {
		return heading{}, false
	}
	h.prefix = textPrefix + lead
	return h, true
}

// textPrefix marks a prefix that is text of the author and no catalogue mark.
const textPrefix = "\x01"

var bareHeading = schema.Pattern(
	`^(?:([（(【\[])\s*)?([0-9０-９]{1,4}|[零〇一二三四五六七八九十百千两]{1,7})(?:\s*([）)】\]]))?(?:([、.．:：])|[\s\x{3000}]+|$)[\s\x{3000}]*(.*)$`)

// readBare reads a numeral that stands for a whole heading. Its class keeps (一) and 1. apart.
func readBare(s string) (heading, bool) {
	m := bareHeading().FindStringSubmatch(s)
	if m == nil || (m[1] == "") != (m[3] == "") || utf8.RuneCountInString(m[5]) > 30 {
		return heading{}, false
	}
	_, plain := numeralSpan(m[2])
	class := "数"
	if plain[0] >= '0' && plain[0] <= '9' {
		class = "9"
	}
	class += m[1] + m[4]
	if m[5] != "" {
		class += " t"
	}
	h := heading{kind: kindBare, number: numeralValue(plain), name: m[2], title: m[5], mark: class, sep: true}
	h.last = h.number
	return h, h.number >= 0 && !endsSentence(m[5])
}

// endsSentence reports text that ends as a sentence does.
func endsSentence(s string) bool {
	s = strings.TrimRight(s, blanks+"”’」』）)\"'")
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && strings.ContainsRune("。！？；，、…：!?;,:．", r)
}
