//go:build !unix

package gitcmd

import "os/exec"

// group leaves the run to exec's own kill; WaitDelay ends the wait for helpers that hold the pipe.
func group(*exec.Cmd, bool) {}
