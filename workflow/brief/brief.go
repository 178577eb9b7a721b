package brief

import (
	"fmt"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/memory"
	"git-novel/workflow/prose"
)

// DefaultBudget is the budget of a task book when the caller names none, in estimated tokens.
const DefaultBudget = 6000

// Input is what a task book is made from. Everything but Key may be missing; what is missing is said in the warnings.
type Input struct {
	Book      string
	Number    int    // 0 for an unnumbered chapter
	Key       string // as a reader sees it: 第03章
	Outline   *schema.Outline
	Memory    *memory.View // as it stood before this chapter
	Previous  *Chapter     // the chapter before, whole
	Summaries []Chapter    // summaries of earlier chapters, oldest first
	Settings  []Chapter    // files of settings/ but the style contract
	Style     string       // 风格契约.md
	Strand    string       // what the strand profile that counts tells the writer
	Genre     string       // excerpt of the genre profile
	Patterns  []string     // what was learned of the author's style
	Notes     []string     // inspiration of the author, besides the outline's note
	MinChars  int          // Han characters the chapter should have at least; 0: not said
	Budget    int          // estimated tokens; 0: DefaultBudget
}

// Chapter is a named text.
type Chapter struct{ Name, Text string }

// TaskBook is the result. Text fits the budget and always has the five sections.
type TaskBook struct {
	Text     string        `json:"text"`
	Tokens   int           `json:"tokens"`
	Budget   int           `json:"budget"`
	Dropped  []Dropped     `json:"dropped"`
	Warnings []schema.Text `json:"warnings"`
}

// Dropped says how much of a section was left out.
type Dropped struct {
	Section string `json:"section"`
	Items   int    `json:"items"`
	Tokens  int    `json:"tokens"`
}

// The five sections, in the seed's order.
const (
	SectionHard = iota
	SectionNodes
	SectionForbidden
	SectionStyle
	SectionContext
)

// Titles are the headings of the sections, by their number.
func Titles() []string {
	return []string{"本章硬性约束", "CBN/CPNs/CEN", "本章禁区", "风格指引", "动态上下文补充参考"}
}

const none = "（无）\n"

// item is one entry of a section. A lower rank goes in first.
type item struct {
	section int
	rank    int
	text    string
	cut     bool // may be shortened to what is left
}

// leastCut is the smallest piece that a long item is cut to, in runes; less is not worth reading.
const leastCut = 60

// Build makes the task book. It fails with CodeUsage when the budget cannot hold even the empty sections.
func Build(in Input) (*TaskBook, error) {
	if in.Budget == 0 {
		in.Budget = DefaultBudget
	}
	b := builder{in: in}
	b.policy()
	b.hard()
	b.nodes()
	b.forbidden()
	b.style()
	b.context()
	b.scrub()
	return b.fill()
}

type builder struct {
	in       Input
	secrets  []string // values that may not appear, as written
	items    []item
	warnings []schema.Text
}

func (b *builder) add(section, rank int, format string, args ...any) {
	b.items = append(b.items, item{section: section, rank: rank, text: strings.TrimSpace(fmt.Sprintf(format, args...))})
}

// blankLines would only cost budget inside an item.
var blankLines = schema.Pattern(`\n\s*\n`)

func (b *builder) addLong(section, rank int, label, text string) {
	text = blankLines().ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n")
	if text != "" {
		b.items = append(b.items, item{section: section, rank: rank, text: label + text, cut: true})
	}
}

func (b *builder) warn(format string, args ...any) {
	b.warnings = append(b.warnings, schema.Textf(format, args...))
}

func (b *builder) title() string {
	t := fmt.Sprintf("# 写作任务书：%s %s", b.in.Book, b.in.Key)
	if b.in.Outline != nil && b.in.Outline.Title != "" {
		t += " " + b.in.Outline.Title
	}
	return prose.Cut(strings.Join(strings.Fields(b.hide(t)), " "), 80) + "\n"
}

func heading(section int) string { return fmt.Sprintf("\n## %d. %s\n\n", section+1, Titles()[section]) }

func (i item) line() string { return "- " + strings.ReplaceAll(i.text, "\n", "\n  ") + "\n" }

// fill takes items by rank until the budget is used up.
func (b *builder) fill() (*TaskBook, error) {
	title := b.title()
	used := quarters(title)
	for s := range Titles() {
		used += quarters(heading(s) + none)
	}
	budget := 4 * b.in.Budget
	if used > budget {
		return nil, schema.Errorf(schema.CodeUsage, "a task book does not fit into %d tokens", b.in.Budget).
			WithHint("its five empty sections alone take %d; give a larger --budget-tokens", (used+3)/4)
	}
	order := slices.Clone(b.items)
	slices.SortStableFunc(order, func(x, y item) int { return x.rank - y.rank })
	kept := make([][]item, len(Titles()))
	dropped := make([]Dropped, len(Titles()))
	for _, it := range order {
		cost := quarters(it.line())
		if used+cost > budget {
			lost := cost
			if short, ok := it.shorten(budget - used); ok {
				lost -= quarters(short.line())
				used += quarters(short.line())
				kept[it.section] = append(kept[it.section], short)
			}
			dropped[it.section].Items++
			dropped[it.section].Tokens += (lost + 3) / 4
			continue
		}
		used += cost
		kept[it.section] = append(kept[it.section], it)
	}
	var out strings.Builder
	out.WriteString(title)
	for s := range Titles() {
		out.WriteString(heading(s))
		if len(kept[s]) == 0 {
			out.WriteString(none)
		}
		for _, it := range kept[s] {
			out.WriteString(it.line())
		}
	}
	book := &TaskBook{Text: out.String(), Budget: b.in.Budget, Dropped: []Dropped{}, Warnings: b.warnings}
	book.Tokens = Tokens(book.Text)
	for s, d := range dropped {
		if d.Items > 0 {
			d.Section = Titles()[s]
			book.Dropped = append(book.Dropped, d)
		}
	}
	return book, nil
}

// shorten cuts an item to what is left, in quarters of a token.
func (i item) shorten(left int) (item, bool) {
	if !i.cut {
		return i, false
	}
	r := []rune(i.text)
	lo, hi := leastCut, len(r)
	for lo < hi { // the longest piece that fits
		mid := (lo + hi + 1) / 2
		if quarters((item{text: prose.Cut(i.text, mid)}).line()) <= left {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	short := item{section: i.section, text: prose.Cut(i.text, lo)}
	return short, len(r) > leastCut && quarters(short.line()) <= left
}

// Check refuses a task book that lacks one of the five sections, has them in another order, or says nothing in the first
// two: what seed batch_writer wants verified of a context agent's answer. The error is CodeInvalid with every fault.
func Check(text string) error {
	var faults []schema.Fault
	bad := func(format string, args ...any) {
		faults = append(faults, schema.Fault{Rule: "task-book", Msg: schema.Textf(format, args...)})
	}
	last, from := -1, []int{}
	for _, title := range Titles() {
		at := sectionAt(text, title)
		from = append(from, at)
		switch {
		case at < 0:
			bad("the section %q is missing", title)
		case at < last:
			bad("the section %q stands before the one that it should follow", title)
		default:
			last = at
		}
	}
	if faults == nil {
		first := strings.TrimSpace(text[from[SectionHard]:from[SectionForbidden]])
		said := 0
		for line := range strings.Lines(first) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && line != strings.TrimSpace(none) {
				said++
			}
		}
		if said == 0 {
			bad("the sections %q and %q are both empty", Titles()[SectionHard], Titles()[SectionNodes])
		}
	}
	if faults != nil {
		return schema.Errorf(schema.CodeInvalid, "the task book is not complete").
			WithHint("a task book has five sections in this order: %s", strings.Join(Titles(), " → ")).WithDetails(faults...)
	}
	return nil
}

// sectionAt finds the line that begins a section: its title, with or without heading marks and a number.
func sectionAt(text, title string) int {
	want := prose.Fold(title)
	at := 0
	for line := range strings.Lines(text) {
		if got := strings.TrimLeft(prose.Fold(line), "0123456789一二三四五"); strings.HasPrefix(got, want) ||
			want == "cbncpnscen" && strings.HasPrefix(got, "cbn") && !strings.HasPrefix(strings.TrimSpace(line), "-") {
			return at
		}
		at += len(line)
	}
	return -1
}
