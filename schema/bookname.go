package schema

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// BookName is the name of a book: a sanitised path segment, the name of its folder below novels/. The zero value is no
// book.
type BookName string

// String is the name.
func (b BookName) String() string { return string(b) }

// Error texts that the seeds fix.
const (
	errBookBlank   = `参数 "book" 不能为空字符串`
	errBookNothing = "参数 book 不能为空（清洗后无有效字符）"
)

// ParseBookName makes a book name of an argument by cleaning it, as the seeds' tools do: `a/b` is the book `ab`. Errors are
// CodeInvalid with the seeds' texts for a blank argument and for one of which nothing is left. Too long a name and the
// folder of outline material are refused too.
func ParseBookName(s string) (BookName, error) {
	if TrimJS(s) == "" {
		return "", Errorf(CodeInvalid, errBookBlank)
	}
	name, ok := SanitizeSegment(s)
	if !ok {
		return "", Errorf(CodeInvalid, errBookNothing)
	}
	if len(name) > MaxNameBytes {
		return "", Errorf(CodeInvalid, "the book name has %d bytes, more than %d", len(name), MaxNameBytes).
			WithHint("give the book a shorter name: a Chinese character is three bytes")
	}
	if FoldName(name) == FoldName(materialName) {
		return "", Errorf(CodeInvalid, "%s is the folder of outline material, not a book", name).
			WithHint("give the book another name")
	}
	return BookName(name), nil
}

// StrictBookName refuses a name that cleaning would change, so that a command never makes another book than the one that
// was named. White space at the ends is no change.
func StrictBookName(s string) (BookName, error) {
	name, err := ParseBookName(s)
	if err != nil {
		return "", err
	}
	if string(name) != TrimJS(s) {
		return "", Errorf(CodeInvalid, "%q cannot be the name of a book", s).
			WithHint("a name that works everywhere is %q", string(name))
	}
	return name, nil
}

// IsBookName reports a name that is a book name as it stands.
func IsBookName(s string) bool {
	if isSimpleName(s) {
		return len(s) <= MaxNameBytes && s != materialName
	}
	name, err := ParseBookName(s)
	return err == nil && string(name) == s
}

// FoldName maps names that differ only by composition (NFC, NFD), width or letter case to one text. Two names with one
// fold are the same name (DESIGN 4).
func FoldName(s string) string {
	for range 4 { // composing can make a letter that folds again
		next := visible(strings.Map(foldCase, width.Fold.String(strings.TrimFunc(visible(s), IsSpaceJS))))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// foldCase gives the smallest of the letters that differ only by case.
func foldCase(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// SameBook reports names that mean one book.
func SameBook(a, b BookName) bool { return FoldName(string(a)) == FoldName(string(b)) }
