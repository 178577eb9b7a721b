package cli

import (
	"strings"

	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

func newAgentsGroup(e *Env) *cli.Command {
	return e.group("agents", e.t("who does the work of context, writer, reviewer, polish and data"),
		e.command("list", "", e.t("show for each role what runs, where that is set, and whether it may"), nil, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.AgentsList(c.ctx)
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) { p.agents(r) })
			})
		}),
		e.command("trust", "", e.t("agree to run the programs that this library proposes"), []cli.Flag{
			&cli.BoolFlag{Name: "yes", Usage: e.t("do not ask; still for a person at a terminal only")},
		}, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error { return c.trust(s) })
		}),
		e.command("install", "", e.t("write context-agent, reviewer, data-agent, the write skill, the guard hook and the MCP entry for a client"), []cli.Flag{
			&cli.StringFlag{Name: "for", Required: true, Usage: e.t("the `CLIENT`: claude, opencode or codex")},
			&cli.BoolFlag{Name: "force", Usage: e.t("replace files that were edited")},
			&cli.BoolFlag{Name: "commit", Usage: e.t("put the files into git too")},
		}, 0, 0, func(c *call) error {
			return c.withSession(func(s *workflow.Session) error {
				r, err := s.AgentsInstall(c.ctx, workflow.InstallInput{Client: c.String("for"), Force: c.Bool("force"), Commit: c.Bool("commit")})
				if err != nil {
					return err
				}
				return c.emit(r, func(p *printer) { p.installed(r) })
			})
		}),
	)
}

// trust shows what the library would run, asks, and remembers the answer for this user and this library.
func (c *call) trust(s *workflow.Session) error {
	r, err := s.AgentsList(c.ctx)
	if err != nil {
		return err
	}
	if !r.Waiting {
		return c.emit(r, func(p *printer) { p.line("this library proposes nothing that waits for your agreement") })
	}
	if err := s.TrustIsForPersons(); err != nil {
		return err
	}
	if !c.Bool("yes") {
		p := &printer{env: c.env}
		p.line("this library wants to run these programs on this machine, with your rights:")
		for _, a := range r.Agents {
			if len(a.Proposed) > 0 {
				p.raw("  " + pad(string(a.Role), 10) + shownCommand(a.Proposed) + "\n")
			}
		}
		p.line("files of the library that they name are part of what you agree to; what these load in turn is not looked at")
		p.raw(c.env.t("run them from now on? a change of them asks again [y/N] "))
		answer, err := c.ask(p.String())
		if err != nil {
			return err
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes", "是":
		default:
			return schema.Errorf(schema.CodeRule, "not agreed; nothing of this library is run")
		}
	}
	if err := s.AgentsTrust(c.ctx, r.Digest); err != nil {
		return err
	}
	if r, err = s.AgentsList(c.ctx); err != nil {
		return err
	}
	return c.emit(r, func(p *printer) { p.agents(r) })
}

// shownCommand is a command line without what could move a terminal's cursor over what it shows.
func shownCommand(words []string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '�'
		}
		return r
	}, workflow.CommandLine(words))
}

func (p *printer) agents(r *workflow.AgentsReport) {
	t := &table{}
	for _, a := range r.Agents {
		t.add(plain(string(a.Role)), plain(p.shownRuns(a)), p.painted(dim, a.Source))
	}
	p.table(t, "")
	for _, a := range r.Agents {
		if !a.Problem.IsZero() {
			p.line("%s cannot run now: %s", string(a.Role), a.Problem)
		}
		if len(a.Proposed) > 0 {
			p.line("the library proposes for %s: %s", string(a.Role), shownCommand(a.Proposed))
		}
	}
	if r.Waiting {
		p.line("proposals run nothing until you agree: git novel agents trust")
	}
}

func (p *printer) shownRuns(a workflow.AgentRow) string {
	if len(a.Command) > 0 {
		return shownCommand(a.Command)
	}
	return a.Runs
}

func (p *printer) installed(r *workflow.InstallReport) {
	for _, f := range r.Files {
		switch f.Status {
		case workflow.FileWritten:
			p.line("written    %s", f.Path)
		case workflow.FileSame:
			p.line("unchanged  %s", f.Path)
		case workflow.FileKept:
			p.line("kept       %s (edited; --force replaces it)", f.Path)
		}
	}
	if r.Commit != "" {
		p.line("in git: %s", short(r.Commit))
	} else if r.Wrote() {
		p.line("the files are not in git; commit them if others shall have them too, or run the command with --commit")
	}
}
