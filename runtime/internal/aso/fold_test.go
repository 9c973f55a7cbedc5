package aso_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime/internal/aso"
	"github.com/stratakube/strata/runtime/internal/linear"
)

func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aAkK\u212asS\u017fßẞıIiİσςΣ\ufffd-1")), 0, 3, -1)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if same := aso.Fold(a) == aso.Fold(b); same != strings.EqualFold(a, b) {
			t.Errorf("%q and %q fold to %q and %q", a, b, aso.Fold(a), aso.Fold(b))
		}
	})
	if a, b := aso.Fold("a\xff"), aso.Fold("A\xfe"); a != b || !strings.EqualFold("a\xff", "A\xfe") {
		t.Errorf("bytes that are not UTF-8 fold to %q and %q", a, b)
	}
}

// TestFieldsOfEntriesAreFoundByName reads objects whose type has as many fields as they have
// entries without a property.
func TestFieldsOfEntriesAreFoundByName(t *testing.T) {
	types := map[int]reflect.Type{}
	typeOf := func(n int) reflect.Type {
		if types[n] == nil {
			fields := make([]reflect.StructField, n)
			for i := range fields {
				fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[*string](), Tag: reflect.StructTag(fmt.Sprintf(`json:"f%d,omitzero"`, i))}
			}
			spec := reflect.StructOf(fields)
			types[n] = reflect.StructOf([]reflect.StructField{{Name: "Spec", Type: spec, Tag: `json:"spec,omitzero"`}})
		}
		return types[n]
	}
	linear.Check(t, func(n int) {
		r := aso.Reader{Group: "example.com", Version: "v1storage", API: "v1", Hub: "hub", Types: map[string]reflect.Type{"v1": typeOf(n)}}
		object := `{"spec":{"$propertyBag":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"g%d":"x"`, i) }) + `}}}`
		if _, err := r.Read(t.Context(), []byte(object), func(_ context.Context, _, _ string, object []byte) ([]byte, error) { return object, nil }); err != nil {
			t.Fatal(err)
		}
	}, 4000)
}
