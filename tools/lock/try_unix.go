//go:build unix

package lock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes the lock of a file, which it makes where there is none, if nobody else has it; unlock is nil if somebody
// has.
func Try(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, named(err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return func() { _ = f.Close() }, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, named(&os.PathError{Op: "flock", Path: file, Err: err})
}
