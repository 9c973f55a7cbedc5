package contract

import (
	"errors"
	"fmt"
)

// Step leads from an earlier version to the one whose interface is T.
type Step[T any] struct {
	versions func() ([]*Terms, error) // of the earlier version, which is the last of them
	adapt    func(native ID, c Caller) (T, error)
}

// Adapted returns a safe step: adapt makes an implementation of this version from one of an
// earlier version. adapt may wrap the implementation, but must not call it.
func Adapted[P, T any](earlier *Version[P], adapt func(P) T) Step[T] {
	return Step[T]{versions: earlier.Versions, adapt: func(native ID, c Caller) (none T, err error) {
		older, err := earlier.from(native, c)
		if err != nil {
			return none, err
		}
		return adapt(older), nil
	}}
}

// NotAdaptable returns an unsafe step. The reason follows "because" in the message for users whose
// plugin is refused.
func NotAdaptable[P, T any](earlier *Version[P], reason string) Step[T] {
	s := Step[T]{versions: earlier.Versions}
	s.adapt = func(native ID, c Caller) (none T, err error) {
		if _, err := earlier.from(native, c); err != nil {
			return none, err // from an earlier step
		}
		from, err := earlier.Terms()
		if err != nil {
			return none, err
		}
		return none, &NotAdaptableError{Native: native, From: from.ID, Reason: reason}
	}
	return s
}

// isEmpty reports whether there is no step, as in a kind's first version.
func (s Step[T]) isEmpty() bool { return s.versions == nil }

// begin returns the version from which the step leads.
func (s Step[T]) begin() (ID, error) {
	all, err := s.versions()
	if err != nil {
		return ID{}, err
	}
	return all[len(all)-1].ID, nil
}

// check checks the steps to a version: the first one begins at the version before, and every other
// one at an earlier one of the same kind. No two begin at the same.
func check[T any](steps []Step[T], to ID) error {
	var wrong []error
	begins := map[int]bool{}
	for i, s := range steps {
		from, err := s.begin()
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case i == 0 && (from.Kind != to.Kind || from.Number+1 != to.Number):
			wrong = append(wrong, fmt.Errorf("the version before it cannot be %s", from))
		case from.Kind != to.Kind || from.Number >= to.Number:
			wrong = append(wrong, fmt.Errorf("a direct step cannot begin at %s", from))
		case begins[from.Number]:
			wrong = append(wrong, fmt.Errorf("two steps begin at %s", from))
		}
		begins[from.Number] = true
	}
	return errors.Join(wrong...)
}

// choose returns the step for a plugin: the one that begins nearest to the plugin's version, at it
// or after it.
func choose[T any](steps []Step[T], native ID) (chosen Step[T], err error) {
	nearest := 0
	for _, s := range steps {
		from, err := s.begin()
		if err != nil {
			return chosen, err
		}
		if from.Number >= native.Number && (chosen.isEmpty() || from.Number < nearest) {
			chosen, nearest = s, from.Number
		}
	}
	return chosen, nil
}
