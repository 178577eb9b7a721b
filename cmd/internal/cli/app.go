package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-novel/cmd/internal/text"
	"git-novel/schema"
	"git-novel/workflow"

	"github.com/urfave/cli/v2"
)

// version is what `version` prints; a release build sets it with -ldflags.
const version = "0.1.0"

func (e *Env) run(ctx context.Context) error {
	langFlag, asked := scanGlobals(e.Args)
	e.json = asked
	lang, ok := text.Choose(langFlag, e.Getenv)
	e.lang = lang
	if !ok {
		return schema.Errorf(schema.CodeUsage, "the language must be zh or en")
	}
	switch firstWord(e.Args) {
	case "chapter-commit", "memory-contract", "review-pipeline": // scripts of the older tool read their JSON
		e.json = true
	case "state", "index":
		e.envelope = true
	}
	app := e.app()
	args, err := reorder(app, e.Args)
	if err != nil {
		return err
	}
	if cmd, asked := helpAsked(app, args); asked {
		return e.printHelp(cmd)
	}
	if err := app.RunContext(ctx, args); err != nil {
		return usage(err)
	}
	return nil
}

// scanGlobals looks at --lang and --json before the command tree exists, because they decide how errors about the line
// itself are shown.
func scanGlobals(args []string) (lang string, asJSON bool) {
	for i, a := range args {
		if a == "--" {
			break
		}
		switch {
		case a == "--json" || a == "-json":
			asJSON = true
		case strings.HasPrefix(a, "--json="), strings.HasPrefix(a, "-json="):
			on, err := strconv.ParseBool(a[strings.Index(a, "=")+1:])
			asJSON = on && err == nil // what is no truth value is refused when the line is read
		case a == "--lang" && i+1 < len(args):
			lang = args[i+1]
		case strings.HasPrefix(a, "--lang="):
			lang = strings.TrimPrefix(a, "--lang=")
		}
	}
	return lang, asJSON
}

// firstWord is the command's name: the first argument that is neither a global flag nor the value of one.
func firstWord(args []string) string {
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case !isFlag(a):
			return a
		case slices.Contains([]string{"root", "project-root", "book", "wait", "lang"}, strings.TrimLeft(a, "-")):
			i++
		}
	}
	return ""
}

// helpAsked finds -h or --help among the flags of a reordered line, and the command that it is about; urfave would print a
// help of its own.
func helpAsked(app *cli.App, args []string) (*cli.Command, bool) {
	var found *cli.Command
	cmds, path := app.Commands, ""
	for _, a := range args[1:] {
		switch {
		case a == "--":
			return nil, false
		case a == "-h" || a == "--help":
			return found, true
		case !isFlag(a):
			if c := find(cmds, a); c != nil {
				path = strings.TrimSpace(path + " " + a)
				found, cmds = c, c.Subcommands
				found.HelpName = path
			}
		}
	}
	return nil, false
}

// usage gives urfave's own complaints about the line the right kind.
func usage(err error) error {
	switch schema.CodeOf(err) {
	case schema.CodeUnexpected:
		if names, ok := strings.CutPrefix(err.Error(), "Required flag"); ok {
			names = strings.TrimSuffix(strings.TrimPrefix(names, "s"), " not set")
			return schema.Errorf(schema.CodeUsage, "what the command needs is missing: --%s", strings.ReplaceAll(strings.Trim(names, ` "`), ", ", ", --"))
		}
		for _, known := range []string{"flag provided but not defined", "invalid value", "invalid boolean value", "flag needs an argument"} {
			if strings.Contains(err.Error(), known) {
				return schema.Wrap(err, schema.CodeUsage, "the command line does not fit")
			}
		}
	default:
	}
	return err
}

func (e *Env) app() *cli.App {
	app := &cli.App{
		Name:        "git-novel",
		HelpName:    "git novel",
		Usage:       e.t("a git repository as the home of a novel"),
		Version:     version,
		HideHelp:    true,
		HideVersion: true, // `git novel version` tells; the flag of urfave is one variable for all apps
		Reader:      e.Stdin,
		Writer:      io.Discard, // urfave prints help there when a flag is missing, and stdout is for results
		ErrWriter:   e.Stderr,
		Flags:       e.globalFlags(),
		Commands:    e.commands(),
		// Codes are mapped in one place (exit.go), never inside urfave.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return unknownCommand(c.App, c.Args().First())
			}
			return e.printHelp(nil)
		},
	}
	quiet(app.Commands)
	return app
}

// quiet keeps urfave from printing usage by itself on a bad flag, and gives groups an action that lists their commands.
func quiet(cmds []*cli.Command) {
	for _, c := range cmds {
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return err }
		c.HideHelp = true
		quiet(c.Subcommands)
	}
}

func (e *Env) globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "root", Aliases: []string{"project-root"}, Usage: e.t("the library's folder (default: found from the current folder)")},
		&cli.StringFlag{Name: "book", Usage: e.t("the book (not needed when the library has one)")},
		&cli.BoolFlag{Name: "json", Usage: e.t("print one JSON value")},
		&cli.DurationFlag{Name: "wait", Value: 10 * time.Second, Usage: e.t("how long to wait for the library's lock")},
		&cli.StringFlag{Name: "lang", Usage: e.t("zh or en (default: NOVEL_LANG, then the locale)")},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: e.t("print results only, no notes")},
	}
}

// call is one running command.
type call struct {
	*cli.Context

	ctx context.Context
	env *Env
}

// action adapts a command's function to urfave and answers -h in the language of the run.
func (e *Env) action(run func(*call) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Bool("help") {
			return e.printHelp(c.Command)
		}
		return run(&call{Context: c, ctx: c.Context, env: e})
	}
}

// command declares one command. min and max count its arguments; max -1 is any number.
func (e *Env) command(name, args, usage string, flags []cli.Flag, minArgs, maxArgs int, run func(*call) error) *cli.Command {
	flags = append(flags, &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: e.t("show this help")})
	return &cli.Command{
		Name: name, ArgsUsage: args, Usage: usage, Flags: flags,
		Action: e.action(func(c *call) error {
			if n := c.NArg(); n < minArgs || (maxArgs >= 0 && n > maxArgs) {
				return schema.Errorf(schema.CodeUsage, "wrong number of arguments for `git novel %s`", c.path()).
					WithHint("usage: git novel %s", strings.TrimSpace(c.path()+" "+args))
			}
			return run(c)
		}),
	}
}

// group declares a command that only holds others.
func (e *Env) group(name, usage string, subs ...*cli.Command) *cli.Command {
	g := &cli.Command{Name: name, Usage: usage, Subcommands: subs}
	g.Flags = []cli.Flag{&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: e.t("show this help")}}
	g.Action = func(c *cli.Context) error {
		if c.NArg() > 0 {
			return unknownCommand(c.App, name+" "+c.Args().First())
		}
		return e.printHelp(g)
	}
	return g
}

// path is the command as typed after `git novel`.
func (c *call) path() string {
	return strings.TrimPrefix(strings.TrimPrefix(c.Command.HelpName, "git novel "), "git-novel ")
}

// options is what every workflow call needs from the process.
func (c *call) options() workflow.Options {
	return workflow.Options{
		Root: c.file(c.String("root")), Dir: c.env.Dir, Book: c.String("book"), Command: c.env.line(), Wait: c.Duration("wait"),
		Getenv: c.env.Getenv, Environ: c.env.Environ, Now: c.env.Now, LookPath: c.env.LookPath,
		Actor: workflow.Actor{Terminal: c.env.StdinTTY && c.env.StderrTTY, Run: c.env.Getenv("NOVEL_RUN")},
	}
}

// line is the command as typed, for whoever finds its lock held.
func (e *Env) line() string {
	return strings.Join(append([]string{"git novel"}, e.Args[min(1, len(e.Args)):]...), " ")
}

// session opens the library that the line or the current folder names.
func (c *call) session() (*workflow.Session, error) {
	s, err := workflow.Open(c.ctx, c.options())
	if err != nil {
		return nil, err
	}
	c.env.meter.call, c.env.meter.session = c, s
	return s, nil
}

// withSession runs one workflow call and then prints what it noticed on the way (recovery, restored drafts, debts).
func (c *call) withSession(run func(*workflow.Session) error) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	err = run(s)
	c.notes(s.Notices())
	return err
}

// notes go to stderr, so that stdout holds results only.
func (c *call) notes(notes []schema.Text) {
	if c.Bool("quiet") {
		return
	}
	for _, n := range notes {
		_, _ = io.WriteString(c.env.Stderr, c.env.t("note:")+" "+c.env.lang.Text(n)+"\n")
	}
}

// emit prints a result: JSON when asked for, else what human draws.
func (c *call) emit(v any, human func(p *printer)) error {
	if c.env.json {
		return writeJSON(c.env.Stdout, c.env.lang.Localize(v))
	}
	p := &printer{env: c.env}
	human(p)
	_, err := io.WriteString(c.env.Stdout, p.String())
	return err
}

// file makes a relative file argument absolute against the current folder. The empty string and "-" stay.
func (c *call) file(name string) string {
	if name == "" || name == "-" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.env.Dir, name)
}
