package cli

import (
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newPatternsGroup(e *Env) *cli.Command {
	return e.group("patterns", e.t("what was learned of how the author writes"),
		e.command("add", "TEXT…", e.t("remember a habit of the author for the next contexts"), []cli.Flag{
			&cli.StringFlag{Name: "kind", Usage: e.t("a `WORD` to group it under")},
			&cli.StringFlag{Name: "chapter", Usage: e.t("the chapter (`N`) that it was learned from")},
		}, 1, -1, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.PatternAdd(c.ctx, workflow.PatternInput{Texts: c.Args().Slice(), Kind: c.String("kind"), Chapter: c.String("chapter")})
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) {
					for _, t := range r.Skipped {
						p.line("known already: %s", t)
					}
					p.line("%s: %d patterns added, %d in all", r.Book, len(r.Added), r.Total)
				})
			})
		}),
		e.command("list", "", e.t("list what was learned"), nil, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.PatternList(c.ctx)
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) {
					if len(r.Patterns) == 0 {
						p.line("%s has no learned patterns", r.Book)
					}
					for _, x := range r.Patterns {
						line := "- " + x.Text
						if x.Kind != "" {
							line = "- [" + x.Kind + "] " + x.Text
						}
						p.raw(line + "\n")
					}
				})
			})
		}),
	)
}
