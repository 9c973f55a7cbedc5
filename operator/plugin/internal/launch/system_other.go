//go:build !unix

package launch

import "os/exec"

func (p *program) executable() string { return p.path }

// bind does nothing on this system. The process ends with its host because its stdin ends.
func bind(*exec.Cmd) {}

func start(cmd *exec.Cmd) error { return cmd.Start() }

func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
