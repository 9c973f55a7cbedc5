package runtime

import (
	"errors"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/counting"
)

// Occurrence is a kind of fault that a conversion tolerates and the operator of the cluster
// should know.
type Occurrence string

const (
	// BagDropped means that a status.propertyBag could not be read. The object was converted
	// without the hidden values.
	BagDropped Occurrence = "bag dropped"
	// RawKept means that a value was of the wrong type. A property bag stores it for its own
	// version.
	RawKept Occurrence = "raw value kept"
	// AugmentationFailed means that a hand-written step failed. The generated result is used
	// without it.
	AugmentationFailed Occurrence = "augmentation failed"
)

// Event is one occurrence in one object.
type Event struct {
	What Occurrence
	// Kind is the group, version and kind of the source object.
	Kind schema.GroupVersionKind
	// Namespace and Name are those of the object, or empty if they are not known.
	Namespace, Name string
	// Path is the path of the value in the object, as in spec.phones[2].number.
	Path string
	// Step names the hand-written step.
	Step string
	// Err is the cause.
	Err error
}

// Observer receives the faults that conversions recovered from. Conversions call it from many
// goroutines at once. It must return quickly, and must not convert.
type Observer interface {
	Observe(event Event)
}

// Counter is an observer that also counts the conversions of Go objects between an API version and
// storage.
type Counter interface {
	// Count is called once for each conversion, and like Observe from many goroutines. A
	// conversion from one API version to another through the hub counts as two.
	Count(part Part)
}

// Part is the part of an object that was converted.
type Part string

// The parts.
const (
	WholeObject Part = "object"
	SpecAlone   Part = "spec"
	StatusAlone Part = "status"
)

// SetObserver sets the observer of this process. Nil, which is the default, means that there is
// none. If o is a [Counter], it also receives the counts.
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

// Report passes a fault to the observer, which a conversion or its caller recovered from.
func Report(event Event) {
	if o := observer.Load(); o != nil {
		(*o).Observe(event)
	}
}

// AugmentationError reports that a hand-written step failed. The conversion that returns it has
// filled its destination with the generated result.
type AugmentationError struct {
	// Step is the method and the type on the other side, as in AssignTo v20140404.Person.
	Step string
	// Type is the Go type of the value that the step was to complete.
	Type string
	// Object is the namespace and the name of the object, as in namespace/name.
	Object string
	// Err is the error that the step returned, or describes its panic.
	Err error
}

// Error names the step and the object.
func (e *AugmentationError) Error() string {
	return fmt.Sprintf("%s of %s on %s: %v", e.Step, e.Type, e.Object, e.Err)
}

// Unwrap returns the error of the step.
func (e *AugmentationError) Unwrap() error { return e.Err }

// IsAugmentation reports whether an error is or wraps an [AugmentationError]. The conversion that
// returned it has filled its destination.
func IsAugmentation(err error) bool {
	var failed *AugmentationError
	return errors.As(err, &failed)
}
