//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// newGroup gives a command a process group of its own, so that signals reach what it starts.
func newGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt interrupts a command with a group of its own, and what it started.
func interrupt(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) }

// killAll kills a command with a group of its own, and what it started.
func killAll(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // there may be none left
