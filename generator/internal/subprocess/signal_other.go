//go:build !unix

package subprocess

import (
	"os"
	"os/exec"
)

func newGroup(*exec.Cmd) {}

func interrupt(c *exec.Cmd) error { return c.Process.Signal(os.Interrupt) }

func killAll(c *exec.Cmd) { _ = c.Process.Kill() } // it may have ended
