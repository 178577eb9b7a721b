package cli

import (
	"fmt"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newDiagnoseCommand(e *Env) *cli.Command {
	return e.command("diagnose", "", e.t("the health of the library: sizes, damaged files, git, backup, what was skipped"), nil, 0, 0, func(c *call) error {
		return c.withSession(func(s *workflow.Session) error {
			d, err := s.Diagnose(c.ctx)
			if err != nil {
				return err
			}
			return c.emit(d, func(p *printer) { p.diagnosis(d) })
		})
	})
}

func (p *printer) diagnosis(d *workflow.Diagnosis) {
	p.line("library %s", d.Root)
	t := &table{}
	for _, f := range d.Folders {
		note := plain("")
		if f.Ignored {
			note = p.painted(dim, p.env.t("ignored by git"))
		}
		t.add(plain(f.Path), plain(p.env.t("%d files", f.Files)), plain(sizeText(f.Size)), note)
	}
	t.add(plain(".git"), plain(p.env.t("%d files", d.Git.Size.Files)), plain(sizeText(d.Git.Size.Size)), plain(""))
	p.table(t, "  ")
	for _, b := range d.Books {
		p.line("book %s: %d chapters, drafts: %d files, %s", b.Book, b.Chapters, b.Drafts.Files, sizeText(b.Drafts.Size))
	}
	p.line("git: branch %s, %s", d.Git.Branch, p.identity(d.Git.Identity))
	p.line("backup: %s", p.backupAge(d.Backup))
	p.line("trash branches: %d", d.Trash)
	for _, x := range d.Problems {
		p.problem(x)
	}
	if d.Healthy {
		p.line("nothing is out of order")
	}
	if len(d.Events) > 0 {
		p.line("skipped without failing a command, newest last:")
		for _, ev := range d.Events {
			p.raw("  " + p.paint(dim, ev.Time) + "  " + ev.Kind + "  " + ev.Text + "\n")
		}
	}
}

func (p *printer) identity(who string) string {
	if who == "" {
		return p.env.t("nobody is set as author")
	}
	return who
}

func (p *printer) backupAge(b workflow.BackupHealth) string {
	switch {
	case !b.Configured:
		return p.env.t("none")
	case b.Pushed == "":
		return p.env.t("%s has nothing yet", b.Remote)
	case b.Behind == 0:
		return p.env.t("%s has everything", b.Remote)
	}
	return p.env.t("%s lacks %d commits; what it has is %d days old", b.Remote, b.Behind, b.AgeDays)
}

// problem shows a finding, where it is and what to do.
func (p *printer) problem(x workflow.Problem) {
	style := map[workflow.Level]string{workflow.LevelError: red, workflow.LevelWarning: yellow, workflow.LevelNote: dim}[x.Level]
	word := map[workflow.Level]string{
		workflow.LevelError: p.env.t("error:"), workflow.LevelWarning: p.env.t("warning:"), workflow.LevelNote: p.env.t("note:"),
	}[x.Level]
	where := x.Book
	if x.File != "" {
		where = p.env.lang.Fault(schema.Fault{File: x.File, Line: x.Line, Col: x.Col, Msg: x.Msg})
	} else {
		where = strings.TrimPrefix(where+": ", ": ") + p.env.lang.Text(x.Msg)
	}
	fmt.Fprintf(p, "%s %s\n", p.paint(style, word), where)
	if !x.Hint.IsZero() {
		fmt.Fprintf(p, "    %s\n", p.paint(dim, p.env.lang.Text(x.Hint)))
	}
}
