package fetch

import (
	"errors"
	"fmt"
)

// hinted says under a message what its reader can do about it.
type hinted struct {
	error
	hint string
}

func (h hinted) Error() string { return h.error.Error() + "\nfetch: hint: " + h.hint }
func (h hinted) Unwrap() error { return h.error }

func hint(err error, format string, args ...any) error {
	return hinted{err, fmt.Sprintf(format, args...)}
}

// refusal is an error of what an origin offered, as opposed to one of this machine
// or of the way: the same bytes would be refused again, so they are not kept.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refuse(format string, args ...any) error {
	return refusal{fmt.Errorf(format, args...)}
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[refusal](err)
	return ok
}
