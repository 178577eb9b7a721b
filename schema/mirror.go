package schema

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MirrorTime is the layout of times in a mirror, UTC without a zone (seed novel_draft).
const MirrorTime = "2006-01-02 15:04:05"

const (
	finalHead = "## 定稿落盘 · "
	keptHead  = "## 合并留存 · "
)

// SegmentBlock is one segment as it is appended to a mirror whose last bytes are tail: header, blank line, text, blank line.
// tail is empty for a new mirror; when a person left it without a line end, the block starts with one, so that the header
// stands on its own line. Bytes that are there are never changed (reference D150–D155).
func SegmentBlock(tail []byte, number int, text string, at time.Time) []byte {
	return mirrorBlock(tail, "## 第"+itoa(number)+"段 · "+at.UTC().Format(MirrorTime), text)
}

// FinalBlock is appended when a chapter file has been written: 定稿落盘. number is the chapter's, -1 for an unnumbered one,
// whose key is then named; file is the chapter's file name and chars its length. The text is added only when the mirror
// has no segment of its own, so that whoever opens it finds something (seed novel_draft).
func FinalBlock(mirror []byte, key ChapterKey, file string, chars int, text string, at time.Time) []byte {
	name := string(key)
	if n, ok := key.Number(); ok {
		name = "第" + itoa(n) + "章" // not padded here, unlike everywhere else (reference D159)
	}
	body := "> 本章已写入正式章节:" + file + "(" + itoa(chars) + " 字)。本文件是草稿镜像,只追加、只给人看。"
	if t := TrimJS(text); t != "" && CountSegments(mirror) == 0 {
		body += "\n\n" + t
	}
	return mirrorBlock(mirror, finalHead+name+" · "+at.UTC().Format(MirrorTime), body)
}

// KeptBlock keeps a text that lost in a merge or a resolve (DESIGN 12), with a line that says where it comes from. Like
// FinalBlock it ends the segment before it and is none itself.
func KeptBlock(tail []byte, key ChapterKey, origin, text string, at time.Time) []byte {
	return mirrorBlock(tail, keptHead+string(key)+" · "+at.UTC().Format(MirrorTime), "> "+oneLine(origin)+"\n\n"+text)
}

func mirrorBlock(tail []byte, head, body string) []byte {
	var b bytes.Buffer
	if len(tail) > 0 {
		switch {
		case !bytes.HasSuffix(tail, []byte("\n")):
			b.WriteString("\n\n")
		case !bytes.HasSuffix(tail, []byte("\n\n")) && !bytes.HasSuffix(tail, []byte("\n\r\n")):
			b.WriteString("\n")
		}
	}
	b.WriteString(head + "\n\n" + body + "\n\n")
	return b.Bytes()
}

// Segment is one segment of a mirror.
type Segment struct {
	Index int    `json:"index"` // the number in its header
	At    string `json:"at"`    // what follows the number, as written: a time, or ""
	Text  string `json:"text"`  // trimmed
	Start int    `json:"start"` // byte offset of the header in the mirror
}

// CountSegments counts the segment headers, as the ledger is rebuilt: lines that match /^## 第\s*\d+\s*段/gm in JavaScript.
func CountSegments(mirror []byte) int {
	const head = "## 第"
	n := 0
	for rest, start := string(trimBOM(mirror)), true; ; start = false {
		i := strings.Index(rest, head)
		if i < 0 {
			return n
		}
		// \s also matches line ends there: a number on the next line is still a match.
		_, after, ok := segmentNumber(rest[i+len(head):])
		if ok && strings.HasPrefix(after, "段") && (start && i == 0 || endsLineJS(rest[:i])) {
			n++
		}
		rest = rest[i+len("##"):] // not the whole head: the bytes before the next one must be there to be looked at
	}
}

// endsLineJS reports a text after which a line begins.
func endsLineJS(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
}

// ParseSegments gives the segments of a mirror in their order. A header is a line ## 第N段, with or without spaces and with
// or without · and a time; its segment goes to the next header or to a block of FinalBlock or KeptBlock. Such a line inside
// a text counts as a header (reference K36). Line ends may be CRLF.
func ParseSegments(mirror []byte) []Segment {
	var out []Segment
	bom := len(mirror) - len(trimBOM(mirror))
	rest := string(mirror[bom:])
	start, open := 0, false // start of the text of the open segment
	pos := 0
	closeAt := func(end int) {
		if open {
			last := &out[len(out)-1]
			last.Text = TrimJS(rest[start:end])
		}
		open = false
	}
	for pos < len(rest) {
		line, after := cutLineJS(rest[pos:])
		next := len(rest) - len(after)
		if index, at, ok := segmentHeader(line); ok {
			closeAt(pos)
			out = append(out, Segment{Index: index, At: at, Start: bom + pos})
			start, open = next, true
		} else if strings.HasPrefix(line, "## 定稿落盘") || strings.HasPrefix(line, strings.TrimSuffix(keptHead, " · ")) {
			closeAt(pos)
		}
		pos = next
	}
	closeAt(len(rest))
	return out
}

// segmentHeader reads /^##\s*第\s*(\d+)\s*段\s*(·.*)?$/.
func segmentHeader(line string) (index int, at string, ok bool) {
	rest, ok := strings.CutPrefix(line, "##")
	if !ok {
		return 0, "", false
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeftFunc(rest, IsSpaceJS), "第"); !ok {
		return 0, "", false
	}
	index, rest, ok = segmentNumber(rest)
	if !ok {
		return 0, "", false
	}
	if rest, ok = strings.CutPrefix(rest, "段"); !ok {
		return 0, "", false
	}
	rest = TrimJS(rest)
	if rest == "" {
		return index, "", true
	}
	at, ok = strings.CutPrefix(rest, "·")
	return index, TrimJS(at), ok
}

// segmentNumber reads \s*\d+\s*. A number beyond int32 is as good as any other: only the header counts.
func segmentNumber(s string) (n int, rest string, ok bool) {
	s = strings.TrimLeftFunc(s, IsSpaceJS)
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0, "", false
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil || n > math.MaxInt32 {
		n = math.MaxInt32
	}
	return n, strings.TrimLeftFunc(s[end:], IsSpaceJS), true
}

// cutLineJS cuts at what JavaScript's ^ takes for a line end: LF, CR, U+2028, U+2029.
func cutLineJS(s string) (line, rest string) {
	i := strings.IndexAny(s, "\n\r\u2028\u2029")
	if i < 0 {
		return s, ""
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return s[:i], s[i+size:]
}

// SegmentChars is the sum of the lengths of segments, in UTF-16 units.
func SegmentChars(segments []Segment) int {
	n := 0
	for _, s := range segments {
		n += UTF16Len(s.Text)
	}
	return n
}
