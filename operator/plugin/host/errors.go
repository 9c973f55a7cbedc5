package host

import (
	"errors"
	"fmt"
)

// ErrStopped is the error of everything after Stop.
var ErrStopped = errors.New("the host has stopped its plugins")

// InterruptedError reports that a plugin ended during a call. It is unknown whether the call took
// effect.
type InterruptedError struct {
	Plugin string
	Why    error
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("plugin %s ended during the call: %v", e.Plugin, e.Why)
}

func (e *InterruptedError) Unwrap() error { return e.Why }

// StartError reports that a plugin could not be started.
type StartError struct {
	Plugin string
	Why    error
}

func (e *StartError) Error() string { return fmt.Sprintf("start plugin %s: %v", e.Plugin, e.Why) }

func (e *StartError) Unwrap() error { return e.Why }

// CrashLoopError reports that a plugin ended so often that the host does not start it for a while.
type CrashLoopError struct {
	Plugin string
	Ends   int
	Last   error
}

func (e *CrashLoopError) Error() string {
	return fmt.Sprintf("plugin %s is in a crash loop, with %d ends in a row, the last one: %v", e.Plugin, e.Ends, e.Last)
}

func (e *CrashLoopError) Unwrap() error { return e.Last }

// DuplicateError reports that two programs serve the same name.
type DuplicateError struct {
	Kind, Name    string
	First, Second string // paths
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s %s is served by two plugins: %s and %s", e.Kind, e.Name, e.First, e.Second)
}
