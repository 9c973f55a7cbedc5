package genruntime

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// isFaithful reports whether a value that was strictly decoded from data still says everything that data says.
// Strict decoding leaves three gaps: a null in a list or map reads as a zero value, an integer can be too long for
// a float64, and a type with an UnmarshalJSON of its own is not held to strictness. Where one of them is possible,
// the value is written again and compared.
func isFaithful(data runtime.JSON, into any) bool {
	if !bytes.Contains(data, []byte(jsontext.Null)) && !hasLongNumber(data) && !hasOwnDecoder(reflect.TypeOf(into)) {
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
	return err == nil && says(got, want)
}

// hasLongNumber reports whether data has more digits in a row than every float64 can hold.
func hasLongNumber(data runtime.JSON) bool {
	const safe = 15
	run := 0
	for _, c := range data {
		if c < '0' || c > '9' {
			run = 0
			continue
		}
		if run++; run > safe {
			return true
		}
	}
	return false
}

// says reports whether got is the same JSON value as want, where a member of want that is null may be absent.
func says(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		return ok && saysMembers(got, want)
	case []any:
		got, ok := got.([]any)
		return ok && saysElements(got, want)
	case json.Number:
		got, ok := got.(json.Number)
		return ok && jsontext.IsSameNumber(string(got), string(want))
	default:
		return got == want
	}
}

func saysMembers(got, want map[string]any) bool {
	for name, value := range want {
		member, found := got[name]
		if !found && value == nil {
			continue
		}
		if !found || !says(member, value) {
			return false
		}
	}
	for name := range got {
		if _, found := want[name]; !found {
			return false
		}
	}
	return true
}

func saysElements(got, want []any) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		if !says(got[i], want[i]) {
			return false
		}
	}
	return true
}

// hasOwnDecoder reports whether a type, or one that it holds, decodes itself. JSON does, but loses nothing.
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
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textUnmarshaler) {
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

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)
