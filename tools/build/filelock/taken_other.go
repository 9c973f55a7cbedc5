//go:build !unix

package filelock

import (
	"errors"
	"fmt"
)

// IsTaken reports whether a process has the lock of a file, on systems that can tell.
func IsTaken(string) (bool, error) {
	return false, fmt.Errorf("look at lock: %w", errors.ErrUnsupported)
}
