package workflow

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"git-novel/schema"
	"git-novel/workflow/prose"
	"git-novel/workflow/state"
)

// maxChapter bounds the text of one chapter, in bytes. A chapter of a serial has about 7,000; a book that was pasted into
// one chapter is better imported.
const maxChapter = 4 << 20

// checkTitle cleans a title that was given. It stands in a heading line, a file name and a commit message, so it is one line.
func checkTitle(title string) (string, error) {
	title = schema.TrimJS(title)
	if strings.ContainsFunc(title, unicode.IsControl) {
		return "", schema.Errorf(schema.CodeUsage, "the title %q has a line break or another control character", title).
			WithHint("a title is one line of text")
	}
	if !utf8.ValidString(title) {
		return "", schema.Errorf(schema.CodeUsage, "the title %q is not UTF-8", title).WithHint("a title is one line of text")
	}
	return schema.VisibleTitle(title), nil
}

// checkText refuses what is no finished text: too large, not UTF-8, with NUL bytes, or a draft mirror. Where names the file in messages.
func checkText(where string, text []byte) error {
	if len(text) > maxChapter {
		return schema.Errorf(schema.CodeInvalid, "%s has %d bytes: a chapter has at most %d", where, len(text), maxChapter).
			WithHint("a whole book is taken in with `git novel import PATH --book NAME`")
	}
	if faults := textFaults(where, text); len(faults) > 0 {
		return schema.Errorf(schema.CodeInvalid, "%s is not a text that can be a chapter", where).WithDetails(faults...).
			WithHint("save it as UTF-8; `git novel import` also reads GBK, GB18030 and UTF-16")
	}
	if state.IsMirror(string(text)) || strings.HasSuffix(where, schema.MirrorSuffix) && strings.HasPrefix(where, schema.NovelsDir+"/") {
		return schema.Errorf(schema.CodeInvalid, "%s is a draft mirror, and a draft is no chapter", where).
			WithHint("`git novel write N` joins the segments of a draft; a finished text has another name and no segment headers")
	}
	return nil
}

// checkSegment refuses a draft segment that is no text: the mirror is only ever added to, so that one such segment would
// keep the whole draft from becoming a chapter.
func checkSegment(text string) error {
	if faults := textFaults("", []byte(text)); len(faults) > 0 {
		return schema.Errorf(schema.CodeInvalid, "the segment is no text, and nothing was written").WithDetails(faults...).
			WithHint("save it as UTF-8 and hand it in again")
	}
	return nil
}

// textFaults tells what makes bytes no text: NUL bytes, and what is not UTF-8.
func textFaults(where string, text []byte) (faults []schema.Fault) {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		line, col := lineCol(text, i)
		faults = append(faults, schema.Fault{File: where, Line: line, Col: col, Rule: "text-nul", Msg: schema.Textf("there is a NUL byte: this is no text file")})
	}
	if i := invalidUTF8(text); i >= 0 {
		line, col := lineCol(text, i)
		faults = append(faults, schema.Fault{File: where, Line: line, Col: col, Rule: "text-utf8", Msg: schema.Textf("this is not UTF-8")})
	}
	return faults
}

// invalidUTF8 gives the byte offset of the first byte that is not UTF-8, -1 when there is none.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineCol turns a byte offset into a line and a column in runes, both from 1.
func lineCol(text []byte, at int) (line, col int) {
	before := text[:at]
	line = bytes.Count(before, []byte{'\n'}) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

func blank(text []byte) bool { return schema.TrimJS(string(text)) == "" }

// bind ties a record to a text.
func bind(path string, text []byte) schema.Binding {
	return schema.Binding{Path: path, Blob: schema.HashBlob(text), Chars: schema.UTF16Len(string(text))}
}

// headingTitle is the title that the text's own first line gives, when that line is a heading of this chapter.
func headingTitle(text []byte, key schema.ChapterKey) string {
	h, ok := prose.HeadingOf(string(text))
	if !ok {
		return ""
	}
	if n, numbered := key.Number(); numbered && h.Number >= 0 && h.Number != n {
		return ""
	}
	return h.Title
}

// headingNotes tells of a heading that does not fit: another number blocks at the review, another title is only noted.
func headingNotes(text []byte, key schema.ChapterKey, title string) []schema.Text {
	h, ok := prose.HeadingOf(string(text))
	if !ok {
		return nil
	}
	var notes []schema.Text
	if n, numbered := key.Number(); numbered && h.Number >= 0 && h.Number != n {
		notes = append(notes, schema.Textf("the text's heading says chapter %d: the review will block on that", h.Number))
	}
	if title != "" && h.Title != "" && strings.TrimSpace(title) != h.Title {
		notes = append(notes, schema.Textf("the text's heading has the title %q, the file name %q", h.Title, title))
	}
	return notes
}

// arg is a chapter as an argument of another verb; for messages there is state.Book.Arg.
func arg(key schema.ChapterKey) string {
	if n, ok := key.Number(); ok {
		return fmt.Sprint(n)
	}
	return string(key)
}
