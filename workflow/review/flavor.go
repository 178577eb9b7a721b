package review

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// DefaultFlavorText is the phrase list that a new library starts with (ai-flavor.txt).
//
//go:embed ai-flavor.txt
var DefaultFlavorText string

// DefaultFlavor is the list of DefaultFlavorText.
//
//nolint:gochecknoglobals // computed once, never written
var DefaultFlavor = sync.OnceValue(func() *Flavor {
	f, err := ParseFlavor("ai-flavor.txt", []byte(DefaultFlavorText))
	if err != nil {
		panic(err) // the embedded file is part of the program; a test parses it
	}
	return f
})

// Flavor is the list of phrases and patterns of the AI-flavour check.
type Flavor struct{ entries []flavorEntry }

type flavorEntry struct {
	phrase string
	re     *regexp.Regexp // nil for a plain phrase
	advice string
}

// Bounds of ai-flavor.txt.
const (
	maxFlavorLines = 2000
	maxFlavorRunes = 300 // of one line
)

// Len is the number of phrases and patterns.
func (f *Flavor) Len() int { return len(f.entries) }

// ParseFlavor reads ai-flavor.txt: one phrase or /pattern/ (RE2) a line, an optional tab and advice after it, # before a
// comment. The error is CodeInvalid with every bad line.
func ParseFlavor(file string, data []byte) (*Flavor, error) {
	f := &Flavor{}
	var faults []schema.Fault
	bad := func(line int, format string, args ...any) {
		faults = append(faults, schema.Fault{File: file, Line: line, Col: 1, Rule: "ai-flavor", Msg: schema.Textf(format, args...)})
	}
	line := 0
	for raw := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line++
		s := strings.TrimSpace(raw)
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		if !utf8.ValidString(s) {
			bad(line, "the line is not UTF-8")
			continue
		}
		if line > maxFlavorLines {
			bad(line, "more than %d lines", maxFlavorLines)
			break
		}
		if n := utf8.RuneCountInString(s); n > maxFlavorRunes {
			bad(line, "the line has %d characters, at most %d are allowed", n, maxFlavorRunes)
			continue
		}
		phrase, advice, _ := strings.Cut(s, "\t")
		e := flavorEntry{phrase: strings.TrimSpace(phrase), advice: strings.TrimSpace(advice)}
		if p := e.phrase; len(p) > 2 && p[0] == '/' && p[len(p)-1] == '/' {
			re, err := regexp.Compile(p[1 : len(p)-1])
			if err != nil {
				bad(line, "the pattern cannot be read: %s", err.Error())
				continue
			}
			if re.MatchString("") {
				bad(line, "the pattern matches nothing at all, and so every place")
				continue
			}
			e.re = re
		}
		f.entries = append(f.entries, e)
	}
	if len(faults) > 0 {
		return nil, schema.Errorf(schema.CodeInvalid, "%s has lines that cannot be read", file).
			WithHint("correct the named lines, or delete the file to get the built-in list").WithDetails(faults...)
	}
	return f, nil
}

// find lists the places of the entry in s, as byte offsets.
func (e flavorEntry) find(s string) [][]int {
	if e.re != nil {
		return e.re.FindAllStringIndex(s, -1)
	}
	var out [][]int
	for from := 0; ; {
		i := strings.Index(s[from:], e.phrase)
		if i < 0 {
			return out
		}
		out = append(out, []int{from + i, from + i + len(e.phrase)})
		from += i + len(e.phrase)
	}
}

const (
	denseHits     = 8 // fewer hits are never dense
	densePerMille = 6 // hits in a thousand Han characters
	mediumHits    = 3 // of one phrase
)

// flavor reports the phrases of ai-flavor.txt, one issue a phrase.
func (c *checker) flavor() {
	total := 0
	first := ""
	for _, e := range c.in.Flavor.entries {
		n, at, quote := 0, 0, ""
		for _, p := range c.text.Paragraphs {
			for _, m := range e.find(p.Text) {
				if n++; n == 1 {
					at, quote = p.Index, prose.Around(p.Text, m[0], m[1], 16)
				}
			}
		}
		if n == 0 {
			continue
		}
		if total += n; first == "" {
			first = quote
		}
		i := issue{
			severity: schema.SeverityLow, category: schema.CategoryAIFlavor, paragraph: at, evidence: quote,
			what: "套话：" + e.phrase, hint: e.advice,
		}
		if n > 1 {
			i.what += fmt.Sprintf("（共 %d 处）", n)
		}
		if n >= mediumHits {
			i.severity = schema.SeverityMedium
		}
		if i.hint == "" {
			i.hint = "换成这个场面里才有的细节"
		}
		c.add(i)
	}
	if han := prose.Han(c.text.Body()); total >= denseHits && total*1000 > densePerMille*han {
		c.add(issue{
			severity: schema.SeverityHigh, category: schema.CategoryAIFlavor, evidence: first,
			what: fmt.Sprintf("套话过密：%d 字里有 %d 处", han, total), hint: "逐条改写上面列出的句子", blocking: true,
		})
	}
}
