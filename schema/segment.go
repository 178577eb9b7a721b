package schema

import (
	"strings"
)

// MaxNameBytes bounds a book name and an unnumbered chapter key, in UTF-8 bytes. A file name has 255; the rest is for
// suffixes (.json, __state.json), temporary names, and the time stamp of a trash branch.
const MaxNameBytes = 200

// SanitizeSegment makes one path segment of any text (seeds, sanitizeSegment): the characters \ / : * ? " < > | and hidden
// ones are removed, runs of dots become one, dots and white space at both ends go, and a name that Windows or git reserves
// gets an underscore in front. It is false when nothing is left. It never lengthens a name by more than that underscore and
// gives its own result unchanged.
func SanitizeSegment(s string) (string, bool) {
	if isSimpleName(s) {
		return s, true
	}
	return cleanSegment(s)
}

func cleanSegment(s string) (string, bool) {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`\/:*?"<>|`, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = visible(s)
	var b strings.Builder
	var last rune
	for _, r := range s {
		if r == '.' && last == '.' {
			continue
		}
		b.WriteRune(r)
		last = r
	}
	s = strings.TrimFunc(b.String(), func(r rune) bool { return r == '.' || IsSpaceJS(r) })
	if s == "" {
		return "", false
	}
	if isReservedName(s) {
		s = "_" + s
	}
	return s, true
}

// isReservedName reports the device names of Windows, which also hold with any extension (CON.md), and the short name that
// NTFS gives .git, which git refuses in a tree.
func isReservedName(s string) bool {
	stem, _, _ := strings.Cut(s, ".")
	stem = strings.ToLower(strings.TrimRight(stem, " "))
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$", "git~1":
		return true
	}
	if len(stem) < 4 || stem[:3] != "com" && stem[:3] != "lpt" {
		return false
	}
	switch stem[3:] {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}

// isSimpleName reports a name of Chinese characters, ASCII letters and digits alone, which most names are: nothing in it
// needs cleaning.
func isSimpleName(s string) bool {
	ascii := false
	for _, r := range s {
		switch {
		case r >= 0x4E00 && r <= 0x9FFF:
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
			ascii = true
		default:
			return false
		}
	}
	return s != "" && !(ascii && isReservedName(s))
}
