package schema

import (
	"encoding/json"
	"math"
	"testing"
)

func TestChatThreshold(t *testing.T) {
	t.Parallel()
	const null = -1
	five := 5
	tests := []struct {
		row    string
		in     any
		want   int // null: the default
		change ThresholdChange
	}{
		{"seed, D96", 400, 400, ThresholdSet},
		{"seed, D97", 800.4, 800, ThresholdSet},
		{"D98", 800.5, 801, ThresholdSet},
		{"seed, D99", 50, 100, ThresholdSet},
		{"D99", 99.5, 100, ThresholdSet},
		{"D99", 0.4, 100, ThresholdSet},
		{"D100", 100.4, 100, ThresholdSet},
		{"D100", 100.5, 101, ThresholdSet},
		{"D101", 4999.5, 5000, ThresholdSet},
		{"D102", 5000, 5000, ThresholdSet},
		{"D102", 5000.4, 5000, ThresholdSet},
		{"seed, D102", 999999, 5000, ThresholdSet},
		{"D103", 100, 100, ThresholdSet},
		{"D104", 0, null, ThresholdClear},
		{"D104", -5, null, ThresholdClear},
		{"D105", nil, null, ThresholdClear},
		{"D105", "", null, ThresholdClear},
		{"D106", "abc", null, ThresholdIgnore},
		{"D106", "12px", null, ThresholdIgnore},
		{"D106", "４００", null, ThresholdIgnore},
		{"D106", math.NaN(), null, ThresholdIgnore},
		{"D106", math.Inf(1), null, ThresholdIgnore},
		{"D106", map[string]any{}, null, ThresholdIgnore},
		{"D106", []any{1.0, 2.0}, null, ThresholdIgnore},
		{"D107", "400", 400, ThresholdSet},
		{"D107", "  250 ", 250, ThresholdSet},
		{"D107 ideographic space", "　250\u2028", 250, ThresholdSet},
		{"D108", "0x190", 400, ThresholdSet},
		{"D108", "1e3", 1000, ThresholdSet},
		{"octal", "0o620", 400, ThresholdSet},
		{"binary", "0B110010000", 400, ThresholdSet},
		{"signed hexadecimal", "-0x190", null, ThresholdIgnore},
		{"bad hexadecimal", "0xg", null, ThresholdIgnore},
		{"Go's hexadecimal float", "0x1p9", null, ThresholdIgnore},
		{"underscore", "4_00", null, ThresholdIgnore},
		{"Go's words", "inf", null, ThresholdIgnore},
		{"Go's words", "nan", null, ThresholdIgnore},
		{"Infinity", "Infinity", null, ThresholdIgnore},
		{"-Infinity", "-Infinity", null, ThresholdIgnore},
		{"beyond float64", "1e999", null, ThresholdIgnore},
		{"two signs", "+-4", null, ThresholdIgnore},
		{"no digits", ".", null, ThresholdIgnore},
		{"point at the end", "400.", 400, ThresholdSet},
		{"point at the start", ".5", 100, ThresholdSet},
		{"half of an exponent", "4e", null, ThresholdIgnore},
		{"D109, K35", true, null, ThresholdIgnore},
		{"D109, K35", false, null, ThresholdIgnore},
		{"D110, K35", []any{500.0}, null, ThresholdIgnore},
		{"number token", json.Number("300"), 300, ThresholdSet},
		{"pointer", &five, 100, ThresholdSet},
		{"nil pointer", (*int)(nil), null, ThresholdClear},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			n, change := ParseChatThreshold(tt.in)
			if change != tt.change {
				t.Errorf("%v: change %d, want %d", tt.in, change, tt.change)
			}
			if got, ok := NormalizeChatThreshold(tt.in); ok != (tt.want != null) || ok && (got != tt.want || n != tt.want) {
				t.Errorf("%v gave %d, %v; want %d", tt.in, got, ok, tt.want)
			}
			if want := max(tt.want, 0); want == 0 && ChatThreshold(tt.in) != DefaultChatThreshold {
				t.Errorf("%v: the threshold that holds is %d", tt.in, ChatThreshold(tt.in))
			}
		})
	}
}
