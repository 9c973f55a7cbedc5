//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// group gives the command a process group of its own, which is asked to end when the command's
// context ends. The function that it returns ends by force what is left of the group.
func group(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}
