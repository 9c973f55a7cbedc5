package genruntime

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
)

type (
	marshals   struct{ A string }
	unmarshals struct{ A string }
	asText     struct{ A string }
	untexts    struct{ A string }
	textKey    string
	untextKey  string
	twice      struct {
		embeddedOnce
		A string `json:"a"`
	}
	embeddedOnce struct {
		B string `json:"a"`
	}
	quotedNumber struct {
		N int64 `json:"n,string"`
	}
	plainNumbers struct {
		N, M int64
	}
)

func (marshals) MarshalJSON() ([]byte, error)   { return []byte("1"), nil }
func (*unmarshals) UnmarshalJSON([]byte) error  { return nil }
func (asText) MarshalText() ([]byte, error)     { return []byte("1"), nil }
func (*untexts) UnmarshalText([]byte) error     { return nil }
func (textKey) MarshalText() ([]byte, error)    { return []byte("1"), nil }
func (*untextKey) UnmarshalText(b []byte) error { return nil }

// TestForeignTypes wants types with methods of their own not to be read from JSON as what they look like.
func TestForeignTypes(t *testing.T) {
	for _, test := range []struct {
		of   reflect.Type
		want bool
	}{
		{reflect.TypeFor[unmarshals](), true},
		{reflect.TypeFor[asText](), true},
		{reflect.TypeFor[untexts](), true},
		{reflect.TypeFor[map[textKey]string](), true},
		{reflect.TypeFor[map[untextKey]string](), true},
		{reflect.TypeFor[twice](), true},
		{reflect.TypeFor[quotedNumber](), true},
		{reflect.TypeFor[plainNumbers](), false},
		{reflect.TypeFor[map[string]string](), false},
		{reflect.TypeFor[storedSpec](), false},
		{reflect.TypeFor[storedOpen](), false},
		{reflect.TypeFor[gadget](), false},
		{reflect.TypeFor[runtime.JSON](), false},
	} {
		if got := shapeOf(test.of).foreign; got != test.want {
			t.Errorf("%s is foreign: %t", test.of, got)
		}
	}
	for of, want := range map[reflect.Type]kind{
		reflect.TypeFor[marshals]():     opaqueKind,
		reflect.TypeFor[unmarshals]():   objectKind,
		reflect.TypeFor[plainNumbers](): objectKind,
		reflect.TypeFor[gadget]():       objectKind,
		reflect.TypeFor[storedOpen]():   objectKind,
		reflect.TypeFor[[]byte]():       opaqueKind,
		reflect.TypeFor[[]string]():     listKind,
		reflect.TypeFor[map[int]int]():  opaqueKind,
		reflect.TypeFor[runtime.JSON](): freeKind,
		reflect.TypeFor[json.Number]():  textKind,
	} {
		if got := shapeOf(of).kind; got != want {
			t.Errorf("%s is of the kind %v, want %v", of, got, want)
		}
	}
}
