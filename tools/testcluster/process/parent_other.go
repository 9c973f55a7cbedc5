//go:build unix && !linux

package process

import "syscall"

// endWithParent leaves it to the guard to end programs.
func endWithParent(*syscall.SysProcAttr) {}
