package cli

import (
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newInitCommand(e *Env) *cli.Command {
	return e.command("init", "[DIR]", e.t("make a library, or adopt the chapters that are there"), nil, 0, 1, func(c *call) error {
		dir := c.file(c.Args().First())
		if dir == "" {
			dir = c.file(c.String("root"))
		}
		if dir == "" {
			dir = c.env.Dir
		}
		r, err := workflow.Init(c.ctx, c.options(), dir)
		if err != nil {
			return err
		}
		c.notes(r.Notices)
		return c.emit(r, func(p *printer) {
			if r.Commit == "" {
				p.line("%s is a library already, nothing to do", r.Root)
			} else {
				p.line("library ready: %s (branch %s, commit %s)", r.Root, r.Branch, short(r.Commit))
			}
			for _, b := range r.Books {
				p.line("  adopted %s: %d chapters, %d characters", b.Book, b.Chapters, b.Chars)
			}
			for _, w := range r.Warnings {
				p.line("  note: %s", w)
			}
			p.next(r.Next)
		})
	})
}

func newRecoverCommand(e *Env) *cli.Command {
	return e.command("recover", "[N]", e.t("bring back a missing chapter file or a damaged record"), nil, 0, 1, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			r, err := s.Recover(c.ctx, c.Args().First())
			if err != nil {
				return err
			}
			return c.emit(r, func(p *printer) {
				for _, d := range r.Done {
					p.line("%s", d)
				}
				if len(r.Done) == 0 {
					p.line("nothing to repair")
				}
			})
		})
	})
}

func newSchemaCommand(e *Env) *cli.Command {
	return e.command("schema", "NAME", e.t("print the JSON Schema of a format"), nil, 0, 1, func(c *call) error {
		if c.NArg() == 0 {
			names := schema.SchemaNames()
			return c.emit(names, func(p *printer) {
				for _, n := range names {
					p.raw(n + "\n")
				}
			})
		}
		data, err := schema.JSONSchema(c.Args().First())
		if err != nil {
			return err
		}
		_, err = c.env.Stdout.Write(data)
		return err
	})
}

func newVerifyCommand(e *Env) *cli.Command {
	return e.command("verify", "", e.t("replay the history and check every step against the rules"), nil, 0, 0, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			r, err := s.Verify(c.ctx)
			if err != nil {
				return err
			}
			if err := c.emit(r, func(p *printer) { p.verified(r) }); err != nil {
				return err
			}
			if len(r.Faults) > 0 {
				return printed{schema.CodeRule}
			}
			return nil
		})
	})
}

// verified prints what a replay found, and what it proves.
func (p *printer) verified(r *workflow.VerifyResult) {
	for _, f := range r.Faults {
		p.line("%s %s (%s): %s", short(f.Commit), f.Path, f.Rule, f.Msg)
	}
	for _, n := range r.Notes {
		p.line("note: %s", n)
	}
	if len(r.Faults) > 0 {
		p.line("%d commits, %d violations", r.Commits, len(r.Faults))
		return
	}
	p.line("%d commits, every step legal (%s)", r.Commits, r.Level)
	p.line("proves: %s", r.Proves)
}
