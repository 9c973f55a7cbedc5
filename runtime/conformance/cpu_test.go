//go:build unix

package conformance

import (
	"syscall"
	"testing"
)

// cpuNanos returns the processor time that the process has used, its garbage collection included.
func cpuNanos(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
