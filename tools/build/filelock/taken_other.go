//go:build !unix

package filelock

import (
	"errors"
	"fmt"
)

// IsTaken returns an error: this system does not report whether a process has the lock of a file.
func IsTaken(string) (bool, error) {
	return false, fmt.Errorf("look at lock: %w", errors.ErrUnsupported)
}
