package cli

import (
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newBriefCommand(e *Env) *cli.Command {
	return e.command("brief", "[N]", e.t("what a writer reads before the first line: last ending, summaries, outline, open loops"), []cli.Flag{
		&cli.BoolFlag{Name: "full", Usage: e.t("with a longer piece of the last chapter")},
	}, 0, 1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			b, err := s.ChapterBrief(c.ctx, workflow.BriefInput{Chapter: c.Args().First(), Full: c.Bool("full")})
			if err != nil {
				return err
			}
			return c.emit(b, func(p *printer) { p.raw(b.Render() + "\n") })
		})
	})
}
