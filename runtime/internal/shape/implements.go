package shape

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// Rooted is an API root in whose JSON the members of the spec stand at the root, beside metadata
// and status, with no spec around them. In Go the spec is a member like that of other roots. It is
// never absent in what was read: what has no member there has an empty spec.
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
