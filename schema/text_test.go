package schema

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Row D93: the trim set, to the character.
func TestTrimSetD93(t *testing.T) {
	t.Parallel()
	var want []rune
	for r := rune(0x09); r <= 0x0D; r++ {
		want = append(want, r)
	}
	want = append(want, 0x20, 0xA0, 0x1680)
	for r := rune(0x2000); r <= 0x200A; r++ {
		want = append(want, r)
	}
	want = append(want, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
	var got []rune
	for r := range utf8.MaxRune + 1 {
		if IsSpaceJS(r) {
			got = append(got, r)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the set is %U", got)
	}
}

func TestSegmentTexts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		row, in, want string
		units         int
	}{
		{"D82", "第一小段。", "第一小段。", 5},
		{"D83", "  甲乙  \n", "甲乙", 2},
		{"D84", "甲\n乙", "甲\n乙", 3},
		{"D85", "甲\r\n乙", "甲\r\n乙", 4},
		{"D86", "甲\n\n乙", "甲\n\n乙", 4},
		{"D88 composed", "é", "é", 1},
		{"D88 decomposed", "e\u0301", "e\u0301", 2},
		{"D89", "　　缩进", "缩进", 2},
		{"D90", "\ufeff正文", "正文", 2},
		{"D91", "正文\u0085", "正文\u0085", 3},
		{"D92", "\u200b正文", "\u200b正文", 3},
		{"emoji", "😀", "😀", 2},
		{"D94", "# 题\n> <b>", "# 题\n> <b>", 9},
		{"D6", "  \n\t　", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			got := TrimJS(tt.in)
			if got != tt.want || UTF16Len(got) != tt.units {
				t.Errorf("got %q of %d units, want %q of %d", got, UTF16Len(got), tt.want, tt.units)
			}
		})
	}
}

func TestTextProperties(t *testing.T) {
	t.Parallel()
	gen := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a字😀\uE000\uFFFD\uFFFF\U0010FFFF"))))
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		ua, ub := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		if UTF16Len(a) != len(ua) {
			t.Fatalf("UTF16Len(%q) = %d, want %d", a, UTF16Len(a), len(ua))
		}
		if got, want := CompareUTF16(a, b), slices.Compare(ua, ub); got < 0 != (want < 0) || got > 0 != (want > 0) {
			t.Fatalf("CompareUTF16(%q, %q) = %d, want %d", a, b, got, want)
		}
		n := rapid.IntRange(0, len(ua)+1).Draw(t, "n")
		cut := CutUTF16(a, n)
		if !strings.HasPrefix(a, cut) || UTF16Len(cut) > n || UTF16Len(cut) < min(n, len(ua))-1 || !utf8.ValidString(cut) {
			t.Fatalf("CutUTF16(%q, %d) = %q", a, n, cut)
		}
	})
}

func TestCountHan(t *testing.T) {
	t.Parallel()
	if n := CountHan("一鿿，a〇𠀀第3章\u3400"); n != 4 {
		t.Errorf("got %d", n)
	}
}
