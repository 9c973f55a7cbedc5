package contract

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
)

// ErrNotServed reports that no plugin serves a name, or not in a version.
var ErrNotServed = errors.New("not found")

// NotAdaptableError reports that all versions of a plugin are older than a version that must not be
// adapted.
type NotAdaptableError struct {
	Native   ID // the newest version of the plugin
	From, To ID // the step that is unsafe
	Reason   string
}

func (e *NotAdaptableError) Error() string {
	return fmt.Sprintf("it has %s, and %s cannot stand in for %s, because %s", e.Native, e.From, e.To, e.Reason)
}

// SizeError reports that a message is larger than allowed.
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

// PanicError reports that the implementation panicked in a call. Its process continues.
type PanicError struct{ Message string }

func (e *PanicError) Error() string { return "the plugin panicked: " + e.Message }

// ReturnedError is an error that the implementation returned, on either side of the wire.
type ReturnedError struct {
	Message string
	Detail  proto.Message // the version's detail; nil if there is none
}

func (e *ReturnedError) Error() string { return e.Message }

// WithDetail returns an error whose detail is sent to the host with its message.
func WithDetail(message string, detail proto.Message) error {
	return &ReturnedError{Message: message, Detail: detail}
}

// Detail returns the detail of an error, if it is an M.
func Detail[M proto.Message](err error) (M, bool) {
	var returned *ReturnedError
	if errors.As(err, &returned) {
		m, ok := returned.Detail.(M)
		return m, ok
	}
	var none M
	return none, false
}
