//go:build !unix

package agent

import (
	"os/exec"
	"strconv"
)

// ownGroup has the whole tree of the program ended, where the system has a tool for it; exec's own kill follows.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		endGroup(cmd)
		return cmd.Process.Kill()
	}
}

func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
}
