package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   series
		want time.Duration
	}{
		{nil, 0},
		{series{5}, 5},
		{series{9, 1, 5}, 5},
		{series{10, 1, 4, 6}, 5},
	} {
		if got := c.in.median(); got != c.want {
			t.Errorf("median of %v = %d, want %d", c.in, got, c.want)
		}
	}
}

func TestInterleavedTakesTurns(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	side := func(name string, d time.Duration) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			order.WriteString(name)
			return d, nil
		}
	}
	a, b, err := interleaved(3, true, side("A", time.Second), side("B", time.Minute))
	if err != nil || order.String() != "ABABABAB" || len(a) != 3 || len(b) != 3 || a.median() != time.Second {
		t.Errorf("%s %v %v %v", order.String(), a, b, err)
	}
	broken := errors.New("broken")
	if _, _, err := interleaved(2, false, side("A", 1), func() (time.Duration, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("an error of the yardstick is lost: %v", err)
	}
}

func TestChosenRows(t *testing.T) {
	t.Parallel()
	rows, err := chosen("p7, P1")
	if err != nil || len(rows) != 2 || rows[0].name != "P7" || rows[1].name != "P1" {
		t.Errorf("%v %v", rows, err)
	}
	if rows, err := chosen(""); err != nil || len(rows) != 6 {
		t.Errorf("%v %v", rows, err)
	}
	if _, err := chosen("P1,P99"); !errors.Is(err, errUsage) || exitOf(context.Background(), err) != 2 {
		t.Errorf("P99: %v", err)
	}
}

func TestRunUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want int
	}{{"--rows P99", 2}, {"--nonsense", 2}, {"extra", 2}, {"-h", 0}} {
		var out, errs bytes.Buffer
		if got := run(t.Context(), strings.Fields(c.args), &out, &errs); got != c.want || errs.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: exit %d, %q, %q", c.args, got, out.String(), errs.String())
		}
	}
}

func sample() *report {
	r := &report{Schema: "novelbench/v1", Rows: []result{}, Failed: []string{}, began: time.Now()}
	fast, slow := series{time.Millisecond, 3 * time.Millisecond, 2 * time.Millisecond}, series{8 * time.Millisecond}
	for _, x := range []struct {
		row   string
		a, b  series
		bar   float64
		floor float64
		marks *marks
	}{
		{"P1", fast, slow, 0.5, 0, nil},
		{"P3", slow, fast, 1, 15, nil},
		{"P5", slow, fast, 1, 0, nil},
		{"P8", fast, slow, 1.5, 0, &marks{Ours: 300, Git: 200, Bar: 1.1}},
	} {
		res := compare(x.a, x.b, "git")
		res.Row, res.What, res.Bar, res.Floor, res.Marks, res.Chapters = x.row, "something", x.bar, x.floor, x.marks, 100
		r.add(res)
	}
	return r
}

func TestReportJudges(t *testing.T) {
	t.Parallel()
	r := sample()
	if got := strings.Join(r.Failed, ","); got != "P5,P8" {
		t.Errorf("failed: %s", got)
	}
	if x := r.Rows[0]; x.Ratio != 0.25 || x.Ours.Median != 2 || x.Ours.Min != 1 || x.Ours.Max != 3 || x.Ours.Repetitions != 3 {
		t.Errorf("%+v", x)
	}
	var out bytes.Buffer
	if err := r.write(&out, true); err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back.Rows) != 4 || back.Rows[3].Marks.Git != 200 {
		t.Errorf("%v %+v", err, back)
	}
	out.Reset()
	if err := r.write(&out, false); err != nil || strings.Count(out.String(), "FAIL") != 2 || !strings.Contains(out.String(), "1.50 times") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestProse(t *testing.T) {
	t.Parallel()
	w := newWriter(1)
	for i := 1; i <= 20; i++ {
		text := w.chapter(i)
		if n := len([]rune(text)); n < chapterChars-200 || n > chapterChars+400 {
			t.Errorf("chapter %d has %d characters", i, n)
		}
	}
	if a, b := newWriter(3).chapter(1), newWriter(3).chapter(1); a != b {
		t.Error("the same seed gives two texts")
	}
	text := diffText(newWriter(100))
	lines := strings.Fields(text)
	if n := len([]rune(text)); n < diffChars-700 || n > diffChars+700 {
		t.Errorf("the text of P8 has %d characters", n)
	}
	if n := strings.Count(text, "\n\n"); n != diffParagraphs {
		t.Errorf("the text of P8 has %d paragraphs, first line %s", n, lines[0])
	}
	edited := scatter(text, diffEdits, newWriter(7))
	if edited == text || strings.Count(edited, "\n\n") != diffParagraphs {
		t.Error("scatter changed nothing, or changed line ends")
	}
}
