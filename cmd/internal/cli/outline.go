package cli

import (
	"maps"
	"slices"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newOutlineGroup(e *Env) *cli.Command {
	return e.group("outline", e.t("chapter outlines: direction and borders of a chapter"),
		e.command("set", "N", e.t("store a chapter's outline (JSON, or Markdown)"), []cli.Flag{
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
		e.command("check", "[N]", e.t("check one outline, or all: nodes, what the writer sees, the volume"), nil, 0, 1, runOutlineCheck),
		e.command("import", "FILE", e.t("take in the outlines and volumes of a document (Markdown or JSON)"), nil, 1, 1, runOutlineImport),
		e.command("volumes", "", e.t("list the volumes with their chapters and roles"), nil, 0, 0, runOutlineVolumes),
	)
}

func runOutlineCheck(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.OutlineCheck(c.ctx, c.Args().First())
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			if len(r.Outlines) == 0 {
				p.line("%s has no outlines", r.Book)
			}
			for _, o := range r.Outlines {
				p.outline(o, c.NArg() > 0)
			}
		})
	})
}

// outline prints one checked outline: a line, and with whole its nodes and what the writer sees of it.
func (p *printer) outline(o workflow.OutlineCheck, whole bool) {
	p.line("%s %s: %d nodes, %d fields word for word, %d transformed", o.Key, o.Title, len(o.Nodes), len(o.Verbatim), len(o.Transform))
	if whole {
		for _, n := range o.Nodes {
			p.raw("  " + pad(n.Type, 10) + "  " + n.Text + "\n")
		}
		for _, f := range slices.Sorted(maps.Keys(o.Transform)) {
			p.line("  the writer does not see %s: %s", f, o.Transform[f])
		}
		if v := o.Volume; v != nil {
			p.line("  volume %d %s, chapters %d to %d", v.Number, v.Title, v.First, v.Last)
		}
		if o.Strand != "" {
			p.line("  strand profile: %s", o.Strand)
		}
	}
	for _, w := range o.Warnings {
		p.raw("  " + p.paint(yellow, p.env.t("warning:")) + " " + p.env.lang.Text(w) + "\n")
	}
}

func runOutlineImport(c *call) error {
	name := c.Args().First()
	data, err := c.read(name)
	if err != nil {
		return err
	}
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.OutlineImport(c.ctx, workflow.File{Name: name, Data: data})
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			for _, o := range r.Outlines {
				p.line("%s %s: %s, %d nodes", o.Key, o.Title, p.env.t(o.Status), o.Nodes)
			}
			p.volumes(r.Volumes)
			for _, n := range r.Notes {
				p.raw("  " + p.paint(yellow, p.env.t("note:")) + " " + p.env.lang.Text(n) + "\n")
			}
			if r.Changed {
				p.line("%s: %d outlines taken in, commit %s", r.Book, len(r.Outlines), short(r.Commit))
			} else {
				p.line("%s: nothing new in it", r.Book)
			}
		})
	})
}

func runOutlineVolumes(c *call) error {
	return c.withSession(func(s *workflow.Session) error {
		r, err := s.OutlineVolumes(c.ctx)
		if err != nil {
			return err
		}
		return c.emit(r, func(p *printer) {
			if len(r.Volumes) == 0 {
				p.line("%s has no volumes; `git novel outline import` reads them from headings like # 第一卷 题（1-40章）", r.Book)
			}
			p.volumes(r.Volumes)
		})
	})
}

func (p *printer) volumes(list []schema.Volume) {
	for _, v := range list {
		line := p.env.t("volume %d %s, chapters %d to %d", v.Number, v.Title, v.First, v.Last)
		if v.Role != "" {
			line += p.env.t(", role %s", v.Role)
		}
		p.raw(line + "\n")
	}
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
