package conformance

import (
	"encoding/json"
	"reflect"
	"unsafe"
)

// Spoke is an API type with its conversions to the hub and back, or a type alone.
type Spoke struct {
	label            string
	apiSide, hubSide side
	up, down         func(a, h unsafe.Pointer) error
	ignored          []string
	decode           func(data []byte, into any) error
	viaJSON          bool // objects are tested after they were written and read as JSON
	retyped          retyped
}

// side is a type, and its deep copy if it has one.
type side struct {
	of   reflect.Type
	copy func(in, out unsafe.Pointer)
}

// Version returns the spoke of API type A to hub H: up fills h from a, and down fills a from h.
func Version[A, H any](label string, up, down func(a *A, h *H) error) Spoke {
	return Spoke{
		label:   label,
		apiSide: newSide[A](),
		hubSide: newSide[H](),
		up:      func(a, h unsafe.Pointer) error { return up((*A)(a), (*H)(h)) },
		down:    func(a, h unsafe.Pointer) error { return down((*A)(a), (*H)(h)) },
		decode:  json.Unmarshal,
	}
}

// Type returns a spoke without conversions. Every tenth case tests the type's JSON and its deep
// copy.
func Type[T any](label string) Spoke {
	return Spoke{label: label, apiSide: newSide[T](), decode: json.Unmarshal}
}

func newSide[T any]() side {
	s := side{of: reflect.TypeFor[T]()}
	if _, ok := any(new(T)).(copier[T]); ok {
		s.copy = func(in, out unsafe.Pointer) { any((*T)(in)).(copier[T]).DeepCopyInto((*T)(out)) }
	}
	return s
}

type copier[T any] interface{ DeepCopyInto(out *T) }

// Ignore returns the spoke with fields of its API type that conversions need not preserve, by Go
// names, as in Status.PropertyBag. They are drawn, and their JSON and copies are tested. Such a
// field must exist.
func (s Spoke) Ignore(paths ...string) Spoke {
	s.ignored = append(s.ignored[:len(s.ignored):len(s.ignored)], paths...)
	return s
}

// Decode returns the spoke with another JSON decoder than json.Unmarshal.
func (s Spoke) Decode(decode func(data []byte, into any) error) Spoke {
	s.decode = decode
	return s
}

// Subject is a resource with all its spokes.
type Subject struct {
	name   string
	spokes []Spoke
}

// Resource returns the subject with a name, as in Microsoft.Batch/batchAccounts.
func Resource(name string, spokes ...Spoke) Subject {
	return Subject{name: name, spokes: spokes}
}

// Ignore is [Spoke.Ignore] for all spokes.
func (s Subject) Ignore(paths ...string) Subject {
	return s.with(func(spoke Spoke) Spoke { return spoke.Ignore(paths...) })
}

// Decode is [Spoke.Decode] for all spokes.
func (s Subject) Decode(decode func(data []byte, into any) error) Subject {
	return s.with(func(spoke Spoke) Spoke { return spoke.Decode(decode) })
}

func (s Subject) with(change func(Spoke) Spoke) Subject {
	spokes := make([]Spoke, len(s.spokes))
	for i, spoke := range s.spokes {
		spokes[i] = change(spoke)
	}
	return Subject{name: s.name, spokes: spokes}
}
