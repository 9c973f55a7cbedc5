//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// IsTaken reports whether a process has the lock of a file. Any number of processes can ask at
// once. A process that waits for the lock meanwhile waits a moment longer.
func IsTaken(file string) (bool, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at lock: %w", err)
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil || errors.Is(err, syscall.EWOULDBLOCK) {
		return err != nil, nil
	}
	return false, fmt.Errorf("look at lock: %w", &os.PathError{Op: "flock", Path: file, Err: err})
}
