package cli

import (
	"fmt"
	"io"
	"strings"

	"git-novel/schema"

	"github.com/urfave/cli/v2"
)

// printHelp prints the help of a command, or of the program when cmd is nil. Asked for as JSON it is one value as well.
func (e *Env) printHelp(cmd *cli.Command) error {
	p := &printer{env: e}
	if cmd == nil {
		e.programHelp(p)
	} else {
		e.commandHelp(p, cmd)
	}
	if e.json {
		return writeJSON(e.Stdout, struct {
			Help string `json:"help"`
		}{p.String()})
	}
	_, err := io.WriteString(e.Stdout, p.String())
	return err
}

func (e *Env) programHelp(p *printer) {
	p.line("git novel: a git repository as the home of a novel")
	p.raw("\n")
	p.line("Usage: git novel [--root DIR] [--book NAME] [--json] COMMAND …")
	for _, c := range e.commands() {
		if c.Hidden {
			continue
		}
		p.raw("\n")
		for _, row := range flatten(c, "") {
			fmt.Fprintf(p, "  %s %s\n", pad(strings.TrimSpace(row.name+" "+row.args), 44), row.usage)
		}
	}
	p.raw("\n")
	p.line("Global flags:")
	e.flagHelp(p, e.globalFlags())
	p.raw("\n")
	p.line("`git novel help COMMAND` tells more; exit codes are in the README.")
}

func (e *Env) commandHelp(p *printer, cmd *cli.Command) {
	name := strings.TrimPrefix(strings.TrimPrefix(cmd.HelpName, "git novel "), "git-novel ")
	if name == "" {
		name = cmd.Name
	}
	fmt.Fprintf(p, "%s\n\n", cmd.Usage)
	if len(cmd.Subcommands) > 0 {
		prefix := strings.TrimSuffix(name, cmd.Name)
		for _, row := range flatten(cmd, strings.TrimSpace(prefix)) {
			fmt.Fprintf(p, "  git novel %s %s\n", pad(strings.TrimSpace(row.name+" "+row.args), 44), row.usage)
		}
		return
	}
	p.line("Usage: git novel %s", strings.TrimSpace(name+" "+cmd.ArgsUsage))
	if cmd.Description != "" {
		fmt.Fprintf(p, "\n%s\n", cmd.Description)
	}
	if len(cmd.Flags) > 1 {
		p.raw("\n")
		p.line("Flags:")
		e.flagHelp(p, cmd.Flags)
	}
}

func (e *Env) flagHelp(p *printer, flags []cli.Flag) {
	for _, f := range flags {
		fmt.Fprintf(p, "  %s %s\n", pad(flagForm(f), 28), flagUsage(f))
	}
}

func flagForm(f cli.Flag) string {
	var forms []string
	for _, n := range f.Names() {
		dash := "--"
		if len(n) == 1 {
			dash = "-"
		}
		forms = append(forms, dash+n)
	}
	form := strings.Join(forms, ", ")
	if !isBool(f) {
		form += " " + valueName(f)
	}
	return form
}

// valueName is the word that stands for the flag's value.
func valueName(f cli.Flag) string {
	switch f.(type) {
	case *cli.IntFlag:
		return "N"
	case *cli.DurationFlag:
		return "TIME"
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		if _, rest, found := strings.Cut(d.GetUsage(), "`"); found {
			if name, _, closed := strings.Cut(rest, "`"); closed {
				return name
			}
		}
	}
	return strings.ToUpper(f.Names()[0])
}

func flagUsage(f cli.Flag) string {
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return strings.ReplaceAll(d.GetUsage(), "`", "")
	}
	return ""
}

// entry is one runnable command in a listing.
type entry struct {
	name, args, usage string
	flags             []cli.Flag
}

// flatten lists the runnable commands below c by their full names.
func flatten(c *cli.Command, prefix string) []entry {
	name := strings.TrimSpace(prefix + " " + c.Name)
	if len(c.Subcommands) == 0 {
		return []entry{{name, c.ArgsUsage, c.Usage, c.Flags}}
	}
	var rows []entry
	for _, s := range c.Subcommands {
		if !s.Hidden {
			rows = append(rows, flatten(s, name)...)
		}
	}
	return rows
}

func newHelpCommand(e *Env) *cli.Command {
	return e.command("help", "[COMMAND …]", e.t("show the help of git novel or of a command"), nil, 0, -1, func(c *call) error {
		cmds, path := c.App.Commands, ""
		var found *cli.Command
		for _, name := range c.Args().Slice() {
			path = strings.TrimSpace(path + " " + name)
			found = find(cmds, name)
			if found == nil {
				return unknownCommand(c.App, path)
			}
			found.HelpName = path
			cmds = found.Subcommands
		}
		return e.printHelp(found)
	})
}

func newVersionCommand(e *Env) *cli.Command {
	return e.command("version", "", e.t("print the version"), nil, 0, 0, func(c *call) error {
		return c.emit(struct {
			Version string `json:"version"`
			Rules   int    `json:"rules"`
		}{version, schema.RulesVersion}, func(p *printer) { p.raw("git-novel " + version + "\n") })
	})
}
