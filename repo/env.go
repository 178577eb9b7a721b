package repo

import (
	"time"

	"git-novel/repo/gitcmd"
	"git-novel/repo/gitstore"
	"git-novel/schema"
)

// DefaultWait is how long a command waits for the library lock when nothing else is said.
const DefaultWait = 10 * time.Second

// Options say how a library is opened. Only a clock is needed; without Git and Env there are no git program and no
// environment.
type Options struct {
	// Wait bounds the wait for the library lock and for git's own locks. 0 is DefaultWait, negative does not wait.
	Wait time.Duration
	// Clock gives the time. It and Env.Clock stand in for each other; one is needed.
	Clock func() time.Time
	// Env is the environment of the process, the only source of what the user and the system set.
	Env gitstore.Env
	// Git is the git program, nil when there is none.
	Git *gitcmd.Git
	// NoGit makes the library behave as if there were no git program.
	NoGit bool
	// Command is what the person started, for the message that another command is refused with.
	Command string
	// Notice receives what recovery did. May be nil.
	Notice func(schema.Text)
	// Failpoint is called before each durable operation of Update with its name; an error makes the operation fail.
	// For tests. May be nil.
	Failpoint func(name string) error
}

func (o Options) normal() Options {
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.Wait < 0 {
		o.Wait = 0
	}
	if o.Env.Getenv == nil {
		o.Env.Getenv = func(string) string { return "" }
	}
	if o.Clock == nil {
		o.Clock = o.Env.Clock
	}
	if o.Env.Clock == nil {
		o.Env.Clock = o.Clock
	}
	if o.Notice == nil {
		o.Notice = func(schema.Text) {}
	}
	if o.Failpoint == nil {
		o.Failpoint = func(string) error { return nil }
	}
	if o.NoGit {
		o.Git = nil
	}
	return o
}
