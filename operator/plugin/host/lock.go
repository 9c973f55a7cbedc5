package host

import (
	"fmt"

	"github.com/stratakube/strata/operator/plugin/internal/launch"
)

// Lock locks a plugin to the present content of its program. It trusts that content. A lock file
// (package lock) contains what the user has trusted before.
func Lock(program string) (Plugin, error) {
	digest, err := launch.Digest(program)
	if err != nil {
		return Plugin{}, fmt.Errorf("lock %s: %w", program, err)
	}
	return Plugin{Path: program, Digest: digest}, nil
}
