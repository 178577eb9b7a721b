package cli

import (
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newConfigGroup(e *Env) *cli.Command {
	return e.group("config", e.t("settings of the library"),
		e.command("list", "", e.t("list every setting with its value and source"), nil, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				rows, err := s.ConfigList(c.ctx)
				if err != nil {
					return err
				}
				return c.emit(rows, func(p *printer) { p.settings(rows) })
			})
		}),
		e.command("get", "KEY", e.t("print one setting"), nil, 1, 1, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.ConfigGet(c.ctx, c.Args().First())
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) { p.raw(r.Value + "\n") })
			})
		}),
		e.command("set", "KEY VALUE", e.t("change one setting"), nil, 2, 2, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.ConfigSet(c.ctx, c.Args().First(), c.Args().Get(1))
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) {
					p.settings([]workflow.Setting{*r})
					for _, src := range r.Sources {
						if !src.Note.IsZero() {
							p.line("  note: %s", src.Note)
						}
					}
				})
			})
		}),
		e.command("explain", "KEY", e.t("what a setting does, its values and where its value comes from"), nil, 1, 1, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.ConfigGet(c.ctx, c.Args().First())
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) {
					p.settings([]workflow.Setting{*r})
					p.line("  %s", r.About)
					p.line("  default: %s", r.Default)
					for _, src := range r.Sources[1:] {
						p.line("  %s: %s", src.Source, src.Value)
						if !src.Note.IsZero() {
							p.line("    %s", src.Note)
						}
					}
				})
			})
		}),
	)
}

func (p *printer) settings(rows []workflow.Setting) {
	t := &table{}
	for _, r := range rows {
		t.add(plain(r.Key), plain(r.Value), p.painted(dim, r.Source))
	}
	p.table(t, "")
}
