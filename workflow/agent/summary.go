package agent

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"git-novel/workflow/prose"
)

// Bounds of the extractive summary, in characters.
const (
	summaryLeast = 120
	summaryMost  = 300
	sentenceMost = 110 // a longer one leaves no room for others
)

type candidate struct {
	place int // among the sentences of the chapter
	text  string
	score float64
	runes int
}

// summary puts sentences of the chapter together, in their order: the first, the last, and between them those that name
// the most entities and outline nodes. It never says anything that the text does not.
func (d *dataAgent) summary() string {
	all := d.sentences()
	if len(all) == 0 {
		return ""
	}
	total := 0
	for _, c := range all {
		total += c.runes
	}
	if total <= summaryLeast {
		return join(all)
	}
	taken := []candidate{all[0]}
	length := all[0].runes
	take := func(c candidate) {
		if length+c.runes <= summaryMost && !slices.ContainsFunc(taken, func(t candidate) bool { return t.place == c.place }) {
			taken = append(taken, c)
			length += c.runes
		}
	}
	take(all[len(all)-1])
	byScore := slices.Clone(all)
	slices.SortStableFunc(byScore, func(a, b candidate) int {
		// Reversed bits of the place: sentences of one score are taken from all over the chapter, not from its beginning.
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(bits.Reverse32(uint32(a.place)), bits.Reverse32(uint32(b.place))))
	})
	for _, c := range byScore {
		// Once there is enough, only sentences that say something are worth more length.
		if length >= summaryLeast && (c.score < 1 || length >= (summaryLeast+summaryMost)/2) {
			break
		}
		take(c)
	}
	slices.SortFunc(taken, func(a, b candidate) int { return a.place - b.place })
	return join(taken)
}

// sentences lists what may go into a summary: whole sentences of narration, cut when too long. Speech is left out unless
// the chapter has little else.
func (d *dataAgent) sentences() []candidate {
	var told, spoken []candidate
	words, shown := d.nodeWords(), d.nodeQuotes()
	place := 0
	for _, p := range d.text.Paragraphs {
		speech := false
		for _, s := range prose.Sentences(p.Text) {
			inside := speech
			speech = strings.Count(s, "“")+strings.Count(s, "「") > strings.Count(s, "”")+strings.Count(s, "」") ||
				speech && !strings.ContainsAny(s, "”」")
			s = strings.TrimSpace(s)
			place++
			if prose.Han(s) < 6 {
				continue
			}
			c := candidate{place: place, text: prose.Cut(s, sentenceMost)}
			c.runes = utf8.RuneCountInString(c.text)
			c.score = d.weigh(s, words, shown)
			if inside || isSpeech(s) {
				spoken = append(spoken, c)
			} else {
				told = append(told, c)
			}
		}
	}
	if len(told) < 3 {
		told = append(told, spoken...)
		slices.SortFunc(told, func(a, b candidate) int { return a.place - b.place })
	}
	return told
}

// isSpeech reports a sentence with a quotation that is open at one end or makes up more than a third of it; a quoted word or
// two inside narration is none.
func isSpeech(s string) bool {
	quoted, open := 0, false
	for _, r := range s {
		switch r {
		case '“', '「', '『':
			if open {
				return true
			}
			open = true
		case '”', '」', '』':
			if !open {
				return true
			}
			open = false
		case '"':
			return true
		default:
			if open {
				quoted++
			}
		}
	}
	return open || 3*quoted > utf8.RuneCountInString(s)
}

// weigh scores a sentence: that it shows an outline node, the entities it names, the outline's words it has. A sentence of a
// few words ("陈小满点头。") says little, whoever it names.
func (d *dataAgent) weigh(s string, words, shown []string) float64 {
	folded := prose.Fold(s)
	score := 0.0
	for _, a := range d.seen {
		if slices.ContainsFunc(a.mentions, func(m string) bool { return strings.Contains(folded, prose.Fold(m)) }) {
			score++
		}
	}
	score = min(score, 2)
	for _, w := range words {
		if strings.Contains(folded, w) {
			score += 0.5
		}
	}
	for _, q := range shown {
		if strings.Contains(q, folded) {
			score += 2
		}
	}
	if prose.Han(s) < 14 {
		score /= 4
	}
	return score
}

// nodeQuotes are the places that show the nodes, folded.
func (d *dataAgent) nodeQuotes() []string {
	if d.in.Outline == nil {
		return nil
	}
	var out []string
	for _, n := range d.in.Outline.Nodes() {
		if m := d.finder.Find(n.Text); m.Found {
			out = append(out, prose.Fold(m.Quote))
		}
	}
	return out
}

func (d *dataAgent) nodeWords() []string {
	if d.in.Outline == nil {
		return nil
	}
	var out []string
	for _, n := range d.in.Outline.Nodes() {
		for _, alts := range prose.Terms(n.Text) {
			for _, w := range alts {
				if !slices.Contains(out, w) {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

func join(list []candidate) string {
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.text)
		if r, _ := utf8.DecodeLastRuneInString(c.text); !strings.ContainsRune("。！？!?…”」』）", r) {
			b.WriteString("。")
		}
	}
	return b.String()
}
