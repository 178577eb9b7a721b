package schema

import "strings"

// MaxNumber is the highest chapter number; above it a number is no number and the raw text is the key (DESIGN 4).
const MaxNumber = 9999

// chineseDigit gives the value of a digit that can stand in a chapter number, or -1.
func chineseDigit(r rune) int {
	if r == '两' {
		return 2
	}
	i := strings.IndexRune("零一二三四五六七八九", r)
	if i < 0 {
		if r == '〇' {
			return 0
		}
		return -1
	}
	return i / len("零")
}

func chineseUnit(r rune) int {
	switch r {
	case '十':
		return 10
	case '百':
		return 100
	case '千':
		return 1000
	}
	return 0
}

// isChineseNumeral reports the characters of a numeral run, those included that make the run no number (万, 廿, 壹): a run is
// read whole or not at all, else 第廿一章 would be chapter 1.
func isChineseNumeral(r rune) bool {
	return chineseDigit(r) >= 0 || chineseUnit(r) > 0 || strings.ContainsRune("万萬亿億廿卅卌壹贰貳叁參肆伍陆陸柒捌玖拾佰仟兩半几幾数數", r)
}

// parseChinese reads a run of Chinese numerals, 1 to 9999: with units (一千零一, 二十三, 两百) or, when there is none, by place
// (一零零一, 一二). Zero alone is no number, and a reading that is not certain (一百二) is none.
func parseChinese(run []rune) (int, bool) {
	units := false
	for _, r := range run {
		if chineseDigit(r) < 0 && chineseUnit(r) == 0 {
			return 0, false
		}
		units = units || chineseUnit(r) > 0
	}
	read := byPlace
	if units {
		read = withUnits
	}
	n, ok := read(run)
	return n, ok && n >= 1 && n <= MaxNumber
}

func byPlace(run []rune) (int, bool) {
	n := 0
	for _, r := range run {
		if r == '两' && len(run) > 1 || n > MaxNumber {
			return 0, false
		}
		n = n*10 + chineseDigit(r)
	}
	return n, true
}

func withUnits(run []rune) (int, bool) {
	sum, digit, last := 0, -1, 10000 // last: the unit read last
	zero := false                    // a 零 stands since then
	for _, r := range run {
		if u := chineseUnit(r); u > 0 {
			if u >= last {
				return 0, false
			}
			if digit < 0 {
				digit = 1 // 十五, 百零八
			}
			sum, digit, last, zero = sum+digit*u, -1, u, false
			continue
		}
		switch d := chineseDigit(r); {
		case digit >= 0: // two digits without a unit between them
			return 0, false
		case d == 0:
			zero = true
		default:
			digit = d
		}
	}
	if digit < 0 {
		return sum, true
	}
	// 一百二 is 120 to some and 102 to others.
	if last > 10 && !zero {
		return 0, false
	}
	return sum + digit, true
}
