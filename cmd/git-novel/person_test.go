package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"
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

// appendTo puts a text at the end of a file, as it is: append FILE TEXT.
func appendTo(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, append(data, args[1]...), 0o644))
}

// crlf gives a file the line ends of Windows and, with a second word bom, a byte order mark: crlf FILE [bom].
func crlf(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	if len(args) > 1 {
		data = append([]byte("\ufeff"), data...)
	}
	ts.Check(os.WriteFile(path, data, 0o644))
}

// writeNUL writes a file whose second line holds a NUL byte: nul FILE.
func writeNUL(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("第一行\n第\x00二行\n"), 0o644))
}
