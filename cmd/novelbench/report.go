package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// report is what a run found.
type report struct {
	Schema   string   `json:"schema"`
	Tool     string   `json:"git_novel"`
	Git      string   `json:"git"`
	System   string   `json:"system"`
	Quick    bool     `json:"quick"`
	Rows     []result `json:"rows"`
	Failed   []string `json:"failed"`
	Duration float64  `json:"seconds"`

	began time.Time
}

// result is one measurement with its yardstick.
type result struct {
	Row       string  `json:"row"`
	What      string  `json:"what"`
	Detail    string  `json:"detail,omitempty"`
	Chapters  int     `json:"chapters"`
	Ours      timing  `json:"git_novel_ms"`
	Against   string  `json:"yardstick"`
	Yardstick timing  `json:"yardstick_ms"`
	Ratio     float64 `json:"ratio"`
	Bar       float64 `json:"bar"`
	Floor     float64 `json:"floor_ms,omitempty"` // within this the ratio does not matter
	Marks     *marks  `json:"marks,omitempty"`
	Pass      bool    `json:"pass"`
	Note      string  `json:"note,omitempty"`
}

// timing is in milliseconds.
type timing struct {
	Median      float64 `json:"median"`
	Min         float64 `json:"min"`
	Max         float64 `json:"max"`
	Repetitions int     `json:"repetitions"`
}

// marks counts characters that a comparison marks.
type marks struct {
	Ours int     `json:"git_novel"`
	Git  int     `json:"git"`
	Bar  float64 `json:"bar"`
}

func (m *marks) ratio() float64 { return float64(m.Ours) / float64(max(m.Git, 1)) }

func compare(ours, yardstick series, name string) result {
	r := result{Ours: ours.timing(), Yardstick: yardstick.timing(), Against: name}
	if y := yardstick.median(); y > 0 {
		r.Ratio = float64(ours.median()) / float64(y)
	}
	return r
}

func (b *bench) header(ctx context.Context) (*report, error) {
	_, git, err := b.gitCmd(ctx, b.dir, "version")
	if err != nil {
		return nil, err
	}
	return &report{
		Schema: "novelbench/v1", Tool: b.tool, Git: strings.TrimSpace(string(git)), Quick: b.quick,
		System: fmt.Sprintf("%s/%s, %d CPUs, in %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.dir),
		Rows:   []result{}, Failed: []string{}, began: time.Now(),
	}, nil
}

func (r *report) add(res result) {
	res.Pass = res.Ratio <= res.Bar || res.Floor > 0 && res.Ours.Median <= res.Floor
	if m := res.Marks; m != nil {
		res.Pass = res.Pass && m.Ours > 0 && m.ratio() <= m.Bar
	}
	name := res.Row
	if res.Detail != "" {
		name += " (" + res.Detail + ")"
	} else if res.Chapters > 0 && (res.Row == "P1") {
		name += fmt.Sprintf(" at %d", res.Chapters)
	}
	if !res.Pass {
		r.Failed = append(r.Failed, name)
	}
	r.Rows = append(r.Rows, res)
	r.Duration = time.Since(r.began).Round(100 * time.Millisecond).Seconds()
}

func (r *report) write(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	_, err := io.WriteString(w, r.table())
	return err
}

func (r *report) table() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n%s, %s\n\n", r.Tool, r.Git, r.System)
	lines := [][]string{{"row", "what", "chapters", "git-novel ms", "yardstick ms", "ratio", "bar", "", "yardstick"}}
	var notes []string
	for _, x := range r.Rows {
		what := x.What
		if x.Detail != "" {
			what = x.Detail
		}
		bar := fmt.Sprintf("≤ %g", x.Bar)
		if x.Floor > 0 {
			bar += fmt.Sprintf(" or %g ms", x.Floor)
		}
		verdict := "ok"
		if !x.Pass {
			verdict = "FAIL"
		}
		lines = append(lines, []string{
			x.Row, what, fmt.Sprint(x.Chapters), x.Ours.String(), x.Yardstick.String(), fmt.Sprintf("%.2f", x.Ratio), bar, verdict,
			x.Against,
		})
		if x.Marks != nil {
			notes = append(notes, fmt.Sprintf("%s: %d characters marked, git marks %d: %.2f times as many (at most %g)",
				x.Row, x.Marks.Ours, x.Marks.Git, x.Marks.ratio(), x.Marks.Bar))
		}
		if note := x.Row + ": " + x.Note; x.Note != "" && (len(notes) == 0 || notes[len(notes)-1] != note) {
			notes = append(notes, note)
		}
	}
	align(&out, lines)
	out.WriteString("\nmedians of whole processes, smallest and largest in brackets\n")
	for _, n := range notes {
		out.WriteString(n + "\n")
	}
	fmt.Fprintf(&out, "%.0f s\n", r.Duration)
	return out.String()
}

func (t timing) String() string { return fmt.Sprintf("%.1f [%.1f–%.1f]", t.Median, t.Min, t.Max) }

// align writes columns; every character of them takes one place.
func align(out *strings.Builder, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, l := range lines {
		for i, c := range l {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	for _, l := range lines {
		var b strings.Builder
		for i, c := range l {
			b.WriteString(c + strings.Repeat(" ", widths[i]-len([]rune(c))+2))
		}
		out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
}
