package diff

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"
)

// columns is the width of a text in a terminal: a Han character takes two.
func columns(s string) int { return uniseg.StringWidth(s) }

// SideBySide shows the two texts in two columns, wrapped to the width of the terminal.
func (r *Result) SideBySide(s RenderOptions) string {
	if r.Identical {
		return s.Labels.Identical + "\n"
	}
	width := s.Width
	if width <= 0 {
		width = 100
	}
	half := max((width-3)/2, 8)
	var out strings.Builder
	from, to := s.names()
	out.WriteString(pad(from, half) + " │ " + to + "\n")
	out.WriteString(strings.Repeat("─", half) + "─┼─" + strings.Repeat("─", half) + "\n")
	for _, g := range groups(r.blocks, s.Context) {
		if g.skipped > 0 {
			out.WriteString(s.paint(ansiDim, "⋮ "+fmt.Sprintf(s.Labels.Unchanged, g.skipped)) + "\n")
			continue
		}
		if g.block.Changed() {
			out.WriteString(s.paint(ansiCyan, "@@ "+r.heading(g.block, s.Labels)+" @@") + "\n")
		}
		left, right := s.column(r.half(g.block.Segs, true), half), s.column(r.half(g.block.Segs, false), half)
		for i := range max(len(left), len(right)) {
			l, n := "", 0
			if i < len(left) {
				l, n = left[i].text, left[i].columns
			}
			line := l + strings.Repeat(" ", max(0, half-n)) + " │"
			if i < len(right) {
				line += " " + right[i].text
			}
			out.WriteString(line + "\n")
		}
		out.WriteString(strings.Repeat(" ", half) + " │\n")
	}
	out.WriteString(r.layoutText(s))
	return out.String()
}

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-columns(s))) }

// wrapped is one line of a column: the text with its marks, and the columns that it takes.
type wrapped struct {
	text    string
	columns int
}

// half gives the pieces that one side shows. What was deleted from a part that moved here stands at its old place already.
func (r *Result) half(segs []Seg, left bool) []Seg {
	var out []Seg
	for _, seg := range segs {
		switch seg.Op {
		case Insert, MoveTo:
			if left {
				continue
			}
		case Delete:
			if !left || seg.Edit >= 0 && r.Edits[seg.Edit].Move > 0 {
				continue
			}
		case MoveFrom:
			if !left {
				continue
			}
		case Equal:
		}
		out = append(out, seg)
	}
	return out
}

// column wraps one side of a paragraph. Marks are set anew on each line, so that a column never paints its neighbour.
func (s RenderOptions) column(segs []Seg, width int) []wrapped {
	var lines []wrapped
	var line, run strings.Builder
	used, op := 0, Equal
	flush := func() {
		if run.Len() > 0 {
			line.WriteString(s.mark(op, run.String()))
			run.Reset()
		}
	}
	end := func() {
		flush()
		lines = append(lines, wrapped{line.String(), used})
		line.Reset()
		used = 0
	}
	// Without colour each piece on a line carries four columns of brackets.
	brackets := func(o Op) int {
		if s.Color || o == Equal {
			return 0
		}
		return 4
	}
	for _, seg := range segs {
		flush()
		op = seg.Op
		fresh := true
		for text := visible(seg.Text); text != ""; {
			n := nextGrapheme(text)
			w := columns(text[:n])
			need := w
			if fresh {
				need += brackets(op)
			}
			if used > 0 && used+need > width {
				end()
				need = w + brackets(op)
			}
			run.WriteString(text[:n])
			used += need
			fresh = false
			text = text[n:]
		}
	}
	if flush(); line.Len() > 0 {
		end()
	}
	return lines
}
