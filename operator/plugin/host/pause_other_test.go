//go:build !unix

package host_test

import "errors"

func pause(int) error { return errors.ErrUnsupported }
