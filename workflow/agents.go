package workflow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/agent"
)

// AgentRow is who does the work of one role.
type AgentRow struct {
	Role     schema.Role `json:"role"`
	Runs     string      `json:"runs"`              // builtin:ROLE, or the command line
	Command  []string    `json:"command,omitempty"` // as configured
	Source   string      `json:"source"`            // "default", or the file that says so
	Trusted  bool        `json:"trusted"`           // it may run
	Proposed []string    `json:"proposed,omitempty"`
	Problem  schema.Text `json:"problem,omitzero"` // why it cannot run now
}

// AgentsReport is every role, and what the library proposes.
type AgentsReport struct {
	Agents  []AgentRow `json:"agents"`
	Waiting bool       `json:"waiting"` // the library proposes programs that the user has not agreed to
	Digest  string     `json:"digest,omitempty"`
}

// AgentsList tells for each role what would run, where that is said and whether it may.
func (s *Session) AgentsList(_ context.Context) (*AgentsReport, error) {
	c, err := s.configuration()
	if err != nil {
		return nil, err
	}
	r := &AgentsReport{}
	if r.Digest, err = s.proposal(c.library); err != nil {
		return nil, err
	}
	for _, role := range schema.Roles() {
		a := schema.ResolveAgent(role, c.user, c.library, c.trusted)
		row := AgentRow{Role: role, Runs: agent.BuiltinPrefix + string(role), Source: sourceDefault, Trusted: true}
		_, byUser := c.user.Agents[role]
		proposed := c.library.Agent(role)
		switch {
		case byUser:
			row.Source = c.userFile
		case !proposed.Builtin() && c.trusted:
			row.Source = schema.ConfigPath
		case !proposed.Builtin():
			row.Proposed = proposed.Command
			r.Waiting = true
		}
		if !a.Builtin() {
			row.Command, row.Runs = a.Command, CommandLine(a.Command)
			if _, err := s.program(a.Command[0], byUser); err != nil {
				row.Problem = problemOf(err)
			}
		}
		r.Agents = append(r.Agents, row)
	}
	return r, nil
}

func problemOf(err error) schema.Text {
	if se, ok := errors.AsType[*schema.Error](err); ok {
		return se.Msg
	}
	return schema.Textf("%s", err.Error())
}

// CommandLine shows a command with its words told apart.
func CommandLine(words []string) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$&|;<>()*?[]#~`!") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// AgentsTrust agrees, for this user, to the programs that the library names. digest is of what the person was shown: when
// the proposal has changed since, it is refused with CodeConflict. Only a person agrees.
func (s *Session) AgentsTrust(_ context.Context, digest string) error {
	if err := s.TrustIsForPersons(); err != nil {
		return err
	}
	c, err := s.configuration()
	if err != nil {
		return err
	}
	now, err := s.proposal(c.library)
	switch {
	case err != nil:
		return err
	case now == "":
		return schema.Errorf(schema.CodeNotFound, "the library names no program to run")
	case now != digest:
		return schema.Errorf(schema.CodeConflict, "what the library proposes has changed while the question was asked").
			WithHint("run `git novel agents trust` again")
	}
	return s.agreed(now)
}

// TrustIsForPersons refuses to ask a program whether programs may run.
func (s *Session) TrustIsForPersons() error {
	if s.o.Actor.Person() {
		return nil
	}
	return schema.Errorf(schema.CodeRule, "only a person at a terminal can trust the programs of a library").
		WithHint("an agent asks its person to run `git novel agents trust`")
}

// agent is the agent that a role has: the user's own; else what the library proposes, once the user agreed to it; else the
// built-in one (DESIGN 11).
func (s *Session) agent(role schema.Role, library *schema.Config) (schema.Agent, error) {
	a, _, err := s.agentFrom(role, library)
	return a, err
}

// agentFrom is agent; byUser says that the user's own file names it.
func (s *Session) agentFrom(role schema.Role, library *schema.Config) (a schema.Agent, byUser bool, err error) {
	file, data, err := s.userConfig()
	if err != nil {
		return schema.Agent{}, false, err
	}
	user, err := schema.ParseConfig(file, data, schema.UserScope)
	if err != nil {
		return schema.Agent{}, false, err
	}
	_, byUser = user.Agents[role]
	trusted := false
	if !byUser {
		if trusted, err = s.trusts(library); err != nil {
			return schema.Agent{}, false, err
		}
	}
	return schema.ResolveAgent(role, user, library, trusted), byUser, nil
}

// runner gives what answers the tasks of a role; nil when the built-in agent does.
func (s *Session) runner(role schema.Role, library *schema.Config) (*agent.Command, error) {
	a, byUser, err := s.agentFrom(role, library)
	if err != nil || a.Builtin() {
		return nil, err
	}
	program, err := s.program(a.Command[0], byUser)
	if err != nil {
		return nil, err
	}
	const temp = schema.TmpDir + "/agents"
	if err := s.makeFolder(temp); err != nil {
		return nil, err
	}
	var env []string
	if s.o.Environ != nil {
		env = s.o.Environ()
	}
	return &agent.Command{
		Role: role, Program: program, Args: a.Command[1:], Dir: s.lib.Root(), Environ: env, Temp: s.abs(temp),
		Timeout: a.Timeout, Retries: a.Retries, MaxOutput: a.MaxOutput,
	}, nil
}

// program finds the program of a command: on PATH, or by an absolute path. A relative path is one of the library, which only
// the library's own, trusted proposal may name: in a user's file it would let any clone bring the program.
func (s *Session) program(name string, byUser bool) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsAny(name, `/\`) {
		if byUser {
			return "", schema.Errorf(schema.CodeAgent, "%s is a relative path, and would be another program in each library", name).
				WithHint("give the absolute path, or the name of a program on PATH")
		}
		p := s.abs(filepath.ToSlash(name))
		if rel, err := filepath.Rel(s.lib.Root(), p); err != nil || !filepath.IsLocal(rel) {
			return "", schema.Errorf(schema.CodeAgent, "%s leads out of the library", name)
		}
		if _, err := os.Stat(p); err != nil {
			return "", schema.Wrap(err, schema.CodeAgent, "the program %s is not there", name)
		}
		return p, nil
	}
	if s.o.LookPath != nil {
		if p, err := s.o.LookPath(name); err == nil && filepath.IsAbs(p) {
			return p, nil
		}
	}
	return "", schema.Errorf(schema.CodeAgent, "the program %s is not on PATH", name).
		WithHint("install it, or name another one: agents.*.command in your own config.toml")
}
