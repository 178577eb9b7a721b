package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SchemaPatterns is the schema name of books/<book>/patterns.json.
const SchemaPatterns = "novel-patterns/v1"

// maxPattern bounds the text of one learned pattern, in runes.
const maxPattern = 500

// AuthorPatterns is books/<book>/patterns.json: what was learned of how the author corrects and wants things written.
type AuthorPatterns struct {
	Schema   string          `json:"schema"`
	Patterns []AuthorPattern `json:"patterns"`
}

// AuthorPattern is one of them.
type AuthorPattern struct {
	Text    string `json:"text"`
	Kind    string `json:"kind,omitempty"`    // 对白, 节奏 …, as the author groups them
	Chapter string `json:"chapter,omitempty"` // id of the chapter that it was learned from
}

// CheckPattern refuses a pattern that says nothing, or too much to be one.
func CheckPattern(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return Errorf(CodeUsage, "the pattern is empty").WithHint("say in one sentence how the author writes: `git novel patterns add 对白不用叹号`")
	case n > maxPattern:
		return Errorf(CodeUsage, "the pattern has %d characters, at most %d are allowed", n, maxPattern).
			WithHint("longer things belong into the style contract, settings/风格契约.md")
	}
	return nil
}

// Validate checks that each pattern says something.
func (p *AuthorPatterns) Validate(file string) []Fault {
	c := checker{file: file, rule: "patterns"}
	if p.Schema != "" {
		c.word("schema", p.Schema, SchemaPatterns)
	}
	for i, x := range p.Patterns {
		at := fmt.Sprintf("patterns[%d].", i)
		c.filled(at+"text", x.Text)
		if x.Chapter != "" {
			c.chapterID(at+"chapter", x.Chapter)
		}
	}
	return c.faults
}
