package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"git-novel/cmd/internal/text"
	"git-novel/workflow"
	"git-novel/workflow/agentkit"

	"github.com/urfave/cli/v2"
)

// commandLines takes every command line out of a text: whole lines of code blocks, and what stands in backquotes.
func commandLines(body string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?m)^git novel .*$|`git novel [^`]*`").FindAllString(body, -1) {
		out = append(out, strings.Trim(m, "`"))
	}
	return out
}

// TestKitNamesOnlyWhatExists runs every command line that the installed texts print, with --help, and looks up each of its
// flags: an agent is never told to run what is not there.
func TestKitNamesOnlyWhatExists(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, name := range agentkit.Bodies() {
		body, err := agentkit.Body(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandLines(body) {
			lines++
			words := strings.Fields(line)[2:]
			e := testEnv(text.Chinese)
			e.Dir = t.TempDir()
			e.Args = append([]string{"git-novel"}, append(slices.Clone(words), "--help")...)
			var out strings.Builder
			e.Stdout = &out
			if code := Run(t.Context(), e); code != 0 || !strings.Contains(out.String(), "git novel") {
				t.Errorf("%s: %q: exit %d %s", name, line, code, out.String())
				continue
			}
			cmd := commandOf(e, words)
			if cmd == nil || len(cmd.Subcommands) > 0 {
				t.Errorf("%s: %q is no whole command", name, line)
				continue
			}
			for _, w := range words {
				if flag, ok := strings.CutPrefix(w, "--"); ok && !hasFlag(append(slices.Clone(cmd.Flags), e.globalFlags()...), flag) {
					t.Errorf("%s: %q: there is no --%s", name, line, flag)
				}
			}
		}
	}
	if lines < 40 {
		t.Errorf("only %d command lines were found: the search is broken", lines)
	}
}

func commandOf(e *Env, words []string) *cli.Command {
	cmds := e.commands()
	var found *cli.Command
	for _, w := range words {
		c := find(cmds, w)
		if c == nil {
			break
		}
		found, cmds = c, c.Subcommands
	}
	return found
}

func hasFlag(flags []cli.Flag, name string) bool {
	return slices.ContainsFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}

// TestKitNamesFormats: a format that a text tells an agent to print is one that the program prints.
func TestKitNamesFormats(t *testing.T) {
	t.Parallel()
	for _, name := range agentkit.Bodies() {
		body, _ := agentkit.Body(name)
		for _, line := range commandLines(body) {
			words := strings.Fields(line)
			if words[2] != "schema" || len(words) < 4 {
				continue
			}
			e := testEnv(text.English)
			e.Args = append([]string{"git-novel"}, words[2:]...)
			var out strings.Builder
			e.Stdout = &out
			if code := Run(t.Context(), e); code != 0 || !strings.Contains(out.String(), "$schema") {
				t.Errorf("%s: %q: exit %d", name, line, code)
			}
		}
	}
}

// TestKitStaysWithinBudget: what the texts have an agent ask for in one chapter's cycle leaves room for the rest below 20,000
// tokens, however much the book's memory could tell.
func TestKitStaysWithinBudget(t *testing.T) {
	t.Parallel()
	seen, sum := map[string]bool{}, 0
	for _, name := range agentkit.Bodies() {
		body, _ := agentkit.Body(name)
		for _, line := range commandLines(body) {
			if !strings.Contains(line, "load-context") && !strings.Contains(line, "git novel context ") || seen[name+line] {
				continue
			}
			seen[name+line] = true
			budget := workflow.DefaultBudget
			if _, given, ok := strings.Cut(line, "--budget-tokens "); ok {
				n, err := strconv.Atoi(strings.Fields(given)[0])
				if err != nil {
					t.Errorf("%s: %q: %v", name, line, err)
				}
				budget = n
			}
			sum += budget
		}
	}
	if sum == 0 || sum > 15000 {
		t.Errorf("the texts ask for up to %d tokens of context", sum)
	}
}
