//go:build unix

package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// hold takes the lock of a file, which ends with the process.
func hold(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
