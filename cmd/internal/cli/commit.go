package cli

import (
	"errors"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

// artifactFlags are the four artifacts of a chapter commit (seed harness_v6).
func artifactFlags(e *Env) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "review-result", Usage: e.t("`FILE` with the review result")},
		&cli.StringFlag{Name: "fulfillment-result", Usage: e.t("`FILE` with the outline coverage")},
		&cli.StringFlag{Name: "disambiguation-result", Usage: e.t("`FILE` with the open names")},
		&cli.StringFlag{Name: "extraction-result", Usage: e.t("`FILE` with events, changes and the summary")},
	}
}

func newChapterCommitCommand(e *Env) *cli.Command {
	flags := append(
		[]cli.Flag{&cli.StringFlag{Name: "chapter", Required: true, Usage: e.t("the chapter (`N`)")}},
		artifactFlags(e)...,
	)
	flags = append(
		flags,
		&cli.BoolFlag{Name: "dry-run", Usage: e.t("say what would happen and write nothing")},
		&cli.StringSliceFlag{Name: "waive", Usage: e.t("let an optional outline `NODE` go; needs --reason")},
		&cli.StringFlag{Name: "reason", Usage: e.t("why the waived nodes may go (`SENTENCE`)")},
		&cli.BoolFlag{Name: "enrich", Usage: e.t("add extraction and summary to an adopted chapter")},
	)
	return e.command("chapter-commit", "", e.t("step 5: accept the chapter into the book's memory"), flags, 0, 0, runChapterCommit)
}

// runChapterCommit always prints JSON (DESIGN 8): scripts of the older tool read it.
func runChapterCommit(c *call) error {
	c.env.json = true
	in := workflow.CommitInput{Chapter: c.String("chapter"), DryRun: c.Bool("dry-run"), Enrich: c.Bool("enrich")}
	var err error
	if in.Artifacts, err = c.artifacts(); err != nil {
		return err
	}
	if nodes := c.StringSlice("waive"); len(nodes) > 0 {
		if c.String("reason") == "" {
			return schema.Errorf(schema.CodeUsage, "--waive needs --reason").WithHint("say why the node may go: --reason SENTENCE")
		}
		for _, n := range nodes {
			in.Waive = append(in.Waive, schema.Waiver{Node: n, Reason: c.String("reason")})
		}
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.ChapterCommit(c.ctx, in)
		if r == nil || r.Status == "" {
			return err
		}
		if err == nil {
			return writeJSON(c.env.Stdout, c.env.lang.Localize(r))
		}
		// One object says both: the failure as every command reports it, and what became of the chapter. The reasons are
		// its details.
		f := c.env.failure(err)
		r.Reasons = nil
		if werr := writeJSON(c.env.Stdout, struct {
			failure
			*workflow.CommitResult
		}{f, c.env.lang.Localize(r).(*workflow.CommitResult)}); werr != nil {
			return werr
		}
		return printed{f.Code}
	})
}

// artifacts reads the four artifact files; a missing flag leaves its artifact nil.
func (c *call) artifacts() (workflow.Artifacts, error) {
	var a workflow.Artifacts
	var errs []error
	for flag, dst := range map[string]**workflow.File{
		"review-result": &a.Review, "fulfillment-result": &a.Fulfillment,
		"disambiguation-result": &a.Disambiguation, "extraction-result": &a.Extraction,
	} {
		f, err := c.optionalFile(flag)
		if err != nil {
			errs = append(errs, err)
		}
		*dst = f
	}
	return a, errors.Join(errs...)
}

func newRetconCommand(e *Env) *cli.Command {
	flags := append([]cli.Flag{
		reasonFlag(e),
		&cli.StringFlag{Name: "file", Usage: e.t("`FILE` with the new text (default: what is on disk)")},
		&cli.StringFlag{Name: "pass", Usage: e.t("your own review of the new text, in a `SENTENCE` (at a terminal)")},
	}, artifactFlags(e)...)
	return e.command("retcon", "N", e.t("change a committed chapter: text, review and revision in one commit"), flags, 1, 1, func(c *call) error {
		in := workflow.RetconInput{Chapter: c.Args().First(), Reason: c.String("reason"), Pass: c.String("pass"), File: c.String("file")}
		var err error
		if in.Text, err = c.text(); err != nil {
			return err
		}
		if in.Artifacts, err = c.artifacts(); err != nil {
			return err
		}
		return c.withSession(func(s *workflow.Session) error {
			r, err := s.Retcon(c.ctx, in)
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) {
				p.line("%s %s: revision %d, commit %s", r.Book, r.Key, r.Revision, short(r.Commit))
				p.issues(r.Issues)
				for _, n := range r.Notes {
					p.line("  note: %s", n)
				}
				p.next(r.Next)
			})
		})
	})
}

func newStateGroup(e *Env) *cli.Command {
	chapter := &cli.StringFlag{Name: "chapter", Required: true, Usage: e.t("the chapter (`N`)")}
	return e.group("state", e.t("chapter states, in the envelope of the older tool"),
		e.command("get-chapter-status", "", e.t("print a chapter's state"), []cli.Flag{chapter}, 0, 0, func(c *call) error {
			return c.envelope("chapter_status", func(s *workflow.Session) (any, error) {
				return s.StateGet(c.ctx, c.String("chapter"))
			})
		}),
		e.command("set-chapter-status", "", e.t("move a chapter to a state that its evidence already allows"), []cli.Flag{
			chapter, &cli.StringFlag{Name: "status", Required: true, Usage: e.t("the `STATE` to move to")},
		}, 0, 0, func(c *call) error {
			return c.envelope("chapter_status_set", func(s *workflow.Session) (any, error) {
				return s.StateSet(c.ctx, c.String("chapter"), c.String("status"))
			})
		}),
	)
}

// envelope prints {"status","message","data"} on one line (reference harness 2.1); report does the same for failures.
func (c *call) envelope(message string, run func(*workflow.Session) (any, error)) error {
	var data any
	err := c.withSession(func(s *workflow.Session) (err error) {
		data, err = run(s)
		return err
	})
	if err != nil {
		return err
	}
	return writeLine(c.env.Stdout, struct {
		Status  string `json:"status"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	}{"success", message, data})
}
