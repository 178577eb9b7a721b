package cli

import (
	"fmt"
	"strings"

	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newWriteCommand(e *Env) *cli.Command {
	return e.command("write", "N", e.t("the six steps for one chapter: context, draft, review, polish, commit, backup"), []cli.Flag{
		&cli.StringFlag{Name: "file", Usage: e.t("`FILE` with the text, - for standard input (default: the draft mirror)")},
		&cli.StringFlag{Name: "segments", Usage: e.t("which segments of the mirror make the chapter, as `1,3-5`")},
		&cli.StringFlag{Name: "title", Usage: e.t("the chapter's `TITLE`")},
	}, 1, 1, func(c *call) error {
		data, err := c.text()
		if err != nil {
			return err
		}
		return c.withSession(func(s *workflow.Session) error {
			return c.steps(s, workflow.WriteInput{
				Chapter: c.Args().First(), Text: data, File: c.String("file"), Segments: c.String("segments"), Title: c.String("title"),
			})
		})
	})
}

// steps shows each step of `write` as it is done. The last one says whether the chapter came through.
func (c *call) steps(s *workflow.Session, in workflow.WriteInput) error {
	report := workflow.WriteReport{Chapter: in.Chapter}
	var failed error
	for step, err := range s.Write(c.ctx, in) {
		if step != nil {
			p := &printer{env: c.env}
			p.step(step)
			step.Tokens += workflow.Tokens(p.String())
			s.Spend(in.Chapter, step.Step, "write", step.Tokens)
			report.Add(*step)
			if !c.env.json {
				if _, werr := c.env.Stdout.Write([]byte(p.String())); werr != nil {
					return werr
				}
			}
		}
		if err != nil {
			failed = err
		}
	}
	if !c.env.json {
		p := &printer{env: c.env}
		p.spent(report)
		if _, err := c.env.Stdout.Write([]byte(p.String())); err != nil && failed == nil {
			failed = err
		}
		return failed
	}
	shown := c.env.lang.Localize(report)
	if failed == nil {
		return writeJSON(c.env.Stdout, shown)
	}
	f := c.env.failure(failed)
	if err := writeJSON(c.env.Stdout, struct {
		failure
		workflow.WriteReport
	}{f, shown.(workflow.WriteReport)}); err != nil {
		return err
	}
	return printed{f.Code}
}

// spent tells what the flow gave an agent to read, by step.
func (p *printer) spent(r workflow.WriteReport) {
	var parts []string
	for _, st := range r.Steps {
		if st.Tokens > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", st.Step, st.Tokens))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintln(p, p.paint(dim, p.env.t("about %d tokens of output (%s)", r.Tokens, strings.Join(parts, ", "))))
	}
}

func (p *printer) step(st *workflow.WriteStep) {
	mark := map[workflow.StepStatus]string{
		workflow.StepDone: p.paint(green, "✓"), workflow.StepSkipped: p.paint(dim, "–"), workflow.StepBlocked: p.paint(red, "✗"),
	}[st.Status]
	fmt.Fprintf(p, "%s %s %s  %s\n", mark, pad(st.Step, 3), p.env.lang.Text(st.Name), p.paint(dim, p.env.lang.Text(st.Detail)))
	for _, owed := range st.Owed {
		p.line("  owed: %s", owed)
	}
	for _, n := range st.Notes {
		p.line("  note: %s", n)
	}
	p.issues(st.Issues)
	p.next(st.Next)
}

func newDemoCommand(e *Env) *cli.Command {
	return e.command("demo", "[DIR]", e.t("three chapters from draft to verified backup, in a new folder"), nil, 0, 1, func(c *call) error {
		dir := c.Args().First()
		if dir == "" {
			dir = "novel-demo"
		}
		o := c.options()
		o.Root = ""
		var report []workflow.DemoStep
		for step, err := range workflow.Demo(c.ctx, o, c.file(dir)) {
			if err != nil {
				return err
			}
			report = append(report, *step)
			if c.env.json {
				continue
			}
			p := &printer{env: c.env}
			p.demo(c, step)
			if _, werr := c.env.Stdout.Write([]byte(p.String())); werr != nil {
				return werr
			}
		}
		if c.env.json {
			return writeJSON(c.env.Stdout, report)
		}
		return nil
	})
}

func (p *printer) demo(c *call, st *workflow.DemoStep) {
	if !st.Title.IsZero() {
		fmt.Fprintf(p, "\n%s\n", p.paint(bold, p.env.lang.Text(st.Title)))
	}
	for _, l := range st.Lines {
		p.line("  %s", l)
	}
	if st.Write != nil {
		p.step(st.Write)
	}
	if st.Board != nil {
		p.board(st.Board, true)
	}
	if st.Backup != nil {
		p.backedUp(st.Backup)
	}
	if st.Verify != nil {
		p.verified(st.Verify)
	}
	for _, r := range st.Log {
		fmt.Fprintf(p, "  %s %s\n", p.paint(yellow, short(r.Commit)), r.Subject)
	}
	if st.Diff != nil {
		p.diff(c, st.Diff)
	}
}
