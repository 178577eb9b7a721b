package brief

// Tokens estimates the tokens of a text: one for each rune from U+2E80 on, a quarter for each other rune, rounded up
// (DESIGN 13). It is an estimate and is stated as one.
func Tokens(s string) int { return (quarters(s) + 3) / 4 }

// quarters counts in quarters of a token, so that sums of parts are exact.
func quarters(s string) int {
	n := 0
	for _, r := range s {
		if r >= 0x2e80 {
			n += 4
		} else {
			n++
		}
	}
	return n
}
