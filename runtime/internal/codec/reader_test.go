package codec

import (
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

func TestNullsThatStay(t *testing.T) {
	for of, want := range map[reflect.Type]bool{
		reflect.TypeFor[*string]():            true,
		reflect.TypeFor[[]string]():           true,
		reflect.TypeFor[map[string]string]():  true,
		reflect.TypeFor[runtime.JSON]():       true,
		reflect.TypeFor[string]():             false,
		reflect.TypeFor[int64]():              false,
		reflect.TypeFor[struct{ A string }](): false,
	} {
		if got := isNullable(shape.Of(of)); got != want {
			t.Errorf("a null in a list of %s stays one: %t", of, got)
		}
	}
}
