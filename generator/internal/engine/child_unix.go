//go:build unix

package engine

import (
	"os/exec"
	"syscall"
)

// apart has a command run in a process group of its own, so that signals reach what it starts, too.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt interrupts a command that runs apart, and what it has started.
func interrupt(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) }

// killAll kills a command that runs apart, and what it has started.
func killAll(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // there may be none left
