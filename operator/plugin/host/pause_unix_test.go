//go:build unix

package host_test

import "syscall"

// pause makes the system stop a process without ending it.
func pause(pid int) error { return syscall.Kill(pid, syscall.SIGSTOP) }
