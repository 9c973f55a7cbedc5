//go:build unix && !linux

package launch

import (
	"os/exec"
	"syscall"
)

func (p *program) executable() string { return p.path }

// bind makes the process the head of a group of its own. That it ends with its host is left to the end of its stdin.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func start(cmd *exec.Cmd) error { return cmd.Start() }

// killAll kills the process with all that it has started.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
