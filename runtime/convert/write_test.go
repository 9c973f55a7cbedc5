package convert

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestFloatsAreWrittenAsByStandardLibrary compares at the borders of the two forms of a number.
func TestFloatsAreWrittenAsByStandardLibrary(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1e-6, 9.99e-7, 1e-7, -1e-7, 1.5e-10, 1e-100, 1e20, 1e21, -1e21, 1.5e22, 1e100, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		want, err := json.Marshal(map[string]any{"ratio": f})
		if err != nil {
			t.Fatal(err)
		}
		w := codec.Writer{}
		if out, err := w.Root(shape.Of(reflect.TypeFor[fixtures.StoredPart]()), shape.Address(&fixtures.StoredPart{Ratio: &f}), nil); err != nil || string(out) != string(want) {
			t.Errorf("%s is written %s (%v), want %s", strconv.FormatFloat(f, 'g', -1, 64), out, err, want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if out, err := Encode(&fixtures.StoredGadget{Spec: &fixtures.StoredSpec{Main: &fixtures.StoredPart{Ratio: &f}}}); err == nil {
			t.Errorf("%v is written %s", f, out)
		}
	}
}
