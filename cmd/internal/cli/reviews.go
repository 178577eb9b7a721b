package cli

import (
	"fmt"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newReviewGroup(e *Env) *cli.Command {
	chapter := &cli.StringFlag{Name: "chapter", Required: true, Usage: e.t("the chapter (`N`)")}
	results := &cli.StringFlag{Name: "results", Required: true, Usage: e.t("`FILE` with the result as JSON, - for standard input")}
	return e.group("review", e.t("reviews: the evidence between drafted and committed"),
		e.command("task", "N", e.t("hand out a review task: the text's blob and what to check"), []cli.Flag{
			&cli.StringFlag{Name: "kind", Value: string(schema.TaskReview), Usage: e.t("`KIND`: review or recheck")},
			&cli.StringFlag{Name: "dispute", Usage: e.t("`TEXT` for the reviewer: why an earlier issue is a false alarm")},
		}, 1, 1, runReviewTask),
		e.command("record", "", e.t("record a full review; advances the chapter when nothing blocks"), []cli.Flag{
			chapter, results,
			&cli.StringFlag{Name: "text-blob", Usage: e.t("the `BLOB` that the reviewer read, when the JSON does not say")},
			&cli.BoolFlag{Name: "at-record", Usage: e.t("the reviewer read what is on disk now")},
		}, 0, 0, runReviewRecord),
		e.command("recheck", "", e.t("record the independent anti-AI re-check of a polished text"), []cli.Flag{
			chapter, results, &cli.StringFlag{Name: "task", Required: true, Usage: e.t("the `ID` of the re-check task that this answers")},
		}, 0, 0, runReviewRecheck),
		e.command("pass", "N", e.t("your own full review without issues (a person, at a terminal)"), []cli.Flag{
			&cli.StringFlag{Name: "note", Required: true, Usage: e.t("what you looked at, in a `SENTENCE`")},
		}, 1, 1, runReviewPass),
		e.command("override", "N", e.t("go on in spite of a blocking issue (a person, at a terminal)"), []cli.Flag{
			&cli.StringFlag{Name: "issue", Required: true, Usage: e.t("the issue's `ID`")}, reasonFlag(e),
		}, 1, 1, runReviewOverride),
		e.command("show", "N", e.t("show the review that counts"), nil, 1, 1, runReviewShow),
		newReviewTrendCommand(e),
	)
}

func runReviewTask(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		task, err := s.ReviewTask(c.ctx, workflow.ReviewTaskInput{
			Chapter: c.Args().First(), Kind: schema.TaskKind(c.String("kind")), Dispute: c.String("dispute"),
		})
		if err != nil {
			return err
		}
		// A task is read by a program as often as by a person, so it is JSON either way.
		return writeJSON(c.env.Stdout, task)
	})
}

func runReviewRecord(c *call) error {
	data, err := c.read(c.String("results"))
	if err != nil {
		return err
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ReviewRecord(c.ctx, workflow.ReviewRecordInput{
			Chapter: c.String("chapter"), File: workflow.File{Name: c.String("results"), Data: data},
			TextBlob: c.String("text-blob"), AtRecord: c.Bool("at-record"),
		})
		return c.reviewed(r, err)
	})
}

func runReviewRecheck(c *call) error {
	data, err := c.read(c.String("results"))
	if err != nil {
		return err
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ReviewRecheck(c.ctx, workflow.RecheckInput{
			Chapter: c.String("chapter"), File: workflow.File{Name: c.String("results"), Data: data}, Task: c.String("task"),
		})
		return c.reviewed(r, err)
	})
}

func runReviewPass(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ReviewPass(c.ctx, c.Args().First(), c.String("note"))
		return c.reviewed(r, err)
	})
}

func runReviewOverride(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ReviewOverride(c.ctx, c.Args().First(), c.String("issue"), c.String("reason"))
		return c.reviewed(r, err)
	})
}

func runReviewShow(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		v, err := s.ReviewShow(c.ctx, c.Args().First())
		if err != nil {
			return err
		}
		return c.emit(v, func(p *printer) { p.raw(v.Report) })
	})
}

// reviewed prints what a recorded review did.
func (c *call) reviewed(r *workflow.ReviewResult, err error) error {
	if err != nil {
		return err
	}
	return c.emit(r, func(p *printer) {
		p.line("%s %s: round %d recorded, %d issues, %d blocking", r.Book, r.Key, r.Round, len(r.Issues), r.Blocking)
		if r.Advanced {
			p.line("  %s → %s", r.From, r.State)
		} else {
			p.line("  stays %s", r.State)
		}
		p.issues(r.Issues)
		for _, phrase := range r.Learned {
			p.line("  ai-flavor.txt learned: %s", phrase)
		}
		for _, f := range r.Missing {
			fmt.Fprintf(p, "  %s %s\n", p.paint(yellow, p.env.t("still missing:")), p.env.lang.Fault(f))
		}
		p.next(r.Next)
	})
}

// issues lists review issues, the blocking ones marked.
func (p *printer) issues(issues []schema.Issue) {
	for _, i := range issues {
		mark := "  · "
		switch {
		case i.Override != nil:
			mark = "  " + p.paint(yellow, p.env.t("[overridden]")) + " "
		case i.Blocks():
			mark = "  " + p.paint(red, p.env.t("[blocking]")) + " "
		}
		fmt.Fprintf(p, "%s%s %s/%s %s: %s\n", mark, i.ID, i.Severity, i.Category, i.Location, i.Description)
		fmt.Fprintf(p, "      %s %s\n", p.paint(dim, p.env.t("evidence:")), i.Evidence)
		if i.FixHint != "" {
			fmt.Fprintf(p, "      %s %s\n", p.paint(dim, p.env.t("fix:")), i.FixHint)
		}
	}
}
