//go:build unix

package launch

import (
	"os"
	"syscall"
)

// tryLock locks a file until it is closed, by whatever end of the process, unless another process has.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
