package diff

import (
	"fmt"
	"html"
	"strings"
)

// The page needs nothing from outside. Colours follow the reader's light or dark setting, and edits differ in line style
// as well as in colour.
const pageStyle = `:root{color-scheme:light dark;--bg:#fff;--fg:#1c1c1e;--dim:#6b6b70;--line:#dcdce0;--del:#ffe1de;--delfg:#8c1d13;--ins:#d9f5df;--insfg:#0b5a24;--mov:#fff2cc;--movfg:#6b4e00}
@media (prefers-color-scheme:dark){:root{--bg:#17181a;--fg:#e6e6e8;--dim:#9a9aa0;--line:#34353a;--del:#4a1f1c;--delfg:#ffb4ab;--ins:#173a22;--insfg:#9be8b0;--mov:#42350f;--movfg:#ffdf8a}}
body{margin:0 auto;max-width:46rem;padding:1.5rem;background:var(--bg);color:var(--fg);font:1.05rem/1.9 "Noto Serif CJK SC","Songti SC",SimSun,Georgia,serif}
h1{font-size:1.4rem}section{border-top:1px solid var(--line);padding:.4rem 0 .8rem}h2{font-size:.8rem;font-weight:normal;color:var(--dim);margin:0}
p{margin:.2rem 0;overflow-wrap:anywhere;white-space:pre-wrap}table{border-collapse:collapse;font-size:.9rem}td,th{padding:.1rem .9rem .1rem 0;text-align:left}td.n{text-align:right}
del{background:var(--del);color:var(--delfg);text-decoration:line-through}ins{background:var(--ins);color:var(--insfg);text-decoration:underline}
.mf,.mt{background:var(--mov);color:var(--movfg);text-decoration:underline dotted}.mf{text-decoration:line-through dotted}.skip{color:var(--dim);font-size:.85rem}`

// HTML is the result as a page of its own, everything in it escaped.
func (r *Result) HTML(s RenderOptions) string {
	l := s.Labels
	esc := func(t string) string { return html.EscapeString(visible(strings.ToValidUTF8(t, "\ufffd"))) }
	var out strings.Builder
	out.WriteString("<!DOCTYPE html>\n<html lang=\"" + esc(l.Lang) + "\">\n<head>\n<meta charset=\"utf-8\">\n")
	out.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	from, to := s.names()
	title := l.Title + ": " + from + " → " + to
	out.WriteString("<title>" + esc(title) + "</title>\n<style>\n" + pageStyle + "\n</style>\n</head>\n<body>\n<main>\n")
	out.WriteString("<h1>" + esc(title) + "</h1>\n")
	if r.Identical {
		out.WriteString("<p>" + esc(l.Identical) + "</p>\n</main>\n</body>\n</html>\n")
		return out.String()
	}
	st := r.Stat
	out.WriteString("<p>" + esc(fmt.Sprintf(l.Summary, st.Edits, st.Paragraphs, st.Inserted, st.Deleted)))
	if st.Moved > 0 {
		out.WriteString("<br>" + esc(fmt.Sprintf(l.Moved, st.Moved)))
	}
	out.WriteString("<br>" + esc(fmt.Sprintf(l.Sizes, st.A.Chars, st.B.Chars, st.A.Paragraphs, st.B.Paragraphs)) + "</p>\n")
	if st.Edits > 0 {
		out.WriteString("<table>\n")
		for _, c := range st.Classes {
			if c.Edits > 0 {
				fmt.Fprintf(&out, "<tr><th scope=\"row\">%s</th><td class=\"n\">%d</td><td class=\"n\">+%d</td><td class=\"n\">−%d</td></tr>\n",
					esc(l.Class(c.Class)), c.Edits, c.Inserted, c.Deleted)
			}
		}
		out.WriteString("</table>\n")
	} else {
		out.WriteString("<p>" + esc(l.OnlyIn) + "</p>\n")
	}
	for _, g := range groups(r.blocks, s.Context) {
		if g.skipped > 0 {
			out.WriteString("<section class=\"skip\">⋮ " + esc(fmt.Sprintf(l.Unchanged, g.skipped)) + "</section>\n")
			continue
		}
		out.WriteString("<section>\n<h2>" + esc(r.heading(g.block, l)) + "</h2>\n<p>")
		for _, seg := range g.block.Segs {
			r.htmlSeg(&out, seg, l, esc)
		}
		out.WriteString("</p>\n</section>\n")
	}
	if lines := r.layoutLines(l); len(lines) > 0 {
		out.WriteString("<section>\n<h2>" + esc(l.Layout) + "</h2>\n<ul>\n")
		for _, line := range lines {
			out.WriteString("<li>" + esc(line) + "</li>\n")
		}
		out.WriteString("</ul>\n</section>\n")
	}
	out.WriteString("</main>\n</body>\n</html>\n")
	return out.String()
}

func (r *Result) htmlSeg(out *strings.Builder, seg Seg, l Labels, esc func(string) string) {
	if seg.Op == Equal {
		out.WriteString(esc(seg.Text))
		return
	}
	tag, class, title := "del", "", l.ParagraphBreak
	var e Edit
	if seg.Edit >= 0 {
		e = r.Edits[seg.Edit]
		title = l.Class(e.Class)
	}
	if seg.Op == Insert || seg.Op == MoveTo {
		tag = "ins"
	}
	switch seg.Op {
	case MoveFrom:
		class, title = " class=\"mf\"", title+" · "+r.otherEnd(e, l)
	case MoveTo:
		class, title = " class=\"mt\"", title+" · "+r.otherEnd(e, l)
	case Equal, Delete, Insert:
	}
	fmt.Fprintf(out, "<%s%s title=\"%s\">%s</%s>", tag, class, esc(title), esc(seg.Text), tag)
}
