package hidden_test

import (
	"encoding/json"
	"math"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestTypedAndFreeFingerprints requires that a value has one fingerprint, whether its type is known
// or not.
func TestTypedAndFreeFingerprints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := fixtures.DrawPart(t, 2)
		part.Weight = rapid.Ptr(rapid.Int64(), true).Draw(t, "any weight")
		part.Ratio = rapid.Ptr(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{1 << 53, 1 << 60, 1e21, 1e300, math.Copysign(0, -1), 5e-324, math.MaxFloat64})), true).Draw(t, "any ratio")
		part.Color = rapid.Ptr(rapid.String(), true).Draw(t, "any color")
		typed := visible(shape.Of(shape.Pointee(&part, 1)), unsafe.Pointer(&part))
		bare := part
		strip(&bare)
		data, err := json.Marshal(bare)
		if err != nil {
			t.Fatal(err)
		}
		if free := fingerprint.OfJSON(data); free != typed {
			t.Fatalf("%s: %x and %x", data, typed, free)
		}
	})
}

// visible is the fingerprint of an object.
func visible(s *shape.Shape, p unsafe.Pointer) uint64 {
	w := hidden.NewGoWriter(nil)
	defer w.Done()
	return w.Visible(s, p, nil, nil)
}

// strip takes the bags away.
func strip(p *fixtures.StoredPart) {
	p.PropertyBag = nil
	if p.Inner != nil {
		inner := *p.Inner
		strip(&inner)
		p.Inner = &inner
	}
	parts := p.Parts
	if parts != nil {
		p.Parts = make([]fixtures.StoredPart, len(parts))
	}
	for i, part := range parts {
		strip(&part)
		p.Parts[i] = part
	}
}

func TestDefaultsDoNotCount(t *testing.T) {
	type spec struct {
		On    *bool   `json:"on,omitzero" default:"true"`
		Size  *int64  `json:"size,omitzero" default:"3"`
		Note  *string `json:"note,omitzero" default:"\"\""`
		Other *bool   `json:"other,omitzero"`
	}
	print := func(s spec) uint64 {
		return visible(shape.Of(shape.Pointee(&s, 1)), unsafe.Pointer(&s))
	}
	none := print(spec{})
	for _, test := range []struct {
		reason string
		spec   spec
		same   bool
	}{
		{"the default", spec{On: new(true), Size: new(int64(3)), Note: new("")}, true},
		{"zero where none is known", spec{Other: new(false)}, true},
		{"zero where another default is known", spec{On: new(false)}, false},
		{"another value", spec{Size: new(int64(4))}, false},
	} {
		if same := print(test.spec) == none; same != test.same {
			t.Errorf("%s: the same as nothing: %v", test.reason, same)
		}
	}
}
