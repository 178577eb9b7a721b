//go:build unix

package gitcmd

import (
	"os"
	"os/exec"
	"syscall"
)

// group puts the run into its own process group and kills the whole of it: a helper that git started and that holds the
// pipe would otherwise outlive the deadline.
//
// A run that may ask on the terminal stays in our group: a background group that reads the terminal is stopped.
func group(cmd *exec.Cmd, prompt bool) {
	if prompt {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if cmd.Process == nil {
			return os.ErrProcessDone
		}
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
