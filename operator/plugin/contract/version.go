package contract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"google.golang.org/protobuf/proto"
)

// Definition is the definition of a version by its author.
type Definition[T any] struct {
	Service string         // the full name of the protobuf service; it contains kind and number
	Methods []Method[T]    // all of T's
	Client  func(Caller) T // makes a T that calls the service
	Older   Step[T]        // the step from the previous version; none for the first
}

// Version is a version of a kind whose Go interface is T.
type Version[T any] struct {
	definition Definition[T]
	terms      func() (*Terms, error)
}

// New makes a version. Terms reports errors of the definition, and so does the first use of the
// version.
func New[T any](d Definition[T]) *Version[T] {
	v := &Version[T]{definition: d}
	v.terms = sync.OnceValues(v.check) // called late: descriptors are registered after variables are initialized
	return v
}

// Terms returns the description of the version without T.
func (v *Version[T]) Terms() (*Terms, error) { return v.terms() }

func (v *Version[T]) check() (*Terms, error) {
	terms, err := readTerms(v.definition.Service)
	if err != nil {
		return nil, err
	}
	declared := map[string]signature{}
	for _, m := range v.definition.Methods {
		declared[m.name] = m.signature()
	}
	if err := terms.fits(reflect.TypeFor[T](), declared); err != nil {
		return nil, fmt.Errorf("version %s: %w", terms.ID, err)
	}
	if err := v.definition.Older.precedes(terms.ID); err != nil {
		return nil, fmt.Errorf("version %s: %w", terms.ID, err)
	}
	return terms, nil
}

// Handler serves a method: it decodes the message and calls the implementation.
type Handler func(ctx context.Context, decode func(any) error) (proto.Message, error)

// Handlers returns the methods, by name, bound to an implementation.
func (v *Version[T]) Handlers(impl T) map[string]Handler {
	handlers := map[string]Handler{}
	for _, m := range v.definition.Methods {
		handlers[m.name] = func(ctx context.Context, decode func(any) error) (proto.Message, error) {
			return m.handle(ctx, impl, decode)
		}
	}
	return handlers
}

// Find returns the caller of a version, or an error that is ErrNotServed.
type Find func(*Terms) (Caller, error)

// Newest returns T for a plugin: directly, or adapted step by step from the newest version that it
// serves. Its own errors are ErrNotServed and NotAdaptableError. Any other error of find ends the
// search.
func (v *Version[T]) Newest(find Find) (T, error) {
	var none T
	terms, err := v.Terms()
	if err != nil {
		return none, err
	}
	caller, err := find(terms)
	switch {
	case err == nil:
		return v.definition.Client(caller), nil
	case !errors.Is(err, ErrNotServed) || v.definition.Older.newest == nil:
		return none, err
	}
	return v.definition.Older.newest(find)
}
