package additional

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
)

// TestClosedObjectsHaveNoCovers lowers closed objects with covers in their bags. Conversions make
// covers for open objects alone, and take them out again of the bags of closed ones. A forged cover
// would come to the next closed object, but not through an open one between them.
func TestClosedObjectsHaveNoCovers(t *testing.T) {
	const cover = `{"x":{"key":"x","shown":1,"stored":{"x":2}}}`
	for _, test := range []struct{ reason, covers, want string }{
		{"a cover", cover, `{"x":1}`},
		{"no object, which is nobody's", `12`, `{"` + bag.CoveredKey + `":12,"x":1}`},
	} {
		c := closedCell{PropertyBag: bagOf(t, `{"x":1,"`+bag.CoveredKey+`":`+test.covers+`}`)}
		known := Furthers{{Name: "x", Key: "x", Kind: "i"}}
		_, named := LowerNamed(&c, known, nil)
		for name, got := range map[string]runtime.PropertyBag{"Lower": Lower(&c, known, nil), "LowerNamed": named} {
			if diff := cmp.Diff(bagOf(t, test.want), got); diff != "" {
				t.Errorf("%s: %s gives another bag (-want +got):\n%s", test.reason, name, diff)
			}
		}
		if len(c.PropertyBag) != 2 {
			t.Errorf("%s: the source has become %v", test.reason, c.PropertyBag)
		}
	}
}
