package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Role is a piece of work that an agent can be configured for.
type Role string

// The roles: the keys below [agents].
const (
	RoleContext  Role = "context"
	RoleWriter   Role = "writer"
	RoleReviewer Role = "reviewer"
	RolePolish   Role = "polish"
	RoleData     Role = "data"
)

// Roles lists the roles.
func Roles() []Role { return []Role{RoleContext, RoleWriter, RoleReviewer, RolePolish, RoleData} }

// Limits of agents (DESIGN 11).
const (
	DefaultAgentTimeout = 10 * time.Minute
	DefaultAgentRetries = 1
	DefaultAgentOutput  = 4 << 20 // bytes
	maxAgentTimeout     = 24 * time.Hour
	maxAgentRetries     = 10
	maxAgentOutput      = 16 << 20
)

// Agent is one configured agent: built-in, or an outside program that is run without a shell.
type Agent struct {
	Command   []string // program and arguments; nil is the built-in agent
	Timeout   time.Duration
	Retries   int
	MaxOutput int // bytes
}

// BuiltinAgent is the agent of a role for which nothing is configured.
func BuiltinAgent() Agent {
	return Agent{Timeout: DefaultAgentTimeout, Retries: DefaultAgentRetries, MaxOutput: DefaultAgentOutput}
}

// Builtin reports an agent that runs no program.
func (a Agent) Builtin() bool { return len(a.Command) == 0 }

// Agent gives the agent that the file sets for a role, else the built-in one.
func (c *Config) Agent(r Role) Agent {
	if a, ok := c.Agents[r]; ok {
		return a
	}
	return BuiltinAgent()
}

// Proposes reports whether the file names any program to run.
func (c *Config) Proposes() bool {
	for _, a := range c.Agents {
		if !a.Builtin() {
			return true
		}
	}
	return false
}

// AgentsDigest identifies the programs that the file names, for `agents trust`: any change of a command, an argument or a
// limit gives another digest. It is "" when the file names no program.
func (c *Config) AgentsDigest() string {
	if !c.Proposes() {
		return ""
	}
	h := sha256.New()
	for _, r := range Roles() {
		a, ok := c.Agents[r]
		if !ok {
			continue
		}
		h.Write([]byte(string(r) + "\x00" + itoa(len(a.Command)) + "\x00" + strings.Join(a.Command, "\x00") + "\x00" +
			a.Timeout.String() + "\x00" + itoa(a.Retries) + "\x00" + itoa(a.MaxOutput) + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ResolveAgent decides which agent a role has: the user's own; else the library's, when the user trusts what it proposes
// now; else the built-in one. A cloned library alone can never name a program to run (DESIGN 11).
func ResolveAgent(r Role, user, library *Config, trusted bool) Agent {
	if user != nil {
		if a, ok := user.Agents[r]; ok {
			return a
		}
	}
	if library != nil {
		if a, ok := library.Agents[r]; ok && (trusted || a.Builtin()) {
			return a
		}
	}
	return BuiltinAgent()
}

func agentKeys(r Role) []ConfigKey {
	both := []ConfigScope{LibraryScope, UserScope}
	at := "agents." + string(r) + "."
	return []ConfigKey{
		{
			at + "command", TypeList, "", Textf("program and arguments that do this work, run without a shell; empty: built-in. A library's proposal counts only after `git novel agents trust`"), both,
			func(c *Config) string { return strings.Join(c.Agent(r).Command, ", ") },
		},
		{
			at + "timeout", TypeDuration, durationText(DefaultAgentTimeout), Textf("time after which the program is stopped, like 90s or 10m"), both,
			func(c *Config) string { return durationText(c.Agent(r).Timeout) },
		},
		{
			at + "retries", TypeInteger, itoa(DefaultAgentRetries), Textf("how often a failed run is tried again"), both,
			func(c *Config) string { return itoa(c.Agent(r).Retries) },
		},
		{
			at + "max_output", TypeInteger, itoa(DefaultAgentOutput), Textf("bytes of a result that are read at most"), both,
			func(c *Config) string { return itoa(c.Agent(r).MaxOutput) },
		},
	}
}
