package fetch

import (
	"errors"
	"fmt"
)

// hinted adds a hint for the user to an error.
type hinted struct {
	error
	hint string
}

func (h hinted) Error() string { return h.error.Error() + "\nfetch: hint: " + h.hint }
func (h hinted) Unwrap() error { return h.error }

func hint(err error, format string, args ...any) error {
	return hinted{err, fmt.Sprintf(format, args...)}
}

// refusal is an error of the bytes that an origin sent, as opposed to an error of this machine or
// of the connection. The same bytes would be refused again, so they are not stored.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refuse(format string, args ...any) error {
	return refusal{fmt.Errorf(format, args...)}
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[refusal](err)
	return ok
}
