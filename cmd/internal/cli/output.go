package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// writeJSON prints one value on one or more lines, nothing escaped that need not be.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// writeLine prints one value on one line.
func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printer collects the human output of a command; it reaches stdout in one write, so that a broken pipe or a crash never
// leaves half a table.
type printer struct {
	strings.Builder
	env *Env
}

// line prints an English format in the language of the run.
func (p *printer) line(format string, args ...any) {
	p.WriteString(p.env.t(format, args...))
	p.WriteByte('\n')
}

// raw prints text as it is.
func (p *printer) raw(s string) { p.WriteString(s) }

// The few colours of the board. They are empty when stdout is no terminal.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	dim    = "2"
	bold   = "1"
)

func (p *printer) paint(style, s string) string {
	if !p.env.colour() || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// pad fills s with blanks to width terminal columns; Chinese characters take two.
func pad(s string, width int) string {
	if n := uniseg.StringWidth(s); n < width {
		return s + strings.Repeat(" ", width-n)
	}
	return s
}

// table aligns rows of cells by terminal columns. Cells may carry colour: widths are measured by the plain text in widths.
type table struct {
	rows [][]cell
}

type cell struct{ plain, shown string }

func (t *table) add(cells ...cell) { t.rows = append(t.rows, cells) }

func plain(s string) cell { return cell{s, s} }

func (p *printer) painted(style, s string) cell { return cell{s, p.paint(style, s)} }

func (p *printer) table(t *table, indent string) {
	var width []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], uniseg.StringWidth(c.plain))
		}
	}
	for _, r := range t.rows {
		var b strings.Builder
		for i, c := range r {
			b.WriteString(c.shown)
			if i < len(r)-1 {
				b.WriteString(strings.Repeat(" ", width[i]-uniseg.StringWidth(c.plain)+2))
			}
		}
		fmt.Fprintf(p, "%s%s\n", indent, strings.TrimRight(b.String(), " "))
	}
}
