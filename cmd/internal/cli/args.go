package cli

import (
	"slices"
	"strings"

	"git-novel/schema"

	"github.com/urfave/cli/v2"
)

// reorder puts flags in front of arguments at every level, because urfave/cli stops reading flags at the first argument
// (urfave/cli#976) and authors put them where they like. Global flags move to the front of the line, the flags of the
// command behind its name, everything after "--" stays an argument. args[0] is the program.
func reorder(app *cli.App, args []string) ([]string, error) {
	globals, path, flags, rest := []string{}, []string{}, []string{}, []string{}
	cmds, own := app.Commands, []cli.Flag(nil)
	leaf := false // an argument was seen: no further word can name a command
	for i := 1; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if !isFlag(a) {
			if c := find(cmds, a); c != nil && !leaf {
				path, cmds, own = append(path, a), c.Subcommands, c.Flags
				continue
			}
			leaf = true
			rest = append(rest, a)
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		f, global := lookupFlag(own, name), false
		if f == nil {
			f, global = lookupFlag(app.Flags, name), true
		}
		if f == nil {
			if name == "version" && len(path) == 0 { // what everybody tries first
				return append(append([]string{args[0]}, globals...), "version"), nil
			}
			if name == "h" || name == "help" {
				flags = append(flags, a)
				continue
			}
			return nil, schema.Errorf(schema.CodeUsage, "unknown flag %s", a).
				WithHint("see `%s`", strings.Join(append([]string{"git novel help"}, path...), " "))
		}
		took := []string{a}
		if !hasValue && !isBool(f) {
			if i+1 >= len(args) {
				return nil, schema.Errorf(schema.CodeUsage, "the flag %s needs a value", a)
			}
			i++
			// Joined with "=", so that a value that starts with a dash is not read as the next flag.
			took = []string{a + "=" + args[i]}
		}
		if global {
			globals = append(globals, took...)
		} else {
			flags = append(flags, took...)
		}
	}
	out := append([]string{args[0]}, globals...)
	out = append(out, path...)
	out = append(out, flags...)
	if len(rest) > 0 {
		if len(path) == 0 {
			return nil, unknownCommand(app, rest[0])
		}
		if len(cmds) > 0 {
			return nil, unknownCommand(app, strings.Join(append(path, rest[0]), " "))
		}
		out = append(append(out, "--"), rest...)
	}
	return out, nil
}

// isFlag tells a flag from an argument; a lone "-" is standard input.
func isFlag(a string) bool { return len(a) > 1 && a[0] == '-' }

func find(cmds []*cli.Command, name string) *cli.Command {
	for _, c := range cmds {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func lookupFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func isBool(f cli.Flag) bool {
	_, ok := f.(*cli.BoolFlag)
	return ok
}

// unknownCommand names the nearest commands that exist.
func unknownCommand(app *cli.App, name string) error {
	err := schema.Errorf(schema.CodeUsage, "%q is not a git-novel command", name)
	if near := nearest(app, name); near != "" {
		return err.WithHint("did you mean `git novel %s`? `git novel help` lists all", near)
	}
	return err.WithHint("`git novel help` lists the commands")
}

func nearest(app *cli.App, name string) string {
	best, bestDistance := "", 3
	var walk func(prefix string, cmds []*cli.Command)
	walk = func(prefix string, cmds []*cli.Command) {
		for _, c := range cmds {
			if c.Hidden {
				continue
			}
			full := strings.TrimSpace(prefix + " " + c.Name)
			if d := editDistance(name, full); d < bestDistance {
				best, bestDistance = full, d
			}
			walk(full, c.Subcommands)
		}
	}
	walk("", app.Commands)
	return best
}

// editDistance is the Levenshtein distance in runes.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diag := row[0]
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			diag, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diag+cost)
		}
	}
	return row[len(y)]
}
