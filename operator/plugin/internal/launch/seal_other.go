//go:build !linux

package launch

import (
	"errors"
	"os"
)

// seal is not supported: the file of the program is checked, and run by its path.
func seal(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
