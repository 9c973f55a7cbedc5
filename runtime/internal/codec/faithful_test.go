package codec

import (
	"encoding/json"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// recursive is a storage type that contains objects of its own type.
type recursive struct {
	Inner       []recursive         `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestOwnDecodersAreFound(t *testing.T) {
	for _, test := range []struct {
		reason string
		of     reflect.Type
		want   bool
	}{
		{"a scalar", reflect.TypeFor[*string](), false},
		{"a storage type, recursive and with a bag", reflect.TypeFor[**recursive](), false},
		{"free JSON", reflect.TypeFor[[]runtime.JSON](), false},
		{"one that decodes itself", reflect.TypeFor[*forgetful](), true},
		{"one in a map in a list", reflect.TypeFor[[]map[string]forgetful](), true},
		{"one in a field", reflect.TypeFor[struct{ O **forgetful }](), true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for range 2 { // the second time from memory
				if got := hasOwnDecoder(test.of); got != test.want {
					t.Errorf("found %v", got)
				}
			}
		})
	}
}

// TestFaithful decodes JSON, and checks whether IsFaithful reports a loss.
func TestFaithful(t *testing.T) {
	for _, test := range []struct {
		reason, json string
		into         any
		want         bool
	}{
		{"a null that reads as an empty text", `["a",null]`, new([]string), false},
		{"a null that stays one", `["a",null]`, new([]*string), true},
		{"a member that is null may be absent", `{"size":null}`, new(struct {
			Size *string `json:"size"`
		}), true},
		{"a text with null in it", `["null"]`, new([]string), true},
		{"an integer that a float64 does not have", `[9007199254740993]`, new([]float64), false},
		{"one that it has", `[9007199254740992]`, new([]float64), true},
		{"a fraction that it has", `[0.1000000000000000055]`, new([]float64), true},
		{"a decoder that reads a number as something else", `{"a":"1"}`, new(map[string]forgetful), false},
		{"a time", `{"a":"2026-01-02T03:04:05Z"}`, new(map[string]metav1.Time), true},
	} {
		if err := json.Unmarshal([]byte(test.json), test.into); err != nil {
			t.Fatal(err)
		}
		if got := IsFaithful(runtime.JSON(test.json), test.into); got != test.want {
			t.Errorf("%s: %s is faithful: %t, want %t", test.reason, test.json, got, test.want)
		}
	}
}

// forgetful reads any JSON, and forgets it.
type forgetful struct{}

func (*forgetful) UnmarshalJSON([]byte) error { return nil }

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		got, want string
		matches   bool
	}{
		{`{"a":1}`, `{"a":1,"b":null}`, true},
		{`{"a":1,"b":null}`, `{"a":1}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1}`, `{"b":null,"a":2}`, false},
		{`{}`, `{"a":null,"b":null,"c":null,"d":1}`, false},
		{`[1]`, `{"a":1}`, false},
		{`{}`, `[]`, false},
		{`[1,2]`, `[1]`, false},
		{`[1,3]`, `[1,2]`, false},
		{`"1"`, `1`, false},
		{`1.0`, `1`, true},
		{`1.5`, `2.5`, false},
		{`1`, `2`, false},
		{`1e999`, `2e999`, false},
		{`1e999`, `1.0`, false},
		{`1.0`, `1e999`, false},
		{`true`, `true`, true},
		{`null`, `false`, false},
	} {
		got, err := jsontext.Parse([]byte(test.got))
		want, err2 := jsontext.Parse([]byte(test.want))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if jsontext.Matches(got, want) != test.matches {
			t.Errorf("%s says %s: %t, want %t", test.got, test.want, !test.matches, test.matches)
		}
	}
}
