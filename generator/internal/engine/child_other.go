//go:build !unix

package engine

import (
	"os"
	"os/exec"
)

func apart(*exec.Cmd) {}

func interrupt(c *exec.Cmd) error { return c.Process.Signal(os.Interrupt) }

func killAll(c *exec.Cmd) { _ = c.Process.Kill() } // it may have ended
