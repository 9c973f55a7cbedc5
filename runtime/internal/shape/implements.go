package shape

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// Rooted is an API root whose JSON has the members of the spec at the root, beside metadata and
// status, and no member spec. In Go, the spec is a member as in other roots. After reading it is
// never nil: without members it is empty.
type Rooted interface {
	// SpecAtRoot marks the type.
	SpecAtRoot()
}

// RootedType is the type of the interface Rooted.
var RootedType = reflect.TypeFor[Rooted]()

var (
	// Unmarshaler is the type of the interface json.Unmarshaler.
	Unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	// TextUnmarshaler is the type of the interface encoding.TextUnmarshaler.
	TextUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

var textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()

var marshaler = reflect.TypeFor[json.Marshaler]()
