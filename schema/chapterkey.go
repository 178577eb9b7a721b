package schema

import (
	"crypto/sha1" //nolint:gosec // the seed names drafts by SHA-1
	"encoding/hex"
	"strings"
)

// ChapterKey identifies a chapter in its book: 第03章 when it has a number, else the cleaned text of its name (番外·雨夜). It
// is NFC, a safe path segment, and holds no control or bidi character. The zero value is no chapter.
//
// One parser gives every key (DESIGN 4). What counts as a number: a number with a mark (第3章, 3章, 第二十三回, 二章), a leading
// number with a separator (07-陨落, 3.5), or nothing but a number (3, ００３). Everything else keeps its text: 番外2, 3月的雨,
// 第2卷, 第3.5章, 最后一章, 第10001章. The seeds' two parsers disagreed here and let such names overwrite a numbered chapter.
type ChapterKey string

// NumberKey is the key of chapter n: two digits at least, as the seeds have it.
func NumberKey(n int) ChapterKey { return ChapterKey("第" + padded(n, 2) + "章") }

// padded writes n with at least width digits.
func padded(n, width int) string {
	s := itoa(n)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// ParseChapterKey makes a key of an argument, a heading or a file name. Errors are CodeInvalid: a blank text, nothing left
// after cleaning, more than MaxNameBytes bytes.
func ParseChapterKey(s string) (ChapterKey, error) {
	if TrimJS(s) == "" {
		return "", Errorf(CodeInvalid, "the chapter is blank").
			WithHint("name a chapter by its number or its title: 3, 第03章, 楔子")
	}
	key, ok := chapterKeyOf(s)
	if !ok {
		return "", Errorf(CodeInvalid, "nothing is left of the chapter name %q after cleaning", s).
			WithHint("name a chapter by its number or its title: 3, 第03章, 楔子")
	}
	if len(key) > MaxNameBytes {
		return "", Errorf(CodeInvalid, "the chapter name has %d bytes, more than %d", len(key), MaxNameBytes).
			WithHint("give the chapter a shorter name: a Chinese character is three bytes")
	}
	return key, nil
}

func chapterKeyOf(s string) (ChapterKey, bool) {
	if n, ok := ParseNumber(s); ok {
		return NumberKey(n), true
	}
	// Cleaning can bring a number to light (`:3`, `x.md.md`), so it goes on until nothing changes; a key is then its own key.
	seg, ok := SanitizeSegment(s)
	if !ok || nameText(s) == "" {
		return "", false
	}
	for {
		next, ok := SanitizeSegment(nameText(seg))
		if !ok {
			return "", false
		}
		if n, ok := ParseNumber(next); ok {
			return NumberKey(n), true
		}
		if next == seg {
			return ChapterKey(seg), true
		}
		seg = next
	}
}

// Number is the chapter's number, if it has one.
func (k ChapterKey) Number() (int, bool) { return ParseNumber(string(k)) }

// ID is the name of the chapter in records, state.json and trailers: four digits when numbered, else the key.
func (k ChapterKey) ID() string {
	if n, ok := k.Number(); ok {
		return padded(n, 4)
	}
	return string(k)
}

// String is the key.
func (k ChapterKey) String() string { return string(k) }

// KeyOfID is the inverse of ID.
func KeyOfID(id string) ChapterKey {
	if n, ok := NumberOfID(id); ok {
		return NumberKey(n)
	}
	return ChapterKey(id)
}

// NumberOfID is the number in the id of a numbered chapter.
func NumberOfID(id string) (int, bool) {
	if len(id) != 4 || !isDigits(id) {
		return 0, false
	}
	return int(id[0]-'0')*1000 + int(id[1]-'0')*100 + int(id[2]-'0')*10 + int(id[3]-'0'), true
}

// IsChapterID reports an id that a chapter can have.
func IsChapterID(id string) bool {
	if isDigits(id) && len(id) <= 4 {
		return len(id) == 4
	}
	k, err := ParseChapterKey(id)
	return err == nil && k.ID() == id
}

// FoldKey maps keys that mean the same chapter (NFC, width, letter case) to one text.
func FoldKey(k ChapterKey) string { return FoldName(string(k)) }

// SameKey reports keys that mean one chapter.
func SameKey(a, b ChapterKey) bool { return a == b || FoldKey(a) == FoldKey(b) }

// CompareKeys orders numbered keys by number and before the others, which are ordered by UTF-16 units. It is the order of
// the seeds' answers; where an unnumbered chapter stands in its book is in state.json.
func CompareKeys(a, b ChapterKey) int {
	na, okA := a.Number()
	nb, okB := b.Number()
	switch {
	case okA && okB && na != nb:
		return na - nb
	case okA != okB:
		if okA {
			return -1
		}
		return 1
	}
	return CompareUTF16(string(a), string(b))
}

// UnnamedDraft is the draft key of a draft without a chapter (seed novel_draft).
const UnnamedDraft = "未命名章"

// maxDraftKey is the length from which a draft key is cut, in UTF-16 units.
const maxDraftKey = 48

// DraftKey is the name under which a chapter's mirror and ledger lie (seed novel_draft, draftKeyFor). Every text has one: a
// blank one is 未命名章, one of which nothing is left is 章- and the start of its SHA-1, and one over 48 UTF-16 units is cut and
// gets the start of its SHA-1. Hashes are over the trimmed text.
func DraftKey(s string) string {
	raw := TrimJS(s)
	if raw == "" {
		return UnnamedDraft
	}
	if n, ok := ParseNumber(raw); ok {
		return string(NumberKey(n))
	}
	seg, ok := SanitizeSegment(raw)
	if !ok {
		return "章-" + shortSHA1(raw, 8)
	}
	if n, ok := ParseNumber(seg); ok {
		return string(NumberKey(n))
	}
	if UTF16Len(seg) > maxDraftKey {
		return CutUTF16(seg, maxDraftKey) + "-" + shortSHA1(raw, 6)
	}
	return seg
}

func shortSHA1(s string, digits int) string {
	sum := sha1.Sum([]byte(s)) //nolint:gosec // a name, not a secret
	return hex.EncodeToString(sum[:])[:digits]
}

// ClaimMirror says which draft key to use for a chapter whose canonical draft key is key, when names are the files of the
// book's draft folder (seed novel_draft, resolveDraftTarget): the canonical mirror when it is there, else the first one, by
// UTF-16 units of the file names, that has the same number, else the canonical one. A ledger alone claims nothing.
func ClaimMirror(names []string, key string) string {
	number, numbered := ParseNumber(key)
	best := ""
	for _, name := range names {
		k, ok := strings.CutSuffix(name, MirrorSuffix)
		if !ok || k == "" {
			continue
		}
		if k == key {
			return key
		}
		if n, ok := ParseNumber(k); numbered && ok && n == number && (best == "" || CompareUTF16(name, best+MirrorSuffix) < 0) {
			best = k
		}
	}
	if best == "" {
		return key
	}
	return best
}

// SummaryKey is the slot of a chapter in the summaries (seed novel_summary, normalizeChapterKey): 第03章, or the text itself
// without hidden characters. It is false when nothing is left; the tools then say that the chapter is missing.
func SummaryKey(s string) (string, bool) {
	if n, ok := ParseNumber(s); ok {
		return string(NumberKey(n)), true
	}
	text := nameText(visible(s))
	return text, text != ""
}
