package convert

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime/conformance/hostile"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// TestEnginesAgreeOnRandomGadgets converts objects that are drawn, edited and forged, by a plan and
// by Go types. Where the plan does not refuse an object, both give the same values.
func TestEnginesAgreeOnRandomGadgets(t *testing.T) {
	const rounds, seed = 1000, 1
	up, down := gadgetWays(t)
	d := hostile.New(seed, hostile.Kind{
		Group: fixtures.Group, Name: "Gadget", Hub: gadgetHub, Stored: reflect.TypeFor[fixtures.StoredGadget](),
		Versions: []string{"v20110101", "v20130303", fixtures.GadgetVersion, "v20150505", "v20190909"},
	})
	reasons := map[string]int{}
	compare := func(c *Converter, object []byte, types func([]byte) ([]byte, error)) []byte {
		want, err := types(bytes.Clone(object))
		if err != nil {
			reasons["error of types"]++
			return nil
		}
		given := bytes.Clone(object)
		got, why := c.Append(t.Context(), []byte("before"), given)
		if !bytes.Equal(given, object) {
			t.Fatal("it changes its source")
		}
		reasons[why.String()]++
		if why != Converted {
			return want
		}
		if at := d.Difference(got[len("before"):], want); at != "" {
			t.Fatalf("differs at %s:\n%s\nis by the plan\n%s\nby types\n%s", at, object, got[len("before"):], want)
		}
		return want
	}
	for i := range rounds {
		var object []byte
		if i%3 == 0 {
			object = d.Written(fixtures.GadgetVersion, reflect.TypeFor[fixtures.Gadget]())
		} else if out := compare(down, d.Stored(), gadgetDown); out != nil {
			object = d.Edited(fixtures.GadgetVersion, out)
		} else {
			continue
		}
		if out := compare(up, object, gadgetUp); out != nil {
			compare(down, out, gadgetDown)
		}
	}
	t.Log(reasons)
	if reasons[Converted.String()] < rounds/2 || len(reasons) < 10 {
		t.Errorf("%d conversions, refused for %d reasons", reasons[Converted.String()], len(reasons)-1)
	}
}
