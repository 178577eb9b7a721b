package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// RenderOptions says how a Result is shown as text.
type RenderOptions struct {
	Labels  Labels
	Color   bool // ANSI colours instead of [-…-] and {+…+}
	Width   int  // columns of the terminal, for SideBySide; 0 is 100
	Context int  // unchanged paragraphs shown around a changed one; negative shows all

	From, To string // names of the two texts; Labels.Old and Labels.New when empty
}

func (s RenderOptions) names() (from, to string) {
	return visible(cmp.Or(s.From, s.Labels.Old)), visible(cmp.Or(s.To, s.Labels.New))
}

const (
	ansiReset  = "\x1b[0m"
	ansiRed    = "\x1b[31m"
	ansiStruck = "\x1b[31;9m" // struck through too: colour alone does not tell the two apart for everyone
	ansiGreen  = "\x1b[32;4m"
	ansiCyan   = "\x1b[36m"
	ansiYellow = "\x1b[33m"
	ansiDim    = "\x1b[2m"
)

// Unified shows the changed paragraphs with their edits in place.
func (r *Result) Unified(s RenderOptions) string {
	var out strings.Builder
	if r.Identical {
		return visible(s.Labels.Identical) + "\n"
	}
	if s.From != "" || s.To != "" {
		from, to := s.names()
		out.WriteString(s.paint(ansiRed, "--- "+from) + "\n" + s.paint(ansiGreen, "+++ "+to) + "\n\n")
	}
	for _, g := range groups(r.blocks, s.Context) {
		if g.skipped > 0 {
			out.WriteString(s.paint(ansiDim, "⋮ "+fmt.Sprintf(s.Labels.Unchanged, g.skipped)) + "\n\n")
			continue
		}
		b := g.block
		out.WriteString(s.paint(ansiCyan, "@@ "+r.heading(b, s.Labels)+" @@") + "\n")
		for _, seg := range b.Segs {
			out.WriteString(s.mark(seg.Op, visible(seg.Text)))
		}
		out.WriteString("\n\n")
	}
	if len(r.Edits) == 0 {
		out.WriteString(s.Labels.OnlyIn + "\n")
	}
	out.WriteString(r.layoutText(s))
	return out.String()
}

func (s RenderOptions) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return code + text + ansiReset
}

func (s RenderOptions) mark(op Op, text string) string {
	switch op {
	case Delete:
		return s.either(ansiStruck, "[-", text, "-]")
	case Insert:
		return s.either(ansiGreen, "{+", text, "+}")
	case MoveFrom:
		return s.either(ansiYellow, "[<", text, "<]")
	case MoveTo:
		return s.either(ansiYellow, "{>", text, ">}")
	case Equal:
	}
	return text
}

func (s RenderOptions) either(code, open, text, end string) string {
	if s.Color {
		return s.paint(code, text)
	}
	return open + text + end
}

// group is a block to show, or a number of unchanged ones that are left out.
type group struct {
	block   Block
	skipped int
}

func groups(blocks []Block, context int) []group {
	show := make([]bool, len(blocks))
	for i, b := range blocks {
		if context < 0 {
			show[i] = true
		} else if b.Changed() {
			for k := max(0, i-context); k <= min(len(blocks)-1, i+context); k++ {
				show[k] = true
			}
		}
	}
	var out []group
	for i, b := range blocks {
		switch {
		case show[i]:
			out = append(out, group{block: b})
		case len(out) > 0 && out[len(out)-1].skipped > 0:
			out[len(out)-1].skipped++
		default:
			out = append(out, group{skipped: 1})
		}
	}
	return out
}

// heading names a block: its paragraph numbers, what happened to it, and the classes of its edits.
func (r *Result) heading(b Block, l Labels) string {
	var parts []string
	name := func(from, to int) string {
		if to > from {
			return fmt.Sprintf(l.Paragraphs, from, to)
		}
		return fmt.Sprintf(l.Paragraph, from)
	}
	switch {
	case b.A > 0 && b.B > 0 && (b.A != b.B || b.ATo != b.BTo):
		parts = append(parts, name(b.A, b.ATo)+" → "+name(b.B, b.BTo))
	case b.A > 0:
		parts = append(parts, name(b.A, b.ATo))
	default:
		parts = append(parts, name(b.B, b.BTo))
	}
	var classes []string
	for _, s := range b.Segs {
		word := l.ParagraphBreak
		switch {
		case s.Op == Equal:
			continue
		case s.Edit >= 0:
			e := r.Edits[s.Edit]
			word = l.Class(e.Class)
			if e.Move > 0 {
				word += " (" + r.otherEnd(e, l) + ")"
			}
		}
		if !slices.Contains(classes, word) {
			classes = append(classes, word)
		}
	}
	if len(classes) > 0 {
		parts = append(parts, strings.Join(classes, ", "))
	}
	return strings.Join(parts, " · ")
}

// otherEnd says where a moved part went or came from.
func (r *Result) otherEnd(e Edit, l Labels) string {
	if e.New == "" {
		return fmt.Sprintf(l.MovedTo, r.ends[e.Move].to)
	}
	return fmt.Sprintf(l.MovedFrom, r.ends[e.Move].from)
}

// layoutText lists the layout changes, kind by kind.
func (r *Result) layoutText(s RenderOptions) string {
	if len(r.Layout) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString(s.paint(ansiCyan, "@@ "+s.Labels.Layout+" @@") + "\n")
	for _, k := range r.layoutLines(s.Labels) {
		out.WriteString(k + "\n")
	}
	return out.String()
}

// layoutLines says for each kind how often it changed, and from what to what where that is always the same.
func (r *Result) layoutLines(l Labels) []string {
	var out []string
	for _, k := range r.Stat.Layout {
		line := l.Kind(k.Kind) + ": " + fmt.Sprintf(l.Count, k.Count)
		first, same := -1, true
		for i, x := range r.Layout {
			if x.Kind != k.Kind {
				continue
			}
			if first < 0 {
				first = i
			}
			same = same && x.Old == r.Layout[first].Old && x.New == r.Layout[first].New
		}
		if x := r.Layout[max(first, 0)]; first >= 0 && same && len(x.Old)+len(x.New) <= 64 {
			line += fmt.Sprintf(" (%q → %q)", x.Old, x.New)
		}
		out = append(out, line)
	}
	return out
}

// StatText is the statistics as text: totals, then each class and kind of layout that occurs.
func (r *Result) StatText(s RenderOptions) string {
	l, st := s.Labels, r.Stat
	var out strings.Builder
	if r.Identical {
		return l.Identical + "\n"
	}
	out.WriteString(fmt.Sprintf(l.Summary, st.Edits, st.Paragraphs, st.Inserted, st.Deleted) + "\n")
	if st.Moved > 0 {
		out.WriteString(fmt.Sprintf(l.Moved, st.Moved) + "\n")
	}
	out.WriteString(fmt.Sprintf(l.Sizes, st.A.Chars, st.B.Chars, st.A.Paragraphs, st.B.Paragraphs) + "\n")
	wide := 0
	for _, c := range st.Classes {
		if c.Edits > 0 {
			wide = max(wide, columns(l.Class(c.Class)))
		}
	}
	for _, c := range st.Classes {
		if c.Edits == 0 {
			continue
		}
		name := l.Class(c.Class)
		line := "  " + name + strings.Repeat(" ", wide-columns(name)) + fmt.Sprintf("  %4d", c.Edits)
		if c.Inserted+c.Deleted > 0 {
			line += "  " + s.paint(ansiGreen, fmt.Sprintf("+%d", c.Inserted)) + " " + s.paint(ansiRed, fmt.Sprintf("-%d", c.Deleted))
		}
		out.WriteString(line + "\n")
	}
	for _, line := range r.layoutLines(l) {
		out.WriteString("  " + line + "\n")
	}
	return out.String()
}
