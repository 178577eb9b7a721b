package cli

import (
	"io"
	"path/filepath"

	"git-novel/schema"
	"git-novel/workflow"
	"git-novel/workflow/guard"

	"github.com/urfave/cli/v2"
)

// newGuardCommand is what `agents install` hooks into a client: it reads the client's tool call and answers in the way that
// clients agree on, exit code 2 with the reason on standard error. A call that it cannot read is the client's fault and is
// let through with a message: it must not stop all work.
func newGuardCommand(e *Env) *cli.Command {
	c := e.command("guard", "", e.t("refuse an agent's direct write to records, drafts and committed chapters (a client's hook)"), nil, 0, 0, func(c *call) error {
		data, err := c.read("-")
		if err != nil {
			return err
		}
		asked, err := guard.ParseCall(data)
		if err != nil {
			return schema.Wrap(err, schema.CodeUnexpected, "the guard could not look at a tool call")
		}
		// The library is the one that the client is at work in; where that is none, the one that the hook was started in.
		here := c.env.Dir
		if filepath.IsAbs(asked.Dir) {
			c.env.Dir = asked.Dir
		}
		s, err := c.session()
		if err != nil && schema.CodeOf(err) == schema.CodeNotLibrary && c.env.Dir != here {
			c.env.Dir = here
			s, err = c.session()
		}
		if err != nil {
			if schema.CodeOf(err) == schema.CodeNotLibrary { // a client that is at work elsewhere
				return nil
			}
			return schema.Wrap(err, schema.CodeUnexpected, "the guard could not look at a tool call")
		}
		return c.guarded(s, asked)
	})
	c.Hidden = true
	return c
}

func (c *call) guarded(s *workflow.Session, asked *guard.Call) error {
	err := s.Guard(c.ctx, asked)
	if schema.CodeOf(err) != schema.CodeRule || err == nil {
		return err
	}
	if _, werr := io.WriteString(c.env.Stderr, "git-novel: "+c.env.lang.Failure(err)+"\n"); werr != nil {
		return werr
	}
	return printed{schema.CodeUsage}
}
