package contract

import "fmt"

// Step leads from the previous version to the one whose interface is T.
type Step[T any] struct {
	newest func(Find) (T, error)
	from   func() (*Terms, error)
	older  func() ([]Interface, error)
}

// Adapted returns a safe step: adapt makes an implementation of this version from one of the
// previous version. adapt may wrap, and must not call.
func Adapted[P, T any](before *Version[P], adapt func(P) T) Step[T] {
	return Step[T]{from: before.Terms, older: before.Interfaces, newest: func(find Find) (T, error) {
		older, err := before.Newest(find)
		if err != nil {
			var none T
			return none, err
		}
		return adapt(older), nil
	}}
}

// NotAdaptable returns an unsafe step. The reason follows "because" in the message for users whose
// plugin is refused.
func NotAdaptable[P, T any](before *Version[P], reason string) Step[T] {
	return Step[T]{from: before.Terms, older: before.Interfaces, newest: func(find Find) (none T, err error) {
		refused := &NotAdaptableError{Reason: reason}
		_, err = before.Newest(func(t *Terms) (Caller, error) {
			caller, err := find(t)
			if err == nil {
				refused.Native = t.ID
			}
			return caller, err
		})
		if err != nil {
			return none, err
		}
		from, err := before.Terms()
		if err != nil {
			return none, err
		}
		refused.From, refused.To = from.ID, ID{from.Kind, from.Number + 1}
		return none, refused
	}}
}

func (s Step[T]) precedes(id ID) error {
	if s.from == nil {
		return nil
	}
	from, err := s.from()
	if err != nil {
		return err
	}
	if from.Kind != id.Kind || from.Number+1 != id.Number {
		return fmt.Errorf("the version before it cannot be %s", from.ID)
	}
	return nil
}
