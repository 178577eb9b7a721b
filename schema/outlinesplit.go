package schema

import (
	"strings"
	"unicode/utf8"
)

// splitOutlineList takes the value of a list label apart at 、 ， ； and their half-width forms, not inside brackets or
// quotes. A bar never separates. With nodes, a comma inside 主体 | 动作 | 对象 does not end the node: a new one begins only
// after the two bars of the one before, and with bars of its own.
func splitOutlineList(s string, nodes bool) []string {
	var out []string
	for _, part := range cutOutside(s, "；;") {
		if !nodes || !hasBar(part.text) {
			for _, p := range cutOutside(part.text, "、，,") {
				out = appendFilled(out, p.text)
			}
			continue
		}
		node := ""
		for _, p := range cutOutside(part.text, "、，,") {
			if node != "" && bars(node) >= 2 && hasBar(p.text) {
				out = appendFilled(out, strings.TrimRight(node, "、，, "))
				node = ""
			}
			node += p.text + p.sep
		}
		out = appendFilled(out, strings.TrimRight(node, "、，, "))
	}
	return out
}

func hasBar(s string) bool { return strings.ContainsAny(s, "|｜") }

func bars(s string) int { return strings.Count(s, "|") + strings.Count(s, "｜") }

func appendFilled(list []string, s string) []string {
	if s = strings.TrimSpace(s); s == "" {
		return list
	}
	return append(list, s)
}

// cutPiece is a piece of a text and the separator behind it.
type cutPiece struct{ text, sep string }

// cutOutside cuts s at each of the separators that stands outside brackets and quotes. A comma between two digits is part
// of the number. A bracket that never closes encloses nothing.
func cutOutside(s, seps string) []cutPiece {
	var out []cutPiece
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if end, ok := bracketEnd(s[i:], r); ok {
			i += end
			continue
		}
		if strings.ContainsRune(seps, r) && (r != ',' || !betweenDigits(s, i)) {
			out = append(out, cutPiece{s[start:i], s[i : i+n]})
			start = i + n
		}
		i += n
	}
	return append(out, cutPiece{s[start:], ""})
}

// bracketEnd gives where the bracket or quote that s begins with ends, behind its closing half.
func bracketEnd(s string, open rune) (int, bool) {
	const opening, closing = "（(「『“‘《【[〔〈", "）)」』”’》】]〕〉"
	k := strings.IndexRune(opening, open)
	if k < 0 {
		return 0, false
	}
	want := []rune(closing)[utf8.RuneCountInString(opening[:k])]
	deep := 0
	for i, r := range s {
		switch r {
		case open:
			deep++
		case want:
			if deep--; deep == 0 {
				return i + utf8.RuneLen(r), true
			}
		}
	}
	return 0, false
}

func betweenDigits(s string, i int) bool {
	digit := func(k int) bool { return k >= 0 && k < len(s) && s[k] >= '0' && s[k] <= '9' }
	return digit(i-1) && digit(i+1)
}
