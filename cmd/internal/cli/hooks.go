package cli

import (
	"git-novel/hooks"

	"github.com/urfave/cli/v2"
)

func newHooksGroup(e *Env) *cli.Command {
	return e.group("hooks", e.t("the checks of a plain git commit and of a push"),
		e.command("install", "", e.t("put the checks into git's hooks, in front of what is there"), []cli.Flag{
			&cli.BoolFlag{Name: "server", Usage: e.t("in a bare repository: check every push to it")},
		}, 0, 0, func(c *call) error {
			return c.hooksReport(hooks.Install(c.ctx, c.Bool("server"), c.options()))
		}),
		e.command("status", "", e.t("show which hooks are ours and whether they run"), nil, 0, 0, func(c *call) error {
			return c.hooksReport(hooks.Status(c.ctx, c.options()))
		}),
		e.command("uninstall", "", e.t("take the checks away and bring back what was there"), nil, 0, 0, func(c *call) error {
			return c.hooksReport(hooks.Uninstall(c.ctx, c.options()))
		}),
	)
}

func (c *call) hooksReport(r *hooks.Report, err error) error {
	if err != nil {
		return err
	}
	return c.emit(r, func(p *printer) { p.hooks(r) })
}

// hooks prints what is installed.
func (p *printer) hooks(r *hooks.Report) {
	p.line("hooks in %s", r.Dir)
	t := &table{}
	for _, h := range r.Hooks {
		style := green
		if !h.Runs {
			style = dim
		}
		word := p.env.hookState(h.State)
		if h.Kept != "" {
			word += " (" + h.Kept + ")"
		}
		t.add(plain(h.Name), p.painted(style, word))
	}
	p.table(t, "  ")
	for _, n := range r.Notes {
		p.line("note: %s", n)
	}
}

// hookState is a hook's state in words.
func (e *Env) hookState(s string) string {
	switch s {
	case hooks.StateOurs:
		return e.t("ours")
	case hooks.StateChained:
		return e.t("ours, after the one from before")
	case hooks.StateForeign:
		return e.t("somebody else's")
	case hooks.StateNotExec:
		return e.t("ours, but not executable: git does not run it")
	default:
		return e.t("missing")
	}
}

// newHookCommand is what the installed scripts call. It is hidden: git is the one who calls it.
func newHookCommand(e *Env) *cli.Command {
	c := e.command("hook", "NAME [ARGS]", e.t("what git calls in its hooks"), nil, 1, -1, func(c *call) error {
		r, err := hooks.Run(c.ctx, c.Args().First(), c.Args().Tail(), c.env.Stdin, c.options())
		if r != nil {
			c.notes(r.Notes)
		}
		return err
	})
	c.Hidden = true
	return c
}
