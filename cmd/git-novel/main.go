// Command git-novel makes a git repository the home of a novel. Everything it does stands in cmd/internal/cli; this file
// only hands over the process: arguments, streams, environment, clock and signals.
package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"git-novel/cmd/internal/cli"

	"golang.org/x/term"
)

// A command lives for a moment and frees little: collecting at the runtime's usual pace costs it a tenth of its time. Near
// memoryLimit, in bytes, the collector works as always.
const (
	gcPercent   = 400
	memoryLimit = 112 << 20
)

func main() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // the current directory was deleted: commands that need it say so
	}
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		width = 0
	}
	code := cli.Run(ctx, &cli.Env{
		Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Width:     width,
		Getenv:    os.Getenv, Environ: os.Environ, Dir: dir, Now: time.Now, LookPath: exec.LookPath,
	})
	stop()
	os.Exit(code)
}
