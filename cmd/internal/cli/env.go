package cli

import (
	"context"
	"io"
	"time"

	"git-novel/cmd/internal/text"
)

// Env is the process as the commands see it. Tests make their own.
type Env struct {
	Args   []string // program name first
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	StdinTTY, StdoutTTY, StderrTTY bool
	Width                          int // columns of the terminal, 0 when unknown

	Getenv   func(string) string
	Environ  func() []string
	Dir      string // current directory, absolute
	Now      func() time.Time
	LookPath func(string) (string, error)

	lang     text.Lang
	json     bool
	meter    meter
	envelope bool // failures too are shown in the envelope of the older tool
}

// t renders an English format in the language of this run.
func (e *Env) t(format string, args ...any) string { return e.lang.T(format, args...) }

// colour reports whether escape sequences may go to stdout.
func (e *Env) colour() bool {
	return e.StdoutTTY && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// Run executes one command line and gives the exit code of the process.
func Run(ctx context.Context, e *Env) int {
	e.measure()
	err := e.run(ctx)
	if err != nil && ctx.Err() != nil {
		err = interrupted(err)
	}
	code := e.report(err)
	e.spend()
	return code
}
