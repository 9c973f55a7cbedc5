package codec

import (
	"bytes"
	"reflect"
	"sync"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// IsFaithful reports whether a value that was strictly decoded from data has all the information
// of data. Strict decoding has three gaps. It reads a null in a list or map as a zero value. An
// integer can be too long for a float64. A type with its own UnmarshalJSON may ignore values. If
// one of these is possible, IsFaithful writes the value and compares it.
func IsFaithful(data runtime.JSON, into any) bool {
	if !bytes.Contains(data, []byte(jsontext.Null)) && !jsontext.HasLongNumber(data) && !hasOwnDecoder(reflect.TypeOf(into)) {
		return true
	}
	again, err := jsontext.Marshal(into)
	if err != nil {
		return false
	}
	want, err := jsontext.Parse(data)
	if err != nil {
		return false
	}
	got, err := jsontext.Parse(again)
	return err == nil && jsontext.Matches(got, want)
}

// hasOwnDecoder reports whether a type, or a type within it, has its own decoder. [runtime.JSON]
// does not count, because it loses nothing.
func hasOwnDecoder(t reflect.Type) bool {
	if known, ok := ownDecoders.Load(t); ok {
		return known.(bool)
	}
	own := findOwnDecoder(t, map[reflect.Type]bool{})
	ownDecoders.Store(t, own)
	return own
}

var ownDecoders sync.Map // reflect.Type -> bool

func findOwnDecoder(t reflect.Type, visited map[reflect.Type]bool) bool {
	if visited[t] || t == reflect.TypeFor[runtime.JSON]() {
		return false
	}
	visited[t] = true
	if p := reflect.PointerTo(t); p.Implements(shape.Unmarshaler) || p.Implements(shape.TextUnmarshaler) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findOwnDecoder(t.Elem(), visited)
	case reflect.Struct:
		for i := range t.NumField() {
			if findOwnDecoder(t.Field(i).Type, visited) {
				return true
			}
		}
	}
	return false
}

// DecodeStrictly reads data, and reports whether the types have all its members and no member is
// repeated.
func DecodeStrictly(data runtime.JSON, into any) bool {
	strict, err := kjson.UnmarshalStrict(data, into)
	return err == nil && len(strict) == 0
}
