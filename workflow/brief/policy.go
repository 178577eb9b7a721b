package brief

import (
	"strings"

	"git-novel/schema"
)

// Exposure is what an outline's policy lets the writer see (DESIGN 13). The exposure of no outline hides nothing.
type Exposure struct{ b builder }

// ExposureOf reads the policy of an outline, which may be nil.
func ExposureOf(o *schema.Outline) *Exposure {
	e := &Exposure{b: builder{in: Input{Outline: o}}}
	e.b.policy()
	return e
}

// Shown reports whether a content field may be given word for word.
func (e *Exposure) Shown(field string) bool { return e.b.in.Outline == nil || e.b.shown(field) }

// Hints are what the writer gets in place of the fields that are not shown.
func (e *Exposure) Hints() []string {
	if e.b.in.Outline == nil {
		return nil
	}
	return e.b.hints()
}

// Hide takes the values that are not shown out of a text. A value of one character (承) is a word of its own only where no
// other character touches it: elsewhere it is part of another word.
func (e *Exposure) Hide(text string) string {
	if e.b.in.Outline == nil {
		return text
	}
	text = e.b.hide(text)
	for _, r := range e.single() {
		text = hideAlone(text, r)
	}
	return text
}

// Hides reports whether there is anything to hide.
func (e *Exposure) Hides() bool { return len(e.b.secrets) > 0 || len(e.single()) > 0 }

// single lists the hidden values of one character.
func (e *Exposure) single() []rune {
	if e.b.in.Outline == nil {
		return nil
	}
	var out []rune
	for _, f := range schema.OutlineFields() {
		if e.b.shown(f) {
			continue
		}
		for _, v := range e.b.in.Outline.Content.Values(f) {
			if r := []rune(strings.TrimSpace(v)); len(r) == 1 && r[0] >= 0x2e80 {
				out = append(out, r[0])
			}
		}
	}
	return out
}

func hideAlone(text string, secret rune) string {
	if !strings.ContainsRune(text, secret) {
		return text
	}
	r := []rune(text)
	word := func(i int) bool { return i >= 0 && i < len(r) && isWord(r[i]) }
	var out strings.Builder
	for i, c := range r {
		if c == secret && !word(i-1) && !word(i+1) {
			out.WriteString("〔略〕")
		} else {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// isWord reports a Han character, which may make another word with the one beside it.
func isWord(r rune) bool { return r >= 0x3400 && r <= 0x9fff || r >= 0x20000 }

// Quarters is the estimate of Tokens in quarters of a token, so that sums of parts are exact.
func Quarters(s string) int { return quarters(s) }
