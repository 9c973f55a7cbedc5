//go:build unix

package launch

import (
	"os"
	"syscall"
)

// tryLock locks a file, unless another process has. The lock ends when the file is closed, also by
// the end of the process.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
