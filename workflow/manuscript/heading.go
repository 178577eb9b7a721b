package manuscript

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"git-novel/schema"
)

// kind is what a line would be if it were a heading.
type kind int

const (
	kindNone     kind = iota
	kindChapter       // 第三章, 第三回, 第三话, Chapter 3
	kindSection       // 第三节, 第三集, 第三篇, 第三幕: a chapter only in a text without kindChapter
	kindVolume        // 第一卷, 卷一, 第一部
	kindNamed         // 楔子, 附录, 番外
	kindBare          // 三, (三), 3、: a chapter only in a text without any other kind
	kindContents      // several headings on one line: never a chapter, but part of a table of contents
)

// heading is one line read as a heading. Whether it is one is decided later, with the lines around it.
type heading struct {
	kind   kind
	number int    // -1 when the heading has none
	last   int    // last number of 第12-13章, else number
	name   string // what an unnumbered chapter is called: 楔子, 番外二, 第3.5章; of a volume 第一卷
	title  string
	joint  string // what joined name and title: ":", "·", " " or ""
	mark   string // 章, 回, …, or the class of a bare numeral
	sep    bool   // something other than text follows the mark
	prefix string // what stands before the heading on its line; equal for headings made by one hand
	indent bool
	volume *volumeLine // the volume named on the same line
}

type volumeLine struct{ name, title string }

const (
	maxHeadingRunes = 90 // longer lines are prose
	blanks          = " \t\u3000\u00a0\ufeff\u2002\u2003\u200b"
	separators      = blanks + ":：.．·•・、-—–─_~～|｜/"
	ornaments       = "☆★◆◇■□●○◎※▲△▼▽→▶►✦✧❀*=-—─~～·•、◤◥" + blanks
)

// Marks after the numeral. Only the first group makes a chapter anywhere.
const (
	chapterMarks = "章回囘话話"
	sectionMarks = "节節集篇幕折"
	volumeMarks  = "卷部册冊"
)

// closingOf is the closing of a bracket, "" when r opens none.
func closingOf(r rune) string {
	const open, closing = "【〖［（〔「『〈《", "】〗］）〕」』〉》"
	if i := strings.IndexRune(open, r); i >= 0 {
		return closing[i : i+3] // all have three bytes
	}
	switch r {
	case '[':
		return "]"
	case '(':
		return ")"
	case '<':
		return ">"
	}
	return ""
}

// catalogueWord is the word in front of s that collections put before a heading, "" when there is none.
func catalogueWord(s string) string {
	for _, w := range [...]string{
		"章节目录", "最新章节", "作品正文", "正文卷", "正文", "目录", "目錄", "VIP章节", "VIP正文", "VIP卷", "VIP", "vip", "Vip",
	} {
		if strings.HasPrefix(s, w) {
			return w
		}
	}
	return ""
}

// readHeading reads a line as a heading. It says yes generously: weigh decides.
func readHeading(line string) (heading, bool) {
	s := strings.Trim(line, blanks)
	if s == "" || len(s) > 4*maxHeadingRunes || utf8.RuneCountInString(s) > maxHeadingRunes {
		return heading{}, false
	}
	indent := strings.IndexAny(line, blanks) == 0
	prefix, closing, core := stripOrnaments(s)
	h, ok := readCore(core, closing)
	if !ok && closing == "" {
		h, ok = readBehindText(core)
	}
	if !ok {
		h, ok = readBare(s)
		prefix = ""
	}
	h.prefix, h.indent = prefix+h.prefix, indent
	return h, ok
}

// stripOrnaments removes what collections and markup put before a heading, and names its kind.
func stripOrnaments(s string) (prefix, closing, core string) {
	for range 8 {
		before := s
		if t := strings.TrimLeft(s, "#"); t != s {
			prefix, s = prefix+"#", strings.TrimLeft(t, blanks)
		}
		if t := strings.TrimLeft(s, ornaments); t != s {
			prefix, s = prefix+firstRune(s), t
		}
		if i := strings.Index(s, "》"); strings.HasPrefix(s, "《") && i > 0 && utf8.RuneCountInString(s[:i]) <= 30 && !strings.Contains(s[:i], "第") {
			prefix, s = prefix+"《》", strings.TrimLeft(s[i+len("》"):], blanks)
		}
		if n := listNumber().FindString(s); n != "" && closing == "" && strings.HasPrefix(s[len(n):], "第") {
			prefix, s = prefix+"N", s[len(n):]
		}
		if w := catalogueWord(s); w != "" && w != s && closing == "" {
			prefix, s = prefix+w, strings.TrimLeft(s[len(w):], separators)
		}
		if r, n := utf8.DecodeRuneInString(s); closing == "" && closingOf(r) != "" && strings.Contains(s[n:], closingOf(r)) {
			prefix, closing, s = prefix+string(r), closingOf(r), strings.TrimLeft(s[n:], blanks)
		}
		if s == before || s == "" {
			break
		}
	}
	return prefix, closing, s
}

// listNumber is the running number that exports put before a heading: 12.第十二章, 012 第十二章.
var listNumber = schema.Pattern(`^[0-9]{1,5}[.、．:：\s\x{3000}]+`)

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func readCore(s, closing string) (heading, bool) {
	for _, read := range []func(string) (heading, string, bool){readOrdinal, readEnglish, readVolumeWord, readNamed} {
		h, rest, ok := read(s)
		if !ok {
			continue
		}
		return finish(h, rest, closing)
	}
	return heading{}, false
}

// finish takes the rest of the line as title and looks for a second heading in it.
func finish(h heading, rest, closing string) (heading, bool) {
	if closing != "" {
		if t, ok := strings.CutPrefix(rest, closing); ok {
			h.sep = true
			rest = t
		} else if t, ok := strings.CutSuffix(rest, closing); ok {
			rest = t
		} else {
			return heading{}, false
		}
	}
	title := strings.TrimLeft(rest, separators)
	if title != rest || title == "" {
		h.sep = true
	}
	if h.joint == "" && title != "" {
		h.joint = jointOf(rest[:len(rest)-len(title)])
	}
	h.title = strings.Trim(cutPage(title), blanks+"#=")
	if h.kind == kindNamed {
		h.countOwn()
	}
	if h.kind == kindVolume || h.kind == kindSection {
		if i, inner, ok := secondHeading(h.title); ok {
			inner.volume = &volumeLine{name: h.name, title: strings.Trim(h.title[:i], separators)}
			return inner, true
		}
	} else if i, inner, ok := secondHeading(h.title); ok && h.kind != kindNamed {
		switch {
		case i > 0:
			h.kind = kindContents
		case inner.number == h.number: // 第1章 第一章 雨夜: an export that numbers once more
			h.title = inner.title
		}
	}
	return h, !endMark(h.title)
}

// countOwn makes 番外1 of 番外 第1章: extras have numbers of their own.
func (h *heading) countOwn() {
	in, rest, ok := readOrdinal(h.title)
	if !ok || in.kind != kindChapter || in.number < 0 {
		return
	}
	h.name += strconv.Itoa(in.number)
	h.title = strings.TrimLeft(rest, separators)
	if h.joint == "·" {
		h.joint = " "
	}
}

func jointOf(sep string) string {
	switch {
	case sep == "":
		return ""
	case strings.ContainsAny(sep, "·•・"):
		return "·"
	case strings.ContainsAny(sep, ":："):
		return ":"
	}
	return " "
}

// pageTail is what a printed table of contents puts behind a title.
var pageTail = schema.Pattern(`[\s\x{3000}]*[.．…·]{3,}[\s\x{3000}]*\d+$`)

func cutPage(title string) string { return pageTail().ReplaceAllString(title, "") }

// secondHeading finds a chapter heading further on in a line, behind a blank or at its start.
func secondHeading(s string) (int, heading, bool) {
	for i := 0; i < len(s); {
		j := strings.Index(s[i:], "第")
		if j < 0 {
			return 0, heading{}, false
		}
		i += j
		prev, _ := utf8.DecodeLastRuneInString(s[:i])
		if i == 0 || strings.ContainsRune(separators+"》】)）", prev) {
			if h, rest, ok := readOrdinal(s[i:]); ok && h.kind == kindChapter {
				if h, ok := finish(h, rest, ""); ok {
					return i, h, true
				}
			}
		}
		i += len("第")
	}
	return 0, heading{}, false
}

// endMark recognises 第三章 完 and its like, which close a chapter.
func endMark(title string) bool {
	switch strings.Trim(title, separators+"）)】」』。！!") {
	case "完", "终", "終", "结束", "待续", "未完待续", "完结", "本章完", "上完", "下完":
		return true
	}
	return false
}

// readOrdinal reads 第三章, 第 3 章, 第3.5章, 第12-13章, and 03章 without 第.
func readOrdinal(s string) (heading, string, bool) {
	rest, lead := strings.CutPrefix(s, "第")
	if lead {
		rest = strings.TrimLeft(rest, blanks)
	}
	n, plain := numeralSpan(rest)
	if n == 0 {
		return heading{}, "", false
	}
	rest = rest[n:]
	last, more := readRangeEnd(rest)
	if lead && more != rest {
		rest = more
	}
	rest = strings.TrimLeft(rest, blanks)
	r, size := utf8.DecodeRuneInString(rest)
	h := heading{mark: string(r), number: numeralValue(plain)}
	switch {
	case size == 0:
		return heading{}, "", false
	case strings.ContainsRune(chapterMarks, r):
		h.kind = kindChapter
	case lead && strings.ContainsRune(sectionMarks, r):
		h.kind = kindSection
	case lead && strings.ContainsRune(volumeMarks, r):
		h.kind = kindVolume
	default:
		return heading{}, "", false
	}
	if !lead && (plain[0] < '0' || plain[0] > '9') {
		return heading{}, "", false // 三章 begins a sentence as often as a chapter
	}
	h.name = s[:len(s)-len(rest)+size]
	h.last = h.number
	rest = rest[size:]
	switch {
	case last.part:
		h.number, h.last = -1, -1 // 第3.5章 stands between two numbers
	case last.number > h.number:
		h.last = last.number
	}
	if !lead {
		h.prefix = "-第"
	}
	return h, rest, !continues(r, rest)
}

type rangeEnd struct {
	part   bool // a decimal part
	number int
}

func readRangeEnd(s string) (rangeEnd, string) {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || !strings.ContainsRune(".．-－—–~～、至到", r) {
		return rangeEnd{}, s
	}
	n, plain := numeralSpan(s[size:])
	if n == 0 {
		return rangeEnd{}, s
	}
	return rangeEnd{part: r == '.' || r == '．', number: numeralValue(plain)}, s[size+n:]
}

// compounds are characters that make another word of the mark: 第三回合, 第一节课, 第一集团军.
func compounds(mark rune) string {
	switch mark {
	case '回':
		return "合家到来去见"
	case '章':
		return "程鱼节"
	case '话':
		return "题音剧费"
	case '节':
		return "课车日骨目约"
	case '集':
		return "团中合市体结训"
	case '篇':
		return "文幅"
	case '部':
		return "队门落长电手下"
	case '卷':
		return "宗轴"
	case '册':
		return "子"
	case '幕':
		return "后"
	}
	return ""
}

// continues reports a mark that goes on as a sentence, 第三回的, 第三回合, or as a range, 第一章到第三章.
func continues(mark rune, rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	if size == 0 {
		return false
	}
	return strings.ContainsRune(compounds(mark), r) || strings.ContainsRune("的里中内与和及至到是就之末尾以，。；,;”’》", r)
}

var englishHeading = schema.Pattern(`^(?i:(chapter|chap\.?|ch\.))[\s\x{3000}]*([0-9０-９]+|[A-Za-z]+(?:-[A-Za-z]+)?)`)

func readEnglish(s string) (heading, string, bool) {
	m := englishHeading().FindStringSubmatch(s)
	if m == nil {
		return heading{}, "", false
	}
	n := englishNumber(m[2])
	rest := s[len(m[0]):]
	r, size := utf8.DecodeRuneInString(rest)
	if n < 0 || size > 0 && !strings.ContainsRune(separators+"】]）)」』", r) {
		return heading{}, "", false
	}
	if startsLower(rest) {
		return heading{}, "", false // Chapter 4 was the longest
	}
	return heading{kind: kindChapter, number: n, last: n, name: m[0], mark: "Chapter"}, rest, true
}

var englishVolume = schema.Pattern(`^(?:PART|Part|VOLUME|Volume|BOOK|Book)\s+([0-9]+|[A-Za-z]+(?:-[A-Za-z]+)?)`)

// startsLower reports text that goes on as a sentence does.
func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, blanks))
	return unicode.IsLower(r)
}

// readVolumeWord reads 卷一, 卷之三, 上卷, 下部.
func readVolumeWord(s string) (heading, string, bool) {
	if t, ok := strings.CutPrefix(s, "卷"); ok {
		t = strings.TrimLeft(strings.TrimPrefix(t, "之"), blanks)
		if n, plain := numeralSpan(t); n > 0 {
			rest := t[n:]
			r, size := utf8.DecodeRuneInString(rest)
			if size == 0 || strings.ContainsRune(separators+"】]）)」』", r) {
				return heading{kind: kindVolume, number: numeralValue(plain), last: -1, name: s[:len(s)-len(rest)], mark: "卷"}, rest, true
			}
		}
		return heading{}, "", false
	}
	if m := englishVolume().FindStringSubmatch(s); m != nil && englishNumber(m[1]) >= 0 {
		rest := s[len(m[0]):]
		if r, size := utf8.DecodeRuneInString(rest); size == 0 || strings.ContainsRune(separators, r) && !startsLower(rest) {
			return heading{kind: kindVolume, number: englishNumber(m[1]), last: -1, name: m[0], mark: "Part"}, rest, true
		}
	}
	for _, w := range []string{"上卷", "中卷", "下卷", "上部", "中部", "下部", "上册", "中册", "下册"} {
		if rest, ok := strings.CutPrefix(s, w); ok {
			if r, size := utf8.DecodeRuneInString(rest); size == 0 || strings.ContainsRune(separators, r) {
				return heading{kind: kindVolume, number: -1, last: -1, name: w, mark: "卷"}, rest, true
			}
		}
	}
	return heading{}, "", false
}
