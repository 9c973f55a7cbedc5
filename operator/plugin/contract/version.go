package contract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Definition is the definition of a version by its author.
type Definition[T any] struct {
	Service string         // the full name of the protobuf service; it contains kind and number
	Domain  string         // the domain of plugins whose names have none, such as example.com; may be empty
	Methods []Method[T]    // all methods of T
	Client  func(Caller) T // makes a T that calls the service
	// Steps lead to this version: first from the one before, then directly from versions before
	// that. The first version of a kind has none.
	Steps []Step[T]
}

// Version is a version of a kind whose Go interface is T.
type Version[T any] struct {
	definition Definition[T]
	terms      func() (*Terms, error)
}

// New makes a version. Terms reports errors of the definition, and so does the first use of the
// version.
func New[T any](d Definition[T]) *Version[T] {
	d.Steps = slices.DeleteFunc(slices.Clone(d.Steps), Step[T].isEmpty)
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
	terms.Domain = v.definition.Domain
	declared := map[string]signature{}
	for _, m := range v.definition.Methods {
		declared[m.name] = m.signature()
	}
	_, wrongDomain := Name("name", terms.Domain)
	if terms.Domain == "" {
		wrongDomain = nil
	}
	wrong := errors.Join(terms.fits(reflect.TypeFor[T](), declared), check(v.definition.Steps, terms.ID), wrongDomain)
	if wrong != nil {
		return nil, fmt.Errorf("version %s: %w", terms.ID, wrong)
	}
	return terms, nil
}

// Handler serves a method: it decodes the request, calls the implementation, and sends what that
// returns. A method that does not stream sends one message.
type Handler func(ctx context.Context, decode func(any) error, send Send) error

// Handlers returns the methods, by name, bound to an implementation.
func (v *Version[T]) Handlers(impl T) map[string]Handler {
	handlers := map[string]Handler{}
	for _, m := range v.definition.Methods {
		handlers[m.name] = func(ctx context.Context, decode func(any) error, send Send) error {
			return m.handle(ctx, impl, decode, send)
		}
	}
	return handlers
}

// Versions returns the versions of the kind, from the first to this one.
func (v *Version[T]) Versions() ([]*Terms, error) {
	terms, err := v.Terms()
	if err != nil || len(v.definition.Steps) == 0 {
		return []*Terms{terms}, err
	}
	earlier, err := v.definition.Steps[0].versions()
	return append(earlier, terms), err
}

// Find returns the caller of a version, or an error that is ErrNotServed.
type Find func(*Terms) (Caller, error)

// Newest returns T for a plugin, made from the newest version that it serves. T is the client
// itself, or the result of the steps from that version. The own errors of Newest are ErrNotServed
// and NotAdaptableError. Any other error of find ends the search.
func (v *Version[T]) Newest(find Find) (none T, err error) {
	all, err := v.Versions()
	if err != nil {
		return none, err
	}
	for _, terms := range slices.Backward(all) {
		caller, err := find(terms)
		switch {
		case err == nil:
			return v.from(terms.ID, caller)
		case !errors.Is(err, ErrNotServed):
			return none, err
		}
	}
	return none, ErrNotServed
}

// from returns T for a plugin of a version, by the steps from that version to this one.
func (v *Version[T]) from(native ID, c Caller) (none T, err error) {
	terms, err := v.Terms()
	if err != nil {
		return none, err
	}
	if native == terms.ID {
		return v.definition.Client(c), nil
	}
	step, err := choose(v.definition.Steps, native)
	if err != nil {
		return none, err
	}
	made, err := step.adapt(native, c)
	var refused *NotAdaptableError
	if errors.As(err, &refused) && refused.To == (ID{}) {
		refused.To = terms.ID
	}
	return made, err
}
