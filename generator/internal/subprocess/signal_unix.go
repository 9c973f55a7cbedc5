//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// newGroup gives a command its own process group, so that signals reach its children.
func newGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt interrupts a command with its own process group, and its children.
func interrupt(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) }

// killAll kills a command with its own process group, and its children.
func killAll(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // there may be none left
