package cli

import (
	"git-novel/cmd/internal/mcpserver"

	"github.com/urfave/cli/v2"
)

func newMCPCommand(e *Env) *cli.Command {
	return e.command("mcp", "", e.t("serve the library to agents over the Model Context Protocol"), []cli.Flag{
		&cli.StringFlag{Name: "http", Usage: e.t("serve on a loopback `ADDRESS` such as 127.0.0.1:8123 instead of standard input and output")},
		&cli.BoolFlag{Name: "compat-root-fallback", Usage: e.t("a root outside of --root falls back to --root, with a note, instead of being an error")},
	}, 0, 0, func(c *call) error {
		s, err := mcpserver.New(mcpserver.Options{
			Workflow: c.options(), Version: version, Fallback: c.Bool("compat-root-fallback"),
			Stdin: e.Stdin, Stdout: e.Stdout, Stderr: e.Stderr,
		})
		if err != nil {
			return err
		}
		if addr := c.String("http"); addr != "" {
			return s.HTTP(c.ctx, addr)
		}
		return s.Stdio(c.ctx)
	})
}
