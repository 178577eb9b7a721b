package schema

import (
	"slices"
	"strings"
)

// maxTitleUnits is where a title is cut for a file name, in UTF-16 units (seed: 24 characters).
const maxTitleUnits = 24

// ChapterFileInfo is the name of a chapter file taken apart.
type ChapterFileInfo struct {
	Key    ChapterKey
	Number int    // -1 when the chapter has none
	Title  string // what follows the number; the whole name of an unnumbered chapter
	Ext    string // lower case, with its dot
}

// ChapterFileName is the name of a new chapter file: 第03章 雨夜.md. digits is the least width of the number, 2 or more. The
// title is cleaned and cut to 24 UTF-16 units; an unnumbered chapter has its key for a title and takes no other.
func ChapterFileName(k ChapterKey, title string, digits int) string {
	n, ok := k.Number()
	if !ok {
		return string(k) + ".md"
	}
	name := "第" + padded(n, min(max(digits, 2), 4)) + "章"
	if t := FileTitle(title); t != "" {
		name += " " + t
	}
	return name + ".md"
}

// FileTitle is a title as it can stand in a file name, "" when nothing is left. It gives its own result unchanged.
func FileTitle(title string) string {
	t := title
	for { // cutting can bare a dot or blank at the end, and the underscore of a reserved name counts too
		seg, ok := SanitizeSegment(t)
		if !ok {
			return ""
		}
		for strings.HasSuffix(seg, draftSuffix) { // a chapter file is not called like a draft
			seg = strings.TrimSuffix(seg, draftSuffix)
		}
		if seg = CutUTF16(seg, maxTitleUnits); seg == t {
			return t
		}
		t = seg
	}
}

// draftSuffix is how the name of a mirror ends, without its extension.
const draftSuffix = "__draft"

// ParseChapterFile takes the name of a file in a book folder apart. It is false when the file is none of a chapter: another
// ending than .md, .markdown or .txt, a hidden file, a name without a key, or a .txt that neither has a number nor is named
// like a part of a book (楔子, 番外…), for such files are the author's notes.
func ParseChapterFile(name string) (ChapterFileInfo, bool) {
	if info, ok := plainChapterFile(name); ok {
		return info, true
	}
	return anyChapterFile(name)
}

func anyChapterFile(name string) (ChapterFileInfo, bool) {
	if strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\") {
		return ChapterFileInfo{}, false
	}
	ext := ""
	for _, e := range chapterExts() {
		if len(name) > len(e) && strings.EqualFold(name[len(name)-len(e):], e) {
			ext = e
		}
	}
	if ext == "" {
		return ChapterFileInfo{}, false
	}
	stem := name[:len(name)-len(ext)]
	key, err := ParseChapterKey(stem)
	if err != nil {
		return ChapterFileInfo{}, false
	}
	info := ChapterFileInfo{Key: key, Number: -1, Ext: ext, Title: string(key)}
	if n, ok := key.Number(); ok {
		info.Number, info.Title = n, TitleAfterNumber(stem)
	} else if ext == ".txt" && !isPartWord(string(key)) {
		return ChapterFileInfo{}, false
	}
	return info, true
}

// plainChapterFile is the fast way for the names that we give, 第0012章 题目.md: a title of usual characters without a dot.
func plainChapterFile(name string) (ChapterFileInfo, bool) {
	n, rest, ok := leadingNumber(name)
	title, md := strings.CutSuffix(rest, ".md")
	if !ok || !md {
		return ChapterFileInfo{}, false
	}
	for _, r := range title {
		if unusual(r) || r == '.' || r == '/' || r == '\\' || halfWidth(r) != r {
			return ChapterFileInfo{}, false
		}
	}
	return ChapterFileInfo{Key: NumberKey(n), Number: n, Title: cutSeparators(title), Ext: ".md"}, true
}

// FileNumber is the number that a file name starts with, 第0012章 or 第12章, for those who look for one chapter among many. A
// name of which it says false may have a number too: ParseChapterFile knows.
func FileNumber(name string) (int, bool) {
	n, _, ok := leadingNumber(name)
	return n, ok
}

// isChapterFile reports what ParseChapterFile does, in less time for the names that we give.
func isChapterFile(name string) bool {
	if _, rest, ok := leadingNumber(name); ok && strings.HasSuffix(rest, ".md") && !strings.ContainsAny(rest, "/\\") {
		return true
	}
	_, ok := ParseChapterFile(name)
	return ok
}

// TitleAfterNumber is what follows the number in a name or a heading line: 雨夜 of 第03章 雨夜 or 07-雨夜. A text without a
// number is a title as a whole. The marks of a Markdown heading and a chapter file's ending are no part of it.
func TitleAfterNumber(s string) string {
	text := nameText(s)
	_, rest, ok := leadingNumber(text)
	if !ok {
		runes := []rune(text)
		_, end, ok := numberIn(runes)
		if !ok {
			return text
		}
		rest = string(runes[end:])
	}
	return cutSeparators(rest)
}

func cutSeparators(rest string) string {
	return strings.TrimFunc(strings.TrimLeftFunc(rest, func(r rune) bool {
		return IsSpaceJS(r) || strings.ContainsRune("-._:：、·—|】]）)》」』〕", r)
	}), IsSpaceJS)
}

// isPartWord reports the names that parts of a book without a number have.
func isPartWord(s string) bool {
	return slices.ContainsFunc([]string{
		"楔子", "序", "引子", "引言", "前言", "卷首", "开篇", "番外", "外传", "外傳", "附录", "附錄", "尾声", "尾聲", "后记", "後記",
		"终章", "終章", "终幕", "跋", "完本感言", "后日谈", "特别篇", "特典", "间章", "幕间",
	}, func(w string) bool { return strings.HasPrefix(s, w) })
}
