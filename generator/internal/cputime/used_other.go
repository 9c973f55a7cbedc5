//go:build !unix

package cputime

import "time"

// Used returns the wall time since the start of this process: other systems count processor time
// differently.
func Used() time.Duration { return sinceStart() }
