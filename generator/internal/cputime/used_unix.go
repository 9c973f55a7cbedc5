//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time that this process has used: all of its threads, in user mode and
// in the kernel.
func Used() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return sinceStart()
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
