package cli

import (
	"io"
	"strings"

	"git-novel/workflow"
)

// meter counts what a command gives an agent to read, for the token ledger. What goes to a terminal is read by a person and
// is not counted.
type meter struct {
	out     *counter
	call    *call // the command that opened the library
	session *workflow.Session
}

// counter passes text on and keeps count of it. Tokens are estimated over runes, so it keeps the text of one write whole.
type counter struct {
	to     io.Writer
	tokens int
}

func (c *counter) Write(p []byte) (int, error) {
	c.tokens += workflow.Tokens(string(p))
	return c.to.Write(p)
}

// measure puts the counter between the commands and standard output.
func (e *Env) measure() {
	if e.StdoutTTY {
		return
	}
	e.meter.out = &counter{to: e.Stdout}
	e.Stdout = e.meter.out
}

// spend writes the ledger once the command is through. `write` has done so by step; what serves or draws for long keeps its
// own count.
func (e *Env) spend() {
	m := e.meter
	if m.out == nil || m.session == nil || m.call.Command.Hidden {
		return
	}
	name := m.call.path()
	first, _, _ := strings.Cut(name, " ")
	switch first {
	case "write", "stats", "mcp", "panel", "demo", "import", "export", "batch":
		return
	}
	m.session.Spend(m.call.chapterMeant(), m.call.step(first, name), name, m.out.tokens)
}

// chapterMeant is the chapter that the command is about, "" when it is about none.
func (c *call) chapterMeant() string {
	if ch := c.String("chapter"); ch != "" {
		return ch
	}
	if usage := strings.TrimPrefix(c.Command.ArgsUsage, "["); strings.HasPrefix(usage, "N") && !strings.HasPrefix(usage, "NA") {
		return c.Args().First()
	}
	return ""
}

// step is the step of the six-step flow that a command belongs to.
func (c *call) step(first, name string) string {
	switch first {
	case "status", "state", "diagnose", "agents":
		return "0.5"
	case "context", "brief", "memory-contract", "index", "search", "outline", "summary", "contract", "patterns":
		return "1"
	case "chapter", "chapter-path", "draft":
		return "2"
	case "review", "review-pipeline":
		if name == "review recheck" || c.String("kind") == "recheck" {
			return "4"
		}
		return "3"
	case "chapter-commit", "memory", "retcon":
		return "5"
	case "backup", "verify":
		return "6"
	}
	return ""
}
