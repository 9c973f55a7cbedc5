package runtime

import (
	"errors"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/counting"
)

// Occurrence is a kind of fault that a conversion tolerated, and that an operator should know of.
type Occurrence string

const (
	// BagDropped means that a status.propertyBag could not be read. The object was converted without
	// it.
	BagDropped Occurrence = "bag dropped"
	// RawKept means that a value was of the wrong type. It is kept in a property bag, for its own
	// version.
	RawKept Occurrence = "raw value kept"
	// AugmentationFailed means that a hand-written step failed. The generated result stands.
	AugmentationFailed Occurrence = "augmentation failed"
)

// Event is one occurrence, at one object.
type Event struct {
	What Occurrence
	// Kind is the group, version and kind of the object that was read.
	Kind schema.GroupVersionKind
	// Namespace and Name are those of the object, as far as they are known.
	Namespace, Name string
	// Path is the place in the object, as in spec.phones[2].number.
	Path string
	// Step names the hand-written step.
	Step string
	// Err is what went wrong.
	Err error
}

// Observer receives the faults that conversions recovered from. It is called by many goroutines at
// once, within conversions: it must be quick, and must not convert.
type Observer interface {
	Observe(event Event)
}

// Counter is an observer that also counts the conversions of Go objects between an API version and
// storage.
type Counter interface {
	// Count is called once for each, like Observe: an object that goes from one API version to
	// another through the hub is two.
	Count(part Part)
}

// Part is what was converted.
type Part string

// The parts.
const (
	WholeObject Part = "object"
	SpecAlone   Part = "spec"
	StatusAlone Part = "status"
)

// SetObserver makes o the observer of this process; nil, as it is at first, for none. One that is a
// [Counter] counts.
func SetObserver(o Observer) {
	if o == nil {
		observer.Store(nil)
		counting.Set(nil)
		return
	}
	observer.Store(&o)
	if c, ok := o.(Counter); ok {
		counting.Set(func(part string) { c.Count(Part(part)) })
	} else {
		counting.Set(nil)
	}
}

var observer atomic.Pointer[Observer]

// Report reports to the observer a fault that a conversion, or its caller, recovered from.
func Report(event Event) {
	if o := observer.Load(); o != nil {
		(*o).Observe(event)
	}
}

// AugmentationError reports that a hand-written step failed. The conversion that returns it has
// filled its destination with the generated result.
type AugmentationError struct {
	// Step is the method and the type at the other side, as in AssignTo v20140404.Person.
	Step string
	// Type is the Go type that has it.
	Type string
	// Object is the namespace and the name of the object.
	Object string
	// Err is what the step returned, or what it panicked with.
	Err error
}

// Error names the step and the object.
func (e *AugmentationError) Error() string {
	return fmt.Sprintf("%s of %s on %s: %v", e.Step, e.Type, e.Object, e.Err)
}

// Unwrap returns what the step returned.
func (e *AugmentationError) Unwrap() error { return e.Err }

// IsAugmentation reports whether an error is only that of a hand-written step, or of a function:
// the destination is filled.
func IsAugmentation(err error) bool {
	var failed *AugmentationError
	return errors.As(err, &failed)
}
