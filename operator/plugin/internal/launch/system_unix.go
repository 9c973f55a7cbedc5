//go:build unix && !linux

package launch

import (
	"os/exec"
	"syscall"
)

func (p *program) executable() string { return p.path }

// bind gives the process its own process group. The process ends with its host because its stdin
// ends.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func start(cmd *exec.Cmd) error { return cmd.Start() }

// killAll kills the process and its children.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
