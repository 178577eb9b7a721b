package prose

import (
	"strings"

	"git-novel/schema"
)

// Heading is the heading line of a chapter's text, taken apart.
type Heading struct {
	Line   string
	Number int    // -1 when it states none
	Title  string // without number and marks; may be empty
}

// HeadingOf takes apart the first line of a text that is not blank, when it is a heading.
func HeadingOf(text string) (Heading, bool) {
	for line := range strings.Lines(text) {
		line = schema.TrimJS(line)
		if line == "" {
			continue
		}
		if !IsHeading(line) {
			return Heading{}, false
		}
		h := Heading{Line: line, Number: -1}
		rest := schema.TrimJS(strings.TrimLeft(line, "#"))
		if n, ok := HeadingNumber(line); ok {
			h.Number = n
			rest = numbered().FindStringSubmatch(line)[2]
		}
		h.Title = TrimTitle(rest)
		return h, true
	}
	return Heading{}, false
}

// TrimTitle takes the marks off that part a title from its number, and blanks.
func TrimTitle(title string) string { return strings.Trim(schema.TrimJS(title), "：:·—-　 ") }
