package cli

import (
	"strconv"
	"strings"

	"git-novel/cmd/internal/text"
	"git-novel/workflow"
	"git-novel/workflow/review"

	"github.com/urfave/cli/v2"
)

func newReviewPipelineCommand(e *Env) *cli.Command {
	return e.command("review-pipeline", "", e.t("record a full review, derive its metrics, write its report (always JSON)"), []cli.Flag{
		&cli.StringFlag{Name: "chapter", Required: true, Usage: e.t("the chapter (`N`)")},
		&cli.StringFlag{Name: "review-results", Required: true, Usage: e.t("`FILE` with the result as JSON, - for standard input")},
		&cli.StringFlag{Name: "metrics-out", Usage: e.t("`FILE` of the library for the metrics")},
		&cli.StringFlag{Name: "report-file", Usage: e.t("`FILE` of the library for the report (Markdown)")},
		&cli.BoolFlag{Name: "save-metrics", Usage: e.t("keep the metrics (they are derived from the record anyway)")},
		&cli.StringFlag{Name: "text-blob", Usage: e.t("the `BLOB` that the reviewer read, when the JSON does not say")},
		&cli.BoolFlag{Name: "at-record", Usage: e.t("the reviewer read what is on disk now")},
	}, 0, 0, runReviewPipeline)
}

func runReviewPipeline(c *call) error {
	c.env.json = true // failures too (DESIGN 8)
	name := c.String("review-results")
	data, err := c.read(name)
	if err != nil {
		return err
	}
	in := workflow.PipelineInput{
		ReviewRecordInput: workflow.ReviewRecordInput{
			Chapter: c.String("chapter"), File: workflow.File{Name: name, Data: data}, TextBlob: c.String("text-blob"), AtRecord: c.Bool("at-record"),
		},
		MetricsOut: c.String("metrics-out"), ReportFile: c.String("report-file"), SaveMetrics: c.Bool("save-metrics"),
	}
	if name != "-" {
		in.ResultsPath = c.file(name)
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ReviewPipeline(c.ctx, in)
		if err != nil {
			return err
		}
		return writeJSON(c.env.Stdout, c.env.lang.Localize(r))
	})
}

func newReviewTrendCommand(e *Env) *cli.Command {
	return e.command("trend", "", e.t("show which kinds of issues come back over the last chapters"), []cli.Flag{
		&cli.IntFlag{Name: "last", Value: workflow.DefaultTrend, Usage: e.t("look at the last `N` reviewed chapters")},
	}, 0, 0, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			r, err := s.ReviewRecurring(c.ctx, c.Int("last"))
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) { p.trend(r) })
		})
	})
}

// trend prints the table, and on a terminal a chart beside it: one column a chapter.
func (p *printer) trend(r *workflow.TrendResult) {
	n := len(r.Chapters)
	if n == 0 {
		p.line("%s has no reviewed chapters", r.Book)
		return
	}
	p.line("%s: reviews of %d chapters, %s to %s", r.Book, n, r.Chapters[0].Key, r.Chapters[n-1].Key)
	t := &table{}
	head := func(s string) cell { return p.painted(bold, s) }
	row := []cell{head(p.env.t("category")), head(p.env.t("chapters")), head(p.env.t("issues")), head(p.env.t("longest run")), head("")}
	t.add(row...)
	for _, c := range r.Categories {
		last := ""
		if c.Systemic {
			last = p.env.t("%d chapters on end: look for a cause beyond the chapter", c.Current)
		}
		t.add(plain(p.category(c)), plain(p.env.t("%d of %d", c.Chapters, n)), plain(strconv.Itoa(c.Issues)), plain(strconv.Itoa(c.Streak)), p.painted(yellow, last))
	}
	if len(r.Categories) == 0 {
		p.line("  no issues")
		return
	}
	p.table(t, "  ")
	if p.env.StdoutTTY {
		p.chart(r)
	}
}

// category is the kind of issue in the language of the run.
func (p *printer) category(c review.CategoryTrend) string {
	if p.env.lang == text.Chinese {
		return c.Name
	}
	return string(c.Category)
}

// chart draws the number of issues of each chapter, for all kinds together and for each.
func (p *printer) chart(r *workflow.TrendResult) {
	heights := []rune("▁▂▃▄▅▆▇█")
	most := 1
	for _, c := range r.Chapters {
		most = max(most, c.Issues)
	}
	draw := func(label string, count func(review.ChapterTrend) int) {
		var b strings.Builder
		for _, c := range r.Chapters {
			n := count(c)
			if n == 0 {
				b.WriteRune('·')
				continue
			}
			b.WriteRune(heights[(n*len(heights)-1)/most])
		}
		p.raw("  " + pad(label, 12) + " " + p.paint(blue, b.String()) + "\n")
	}
	p.raw("\n")
	draw(p.env.t("all"), func(c review.ChapterTrend) int { return c.Issues })
	for _, x := range r.Categories {
		draw(p.category(x), func(c review.ChapterTrend) int { return c.Categories[x.Category] })
	}
	p.line("  one column a chapter, the highest is %d issues", most)
}
