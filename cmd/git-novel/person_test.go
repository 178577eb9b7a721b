package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// person runs a command line the way a person at a terminal does: standard input and standard error are the terminal that
// the scenario made with ttyin, standard output is the scenario's. What goes to standard error is found with ttyout.
//
//	ttyin -stdin enter
//	person git-novel review pass 1 --note 读过
func person() {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "person: the scenario has no terminal, put `ttyin -stdin FILE` before:", err)
		os.Exit(125)
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...) //nolint:gosec // a scenario's own line
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, os.Stdout, tty
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "person:", err)
		os.Exit(126)
	}
}
