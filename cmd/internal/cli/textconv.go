package cli

import (
	"io"

	"git-novel/repo"
	"git-novel/repo/diff"

	"github.com/urfave/cli/v2"
)

// newTextconvCommand is what plain `git diff` calls for a chapter (diff.novel.textconv): one sentence a line, so that a
// one-line paragraph shows what changed in it. It reads the one file that git names and needs no library.
func newTextconvCommand(e *Env) *cli.Command {
	c := e.command(repo.TextconvCommand, "FILE", e.t("print a chapter one sentence a line, for git diff"), nil, 1, 1, func(c *call) error {
		data, err := c.read(c.Args().First())
		if err != nil {
			return err
		}
		_, err = io.WriteString(c.env.Stdout, diff.Sentences(string(data)))
		return err
	})
	c.Hidden = true
	return c
}
