//go:build !linux

package genruntime

import "time"

// processorTime is the time; other systems have no clock for a thread.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
