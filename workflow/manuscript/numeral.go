package manuscript

import (
	"strings"
	"unicode/utf8"

	"git-novel/schema"
)

// plainNumeral turns a numeral that people print in headings into the one that schema reads; other runes stay.
func plainNumeral(r rune) rune {
	const from = "〇○壹贰貳叁參肆伍陆陸柒捌玖拾佰仟兩萬"
	const to = "零零一二二三三四五六六七八九十百千两万"
	if i := strings.IndexRune(from, r); i >= 0 {
		plain, _ := utf8.DecodeRuneInString(to[i:]) // all have three bytes
		return plain
	}
	return r
}

const cjkNumerals = "零一二三四五六七八九十百千万两"

// numeralSpan is the length in bytes of the numeral in front of s: digits of one kind (half or full width) or Chinese
// numerals. It gives the numeral in plain form too.
func numeralSpan(s string) (n int, plain string) {
	var b strings.Builder
	kind := 0 // 1 digits, 2 Chinese
	for i, r := range s {
		k := 0
		switch {
		case r >= '0' && r <= '9':
			k = 1
		case r >= '０' && r <= '９':
			k, r = 1, r-'０'+'0'
		default:
			r = plainNumeral(r)
			if strings.ContainsRune(cjkNumerals, r) {
				k = 2
			}
		}
		if k == 0 || kind != 0 && k != kind {
			return i, b.String()
		}
		kind = k
		b.WriteRune(r)
	}
	return len(s), b.String()
}

// numeralValue is the number of a plain numeral by the rules that chapter names follow everywhere; -1 when it is none.
func numeralValue(plain string) int {
	if n, ok := schema.ParseNumber("第" + plain + "章"); ok {
		return n
	}
	return -1
}

// englishNumber reads what follows the word Chapter: digits, a Roman numeral or a word up to ninety-nine.
func englishNumber(word string) int {
	if n, plain := numeralSpan(word); n == len(word) && n > 0 {
		return numeralValue(plain)
	}
	if n := roman(word); n > 0 {
		return n
	}
	return englishWord(strings.ToLower(word))
}

func roman(s string) int {
	if s != strings.ToUpper(s) && s != strings.ToLower(s) {
		return -1
	}
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
	up := strings.ToUpper(s)
	n := 0
	for i := range len(up) {
		v, ok := values[up[i]]
		if !ok {
			return -1
		}
		if i+1 < len(up) && v < values[up[i+1]] {
			n -= v
		} else {
			n += v
		}
	}
	if n <= 0 || toRoman(n) != up { // IIX, VV and the like are no numerals
		return -1
	}
	return n
}

func toRoman(n int) string {
	steps := []struct {
		v int
		s string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	}
	var b strings.Builder
	for _, st := range steps {
		for n >= st.v {
			b.WriteString(st.s)
			n -= st.v
		}
	}
	return b.String()
}

func englishWord(s string) int {
	small := []string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
		"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	}
	for i, w := range small {
		if w == s {
			return i
		}
	}
	tens := []string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
	head, tail, found := strings.Cut(s, "-")
	for i, w := range tens {
		if w != head {
			continue
		}
		n := 10 * (i + 2)
		if !found {
			return n
		}
		for j, u := range small[1:10] {
			if u == tail {
				return n + j + 1
			}
		}
	}
	return -1
}
