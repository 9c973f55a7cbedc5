package host

import (
	"fmt"

	"github.com/stratakube/strata/operator/plugin/internal/launch"
)

// Lock is a plugin that must stay the program that it is now. It trusts what it finds: a lock file (package lock) says
// what somebody has trusted before.
func Lock(program string) (Plugin, error) {
	digest, err := launch.Digest(program)
	if err != nil {
		return Plugin{}, fmt.Errorf("lock %s: %w", program, err)
	}
	return Plugin{Path: program, Digest: digest}, nil
}
