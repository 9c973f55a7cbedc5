//go:build !linux

package linear

import "time"

// ProcessorTime returns the time of day, because other systems have no clock for a thread.
func ProcessorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
