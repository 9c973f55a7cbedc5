//go:build !linux

package corpus

// memory is empty: no folder is known to be in memory.
func memory() string { return "" }
