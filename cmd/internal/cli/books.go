package cli

import (
	"strconv"

	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newBookGroup(e *Env) *cli.Command {
	return e.group("book", e.t("books of the library"), append([]*cli.Command{
		e.command("list", "", e.t("list the books"), nil, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				rows, err := s.BookList(c.ctx)
				if err != nil {
					return err
				}
				return c.emit(rows, func(p *printer) {
					t := &table{}
					for _, r := range rows {
						if len(r.Faults) > 0 {
							t.add(plain(r.Book), p.painted(red, p.env.t("problem:")+" "+p.env.lang.Fault(r.Faults[0])))
							continue
						}
						t.add(plain(r.Book), plain(p.env.t("%d chapters", r.Chapters)), plain(p.env.t("%d committed", r.Committed)),
							plain(p.env.t("highest %s", strconv.Itoa(r.Current))))
					}
					p.table(t, "")
					if len(rows) == 0 {
						p.line("no books yet: git novel book new NAME, or git novel import PATH --book NAME")
					}
				})
			})
		}),
		e.command("new", "NAME", e.t("start an empty book"), nil, 1, 1, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.BookNew(c.ctx, c.Args().First())
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) {
					p.line("book %s is there, commit %s", r.Book, short(r.Commit))
					p.next(r.Next)
				})
			})
		}),
	}, trashCommands(e)...)...)
}
