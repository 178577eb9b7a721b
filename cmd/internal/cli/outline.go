package cli

import (
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newOutlineGroup(e *Env) *cli.Command {
	return e.group("outline", e.t("chapter outlines: direction and borders of a chapter"),
		e.command("set", "N", e.t("store a chapter's outline (JSON)"), []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: e.t("`FILE` with the outline, - for standard input")},
			&cli.StringFlag{Name: "note", Usage: e.t("an inspiration (`TEXT`) for the next context")},
		}, 1, 1, func(c *call) error {
			data, err := c.text()
			if err != nil {
				return err
			}
			if data == nil && !c.IsSet("note") {
				return schema.Errorf(schema.CodeUsage, "outline set needs --file or --note")
			}
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.OutlineSet(c.ctx, c.Args().First(), workflow.File{Name: c.String("file"), Data: data}, c.String("note"))
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) { p.line("%s %s: outline stored, commit %s", r.Book, r.Key, short(r.Commit)) })
			})
		}),
		e.command("show", "N", e.t("show a chapter's outline"), nil, 1, 1, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				o, err := s.OutlineShow(c.ctx, c.Args().First())
				if err != nil {
					return err
				}
				return writeJSON(c.env.Stdout, o)
			})
		}),
	)
}

func newContextCommand(e *Env) *cli.Command {
	return e.command("context", "N", e.t("print the five-section task book for writing a chapter"), []cli.Flag{
		&cli.IntFlag{Name: "budget-tokens", Value: workflow.DefaultBudget, Usage: e.t("at most `N` estimated tokens")},
	}, 1, 1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			b, err := s.Context(c.ctx, c.Args().First(), c.Int("budget-tokens"))
			if err != nil {
				return err
			}
			return c.emit(b, func(p *printer) { p.raw(b.Render()) })
		})
	})
}
