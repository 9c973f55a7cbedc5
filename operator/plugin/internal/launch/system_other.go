//go:build !unix

package launch

import "os/exec"

func (p *program) executable() string { return p.path }

// bind does nothing here. That the process ends with its host is left to the end of its stdin.
func bind(*exec.Cmd) {}

func start(cmd *exec.Cmd) error { return cmd.Start() }

func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
