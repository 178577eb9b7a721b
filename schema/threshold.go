package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// The threshold at which a batch of segments is shown to the author, in UTF-16 units (seed novel_draft).
const (
	MinChatThreshold = 100
	MaxChatThreshold = 5000
)

// ThresholdChange is what writing a value to chatThreshold does.
type ThresholdChange int

// The changes (reference K9).
const (
	ThresholdIgnore ThresholdChange = iota // not a number: what is stored stays
	ThresholdClear                         // null, absent, 0 or less: the default again
	ThresholdSet
)

// ParseChatThreshold says what a value given for chatThreshold does, and the threshold to store when it sets one. v is a
// value as it comes out of JSON or of a command line: nil, string, json.Number, any Go number. Strings are read by the rules
// of JavaScript's Number, halves round up, and the result is held between 100 and 5000. Booleans and lists, which Number
// would take, are no numbers (reference K35).
func ParseChatThreshold(v any) (int, ThresholdChange) {
	n, ok := numberJS(v)
	switch {
	case !ok || math.IsNaN(n) || math.IsInf(n, 0):
		return 0, ThresholdIgnore
	case n <= 0:
		return 0, ThresholdClear
	}
	// floor(n + 0.5) would round the number just below a half up, and does not hold for large ones.
	whole := math.Floor(n)
	if n-whole >= 0.5 {
		whole++
	}
	return int(min(MaxChatThreshold, max(MinChatThreshold, whole))), ThresholdSet
}

// ChatThreshold is the threshold that holds for a stored value: 400 when it sets none.
func ChatThreshold(stored any) int {
	if n, change := ParseChatThreshold(stored); change == ThresholdSet {
		return n
	}
	return DefaultChatThreshold
}

func numberJS(v any) (float64, bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case string:
		return parseNumberJS(v), true
	case json.Number:
		return parseNumberJS(string(v)), true
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case *int:
		if v == nil {
			return 0, true
		}
		return float64(*v), true
	case *float64:
		if v == nil {
			return 0, true
		}
		return *v, true
	}
	return 0, false
}

// parseNumberJS is JavaScript's Number of a string: white space around it, decimal with optional fraction and exponent, the
// word Infinity, and 0x, 0o, 0b without a sign. A blank string is 0; anything else is NaN.
func parseNumberJS(s string) float64 {
	s = TrimJS(s)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		base := map[byte]float64{'x': 16, 'X': 16, 'o': 8, 'O': 8, 'b': 2, 'B': 2}[s[1]]
		if base > 0 {
			n := 0.0
			for _, c := range strings.ToLower(s[2:]) {
				d := float64(strings.IndexRune("0123456789abcdef", c))
				if d < 0 || d >= base {
					return math.NaN()
				}
				n = n*base + d
			}
			return n
		}
	}
	body := strings.TrimLeft(s, "+-")
	if len(s)-len(body) > 1 {
		return math.NaN()
	}
	if body == "Infinity" {
		return math.Inf(1 - 2*strings.Count(s, "-"))
	}
	// What is left of ParseFloat's grammar when letters and underscores other than the exponent are gone is JavaScript's.
	if strings.Trim(body, "0123456789.eE+-") != "" || !strings.ContainsAny(body, "0123456789") {
		return math.NaN()
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(n, 0) {
		return math.NaN()
	}
	return n
}
