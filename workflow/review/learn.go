package review

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"git-novel/schema"
	"git-novel/workflow/prose"
)

// learnedHeading stands once in ai-flavor.txt, above what reviews confirmed.
const learnedHeading = "# 审查中确认的套话"

const (
	maxLearned    = 40 // runes of a learned phrase: a longer one would never be met again
	maxAdvice     = 80
	surelyAPhrase = 24 // evidence this short is a phrase even when the text has it otherwise
)

// Learn gives ai-flavor.txt with the phrases that a review of text confirmed: the evidence of its ai_flavor issues of
// medium severity and up that nobody overrode. A phrase that the list has, or that an entry of it already finds, is not
// added again. What the author wrote stays byte for byte; data nil is the built-in list. The error is that of ParseFlavor.
func Learn(file string, data []byte, issues []schema.Issue, text string) (out []byte, added []string, err error) {
	if data == nil {
		data = []byte(DefaultFlavorText)
	}
	list, err := ParseFlavor(file, data)
	if err != nil {
		return nil, nil, err
	}
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	out = slices.Clone(data)
	line := func(s string) {
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, eol...)
		}
		out = append(out, s+eol...)
	}
	for _, i := range issues {
		if !confirms(i) {
			continue
		}
		for _, phrase := range phrasesOf(i.Evidence, text) {
			if list.finds(phrase) || bytes.Count(out, []byte("\n")) >= maxFlavorLines-2 {
				continue
			}
			if len(added) == 0 && !bytes.Contains(out, []byte(learnedHeading)) {
				if len(out) > 0 {
					line("")
				}
				line(learnedHeading)
			}
			advice := prose.Cut(strings.Join(strings.Fields(i.FixHint), " "), maxAdvice)
			if advice != "" {
				advice = "\t" + advice
			}
			line(phrase + advice)
			list.entries = append(list.entries, flavorEntry{phrase: phrase})
			added = append(added, phrase)
		}
	}
	if len(added) == 0 {
		return data, nil, nil
	}
	return out, added, nil
}

func confirms(i schema.Issue) bool {
	return i.Category == schema.CategoryAIFlavor && i.Severity != schema.SeverityLow && i.Override == nil
}

func (f *Flavor) finds(phrase string) bool {
	return slices.ContainsFunc(f.entries, func(e flavorEntry) bool { return len(e.find(phrase)) > 0 })
}

// phrasesOf takes the phrases out of an issue's evidence: what it quotes, else the evidence itself, when the text has it
// or it is as short as a phrase. Evidence in the reviewer's own words (全章 12 处) is none.
func phrasesOf(evidence, text string) []string {
	var out []string
	add := func(s string, known bool) {
		s = asPhrase(s)
		if n := utf8.RuneCountInString(prose.Fold(s)); n < 2 || !known && n > surelyAPhrase || slices.Contains(out, s) {
			return
		}
		out = append(out, s)
	}
	for _, q := range quotedTerm().FindAllStringSubmatch(evidence, -1) {
		if strings.Contains(text, q[1]) {
			add(q[1], true)
		}
	}
	if len(out) > 0 {
		return out
	}
	whole := strings.Trim(strings.TrimSpace(evidence), "“”「」『』\"'…")
	for _, prefix := range []string{"原文：", "原文:", "原句：", "原句:"} {
		whole = strings.TrimPrefix(whole, prefix)
	}
	whole = strings.Trim(whole, "“”「」『』\"'…")
	add(whole, strings.Contains(text, whole))
	return out
}

// asPhrase makes one line of the list out of a quotation: its first line, cut where a clause ends, that is neither a
// comment nor a pattern.
func asPhrase(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = strings.TrimSpace(strings.TrimLeft(strings.ReplaceAll(s, "\t", " "), "#/ "))
	if utf8.RuneCountInString(s) > maxLearned {
		r := []rune(s)[:maxLearned]
		end := len(r)
		for k := len(r) - 1; k >= maxLearned/3; k-- {
			if strings.ContainsRune("，。；！？、：…—,.;!?", r[k]) {
				end = k
				break
			}
		}
		s = string(r[:end])
	}
	return strings.Trim(s, "，。；、：,.; ")
}
