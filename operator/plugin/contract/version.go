package contract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"google.golang.org/protobuf/proto"
)

// Definition is what the author of a version says of it.
type Definition[T any] struct {
	Service string         // the full name of the protobuf service; kind and number are read from it
	Methods []Method[T]    // all of T's
	Client  func(Caller) T // T by calls of the service
	Older   Step[T]        // how the version before is used instead; none for the first
}

// Version is a version of a kind whose Go interface is T.
type Version[T any] struct {
	definition Definition[T]
	terms      func() (*Terms, error)
}

// New makes a version. What is wrong with the definition is told by Terms, and so by whoever uses the version first.
func New[T any](d Definition[T]) *Version[T] {
	v := &Version[T]{definition: d}
	v.terms = sync.OnceValues(v.check) // not at once: descriptors are registered after variables are made
	return v
}

// Terms are what a version looks like to whoever does not know T.
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

// Handler serves a method: it has the message decoded and calls the implementation.
type Handler func(ctx context.Context, decode func(any) error) (proto.Message, error)

// Handlers binds the methods, by their names, to an implementation.
func (v *Version[T]) Handlers(impl T) map[string]Handler {
	handlers := map[string]Handler{}
	for _, m := range v.definition.Methods {
		handlers[m.name] = func(ctx context.Context, decode func(any) error) (proto.Message, error) {
			return m.handle(ctx, impl, decode)
		}
	}
	return handlers
}

// Find gives the caller of a version, or an error that is ErrNotServed.
type Find func(*Terms) (Caller, error)

// Newest gives T for a plugin: natively, or else adapted step by step from the newest version that it serves. ErrNotServed
// and NotAdaptableError are the errors of its own. Any other error of find ends the search.
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
