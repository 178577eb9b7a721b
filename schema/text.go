package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsSpaceJS reports a character that JavaScript's trim and \s take for white space: exactly U+0009–000D, 0020, 00A0, 1680,
// 2000–200A, 2028, 2029, 202F, 205F, 3000 and FEFF. Unlike Go's, the set has the BOM and not U+0085.
func IsSpaceJS(r rune) bool {
	switch {
	case r >= 0x09 && r <= 0x0D, r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A, r == 0x2028, r == 0x2029,
		r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// TrimJS cuts JavaScript white space from both ends, as the seeds' trim() does.
func TrimJS(s string) string { return strings.TrimFunc(s, IsSpaceJS) }

// UTF16Len is the length in UTF-16 units: what the seeds call 字数. A byte that is not UTF-8 counts 1.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// CutUTF16 gives the longest prefix of at most n UTF-16 units that does not end inside a surrogate pair.
func CutUTF16(s string, n int) string {
	for i, r := range s {
		if n--; r > 0xFFFF {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}

// CompareUTF16 orders by UTF-16 code units, as JavaScript compares strings. It differs from the order of bytes only where
// characters above U+FFFF meet U+E000–FFFF.
func CompareUTF16(a, b string) int {
	for {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if na == 0 || nb == 0 {
			return na - nb
		}
		if ra != rb {
			// A rune above U+FFFF starts with a unit of D800–DBFF, so it stands before E000–FFFF.
			switch highA, highB := ra > 0xFFFF, rb > 0xFFFF; {
			case highA && !highB && rb >= 0xE000:
				return -1
			case highB && !highA && ra >= 0xE000:
				return 1
			}
			return int(ra) - int(rb)
		}
		if na != nb { // both are U+FFFD, one of them a bad byte
			return strings.Compare(a, b)
		}
		a, b = a[na:], b[nb:]
	}
}

// CountHan counts the Chinese characters U+4E00–9FFF, [一-鿿].
func CountHan(s string) int {
	n := 0
	for _, r := range s {
		if r >= 0x4E00 && r <= 0x9FFF {
			n++
		}
	}
	return n
}

// hiddenRune reports what may never stand in a name (DESIGN 4): control characters, line and paragraph separators, the
// characters that steer bidirectional text, and the invisible space, joiner and BOM that make two names look the same. The
// joiners inside emoji and scripts that need them (U+200C, U+200D) stay.
func hiddenRune(r rune) bool {
	switch {
	case unicode.IsControl(r), r == 0x2028, r == 0x2029:
		return true
	case r == 0x061C, r == 0x200E, r == 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x00AD, r == 0x200B, r == 0x2060, r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB:
		return true
	}
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF // noncharacters
}

// visible makes a name NFC and removes bytes that are not UTF-8 and characters that hiddenRune names.
func visible(s string) string {
	if !strings.ContainsFunc(s, unusual) {
		return s
	}
	return cleanVisible(s)
}

// VisibleTitle makes a title NFC and takes out what hides in it: characters that steer bidirectional text and invisible ones
// never stand in a heading, a file name or on a board.
func VisibleTitle(title string) string { return TrimJS(visible(title)) }

func cleanVisible(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.Map(func(r rune) rune {
		if hiddenRune(r) {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(s)
}

// unusual reports a character that is not at once visible, valid and alone in NFC. It spares almost every name the work
// that few need; a bad byte reads as U+FFFD, which is unusual.
func unusual(r rune) bool {
	return (r < ' ' || r > '~') && (r < 0x4E00 || r > 0x9FFF) && r != '·' && (r < 0x3000 || r > 0x3029) && (r < 0xFF01 || r > 0xFF5E)
}
