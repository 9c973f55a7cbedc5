package contract

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
)

// ErrNotServed says that no plugin serves a name, or not in a version.
var ErrNotServed = errors.New("not found")

// NotAdaptableError says that a plugin has only versions that must not be used instead of the newest.
type NotAdaptableError struct {
	Native   ID // the newest version that the plugin has
	From, To ID // the step that is unsafe
	Reason   string
}

func (e *NotAdaptableError) Error() string {
	return fmt.Sprintf("it has %s, and %s cannot stand in for %s, because %s", e.Native, e.From, e.To, e.Reason)
}

// SizeError says that a message is larger than may be sent.
type SizeError struct {
	What        string // request or answer
	Size, Limit int    // in bytes; a size of 0 is not known
}

func (e *SizeError) Error() string {
	if e.Size == 0 {
		return fmt.Sprintf("the %s is larger than the limit of %d bytes", e.What, e.Limit)
	}
	return fmt.Sprintf("the %s has %d bytes, more than the limit of %d", e.What, e.Size, e.Limit)
}

// PanicError says that the implementation has panicked in a call. Its process goes on.
type PanicError struct{ Message string }

func (e *PanicError) Error() string { return "the plugin panicked: " + e.Message }

// ReturnedError is an error that the implementation returned, on either side of the wire.
type ReturnedError struct {
	Message string
	Detail  proto.Message // what the version of the kind adds; nil where nothing does
}

func (e *ReturnedError) Error() string { return e.Message }

// WithDetail is an error whose detail arrives at the host with its message.
func WithDetail(message string, detail proto.Message) error {
	return &ReturnedError{Message: message, Detail: detail}
}

// Detail finds the detail of an error, if it is an M.
func Detail[M proto.Message](err error) (M, bool) {
	var returned *ReturnedError
	if errors.As(err, &returned) {
		m, ok := returned.Detail.(M)
		return m, ok
	}
	var none M
	return none, false
}
