//go:build unix

package command

import (
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// group gives the command a process group of its own, which is asked to end when the command's
// context ends. The function that it returns waits for the rest of the group, and then ends it
// by force.
func group(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process == nil {
			return
		}
		group := -cmd.Process.Pid
		for limit := time.Now().Add(Grace); time.Now().Before(limit); time.Sleep(Grace / 100) {
			if errors.Is(syscall.Kill(group, 0), syscall.ESRCH) {
				return
			}
		}
		_ = syscall.Kill(group, syscall.SIGKILL)
	}
}
