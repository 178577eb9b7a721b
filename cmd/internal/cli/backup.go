package cli

import (
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newBackupGroup(e *Env) *cli.Command {
	return e.group("backup", e.t("step 6: a verified copy elsewhere"),
		e.command("add", "NAME URL", e.t("configure a backup: a git remote or a folder"), nil, 2, 2, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				url := c.Args().Get(1)
				r, err := s.BackupAdd(c.ctx, c.Args().First(), url, c.env.Dir)
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) { p.line("backup %s → %s", r.Name, r.URL) })
			})
		}),
		e.command("run", "", e.t("push branch, trash branches and chapter tags, then compare"), []cli.Flag{
			&cli.StringFlag{Name: "chapter", Usage: e.t("step 6 of one chapter (`N`): refused unless it is committed")},
			&cli.StringFlag{Name: "to", Usage: e.t("the backup's `NAME` (not needed when there is one)")},
		}, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.BackupRun(c.ctx, workflow.BackupInput{Name: c.String("to"), Chapter: c.String("chapter")})
				if r == nil {
					return err
				}
				if err != nil && c.env.json {
					return withFacts(err, r)
				}
				if werr := c.emit(r, func(p *printer) { p.backedUp(r) }); werr != nil {
					return werr
				}
				return err
			})
		}),
		e.command("verify", "", e.t("clone the backup into a temporary folder and verify it there"), []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: e.t("the backup's `NAME` (not needed when there is one)")},
		}, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.BackupVerify(c.ctx, c.String("from"))
				if err != nil {
					return err
				}
				if err := c.emit(r, func(p *printer) {
					p.line("cloned %s", r.URL)
					p.verified(&r.Verify)
					p.backupFacts(r.Facts)
				}); err != nil {
					return err
				}
				if len(r.Verify.Faults) > 0 {
					return printed{schema.CodeRule}
				}
				return nil
			})
		}),
		e.command("list", "", e.t("list the backups and how far each one is"), nil, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				rows, err := s.BackupList(c.ctx)
				if err != nil {
					return err
				}
				return c.emit(rows, func(p *printer) {
					t := &table{}
					for _, r := range rows {
						t.add(plain(r.Name), plain(r.URL), plain(short(r.Pushed)))
					}
					p.table(t, "")
					if len(rows) == 0 {
						p.line("no backup configured: git novel backup add NAME URL")
					}
				})
			})
		}),
	)
}

// withFacts puts the three facts into the one object that a failed backup prints.
func withFacts(err error, r *workflow.BackupResult) error {
	pushed := schema.Textf("%s has nothing of this branch yet", r.Name)
	switch {
	case r.Facts.Diverged:
		pushed = schema.Textf("%s holds %s, which is not in this history", r.Name, r.Facts.Pushed)
	case r.Facts.Pushed != "":
		pushed = schema.Textf("%s holds %s, %d commits behind", r.Name, r.Facts.Pushed, r.Facts.Behind)
	}
	saved := schema.Textf("everything")
	if !r.Facts.Saved {
		saved = schema.Textf("%d texts are not in git", len(r.Facts.Unsaved))
	}
	facts := schema.Wrap(err, schema.CodeOf(err), "the backup %s is not complete", r.Name).WithDetails(
		schema.Fault{Field: "saved", Msg: saved},
		schema.Fault{Field: "committed", Msg: schema.Textf("%s", r.Facts.Committed)},
		schema.Fault{Field: "pushed", Msg: pushed},
	)
	for _, ref := range r.Refs {
		if !ref.Note.IsZero() {
			facts = facts.WithDetails(schema.Fault{Field: ref.Name, Msg: ref.Note})
		}
	}
	return facts
}

// maxRefsShown is how many refs of a backup are listed one by one; of more, only those with something to say are.
const maxRefsShown = 12

func (p *printer) backedUp(r *workflow.BackupResult) {
	p.backupFacts(r.Facts)
	shown, quiet, more := 0, 0, 0
	for _, ref := range r.Refs {
		switch {
		case ref.Note.IsZero() && len(r.Refs) > maxRefsShown:
			quiet++
			continue
		case shown == maxRefsShown:
			more++
			continue
		}
		shown++
		line := "  " + ref.Name + " " + short(ref.ID)
		if !ref.Note.IsZero() {
			line += "  " + p.env.lang.Text(ref.Note)
		}
		p.raw(line + "\n")
	}
	if more > 0 {
		p.line("  … %d more (--json lists them)", more)
	}
	if quiet > 0 {
		p.line("  %d branches and tags are there (--json lists them)", quiet)
	}
	for _, n := range r.Notes {
		p.line("  note: %s", n)
	}
}
