//go:build !unix

package lock

import "errors"

// Try takes the lock of a file if nobody else has it, on systems that can tell.
func Try(string) (unlock func(), err error) { return nil, named(errors.ErrUnsupported) }
