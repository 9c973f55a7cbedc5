package shape_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/shape"
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

// TestForeignTypes checks that types with their own JSON methods are foreign, whatever their Go
// kind is.
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
		{reflect.TypeFor[fixtures.StoredSpec](), false},
		{reflect.TypeFor[fixtures.StoredOpen](), false},
		{reflect.TypeFor[fixtures.Gadget](), false},
		{reflect.TypeFor[runtime.JSON](), false},
	} {
		if got := shape.Of(test.of).Foreign; got != test.want {
			t.Errorf("%s is foreign: %t", test.of, got)
		}
	}
	for of, want := range map[reflect.Type]shape.Kind{
		reflect.TypeFor[marshals]():            shape.Opaque,
		reflect.TypeFor[unmarshals]():          shape.Object,
		reflect.TypeFor[plainNumbers]():        shape.Object,
		reflect.TypeFor[fixtures.Gadget]():     shape.Object,
		reflect.TypeFor[fixtures.StoredOpen](): shape.Object,
		reflect.TypeFor[[]byte]():              shape.Opaque,
		reflect.TypeFor[[]string]():            shape.List,
		reflect.TypeFor[map[int]int]():         shape.Opaque,
		reflect.TypeFor[runtime.JSON]():        shape.JSON,
		reflect.TypeFor[json.Number]():         shape.Text,
	} {
		if got := shape.Of(of).Kind; got != want {
			t.Errorf("%s is of the kind %v, want %v", of, got, want)
		}
	}
}
