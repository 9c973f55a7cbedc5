package genruntime

import (
	"errors"
	"fmt"

	"github.com/stratakube/strata/runtime"
)

// guarded calls f. It returns a panic as an error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicError{r}
		}
	}()
	return f()
}

// panicError is the error of a step that panicked.
type panicError struct{ reason any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.reason) }

// misuseError is the error of a step that changes what no step may change.
type misuseError struct{ text string }

func (e *misuseError) Error() string { return e.text }

// IsRefusal reports whether an error is or wraps a [runtime.AugmentationError] of a step that
// returned an error. It is false for a step that panicked, or that changed what no step may change.
// Conversions treat all alike. Tests tolerate only steps that refuse a value.
func IsRefusal(err error) bool {
	var failed *runtime.AugmentationError
	return errors.As(err, &failed) && !errors.As(err, new(*panicError)) && !errors.As(err, new(*misuseError))
}
