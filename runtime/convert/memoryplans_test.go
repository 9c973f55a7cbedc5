package convert

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/linear"
)

// inMaps is the most that a step of Go types may allocate for each byte of values of maps that hide
// values: the map of a bag with one entry takes more than all of its JSON, and so do an entry of
// the map around it and its copies.
const inMaps = 24

// goHidden is the most that a step of Go types may allocate for each byte of an object that hides
// values.
func goHidden(name string) float64 {
	if name == "hidden in every value of a map" || name == "hidden in additional members" {
		return inMaps
	}
	return lean
}

// longest returns the text by whose length all allocations of a conversion are bounded. That is the
// object, except for lists within lists, whose hidden values are up to four times as long. The
// memory in use is bounded by the object, see TestHeapOfPlans.
func longest(name string, object, result []byte) []byte {
	if strings.HasPrefix(name, "hidden below lists in lists") && len(result) > len(object) {
		return result
	}
	return object
}

// convertible are specs of gadgets that plans convert.
var convertible = []growingSpec{
	{"a text", func(n int) string { return `{"size":"` + strings.Repeat("x", n) + `"}` }},
	{"a text of escapes", func(n int) string { return `{"size":"` + strings.Repeat(`\"`, n) + `"}` }},
	{"a text of angle brackets", func(n int) string { return `{"size":"` + strings.Repeat(`<`, n) + `"}` }},
	{"texts", func(n int) string {
		return `{"lines":[` + linear.Members(n, func(int) string { return `"a"` }) + `]}`
	}},
	{"a map of texts", func(n int) string {
		return `{"tags":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"t%d":""`, i) }) + `}}`
	}},
	{"empty objects", func(n int) string {
		return `{"parts":[` + linear.Members(n, func(int) string { return `{}` }) + `]}`
	}},
	{"lists of empty objects", func(n int) string {
		return `{"rows":[` + linear.Members(n, func(int) string { return `[{},{}]` }) + `]}`
	}},
	{"empty objects in a map", func(n int) string {
		return `{"spares":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"s%d":{}`, i) }) + `}}`
	}},
	{"additional members", func(n int) string {
		return `{"open":{` + linear.Members(n, func(i int) string { return fmt.Sprintf(`"m%d":{}`, i) }) + `}}`
	}},
	{"free JSON", func(n int) string {
		return `{"free":[` + linear.Members(n, func(int) string { return `{"":[1.5]}` }) + `]}`
	}},
	{"objects in objects", func(n int) string {
		return `{"main":` + strings.Repeat(`{"inner":`, n/4) + `{}` + strings.Repeat(`}`, n/4) + `}`
	}},
	{"lists in lists", func(n int) string {
		return `{"parts":[` + strings.Repeat(`{"parts":[`, n/8) + strings.Repeat(`]}`, n/8) + `]}`
	}},
}

// numberFor returns how many members a spec of some 256 KiB has.
func numberFor(name string, spec func(n int) string) int {
	const size = 1 << 18
	switch {
	case strings.Contains(name, "in objects"), strings.Contains(name, "in lists"), name == "nested objects":
		return 30000 // JSON is nested no deeper than 10000
	default:
		return 1000 * size / len(spec(1000))
	}
}

// converts converts an object by a plan, and checks the memory that the plan allocates beside the
// result, for each byte of the text that longest returns. It first discards the buffers of earlier
// conversions.
func converts(t *testing.T, c *Converter, name string, object []byte) (out []byte, ok bool) {
	t.Helper()
	out = make([]byte, 0, 2*len(object))
	goruntime.GC()
	goruntime.GC() // the pools keep buffers for two collections
	total := allocated(object, func() { out, ok = tryAppend(c, out, object) }) * float64(len(object))
	if all := float64(len(longest(name, object, out))); total > lean*all {
		t.Errorf("the plan takes %.1f bytes for each of %.0f, at most %d wanted", total/all, all, lean)
	}
	return out, ok
}

// TestMemoryOfPlans checks the memory that plans allocate in both directions, without hidden
// values.
func TestMemoryOfPlans(t *testing.T) {
	up, down := gadgetWays(t)
	for _, test := range convertible {
		t.Run(test.name, func(t *testing.T) {
			spec := test.spec(numberFor(test.name, test.spec))
			stored, ok := converts(t, up, test.name, []byte(gadgetHead+`,"spec":`+spec+`}`))
			if !ok {
				t.Fatal("the plan refuses the object of the API")
			}
			if _, ok := converts(t, down, test.name, stored); !ok {
				t.Error("the plan refuses the object of the hub")
			}
		})
	}
	for _, test := range growing { // most are refused, sooner or later
		t.Run(test.name, func(t *testing.T) {
			spec := test.spec(numberFor(test.name, test.spec))
			converts(t, up, test.name, []byte(gadgetHead+`,"spec":`+spec+`}`))
			converts(t, down, test.name, []byte(gadgetHubHead+`,"spec":`+spec+`}`))
		})
	}
}

// TestMemoryOfPlansThatHide checks the memory that plans allocate to hide and to restore values.
func TestMemoryOfPlansThatHide(t *testing.T) {
	up, down := gadgetWays(t)
	converted := 0
	for _, test := range growingHidden {
		t.Run(test.name, func(t *testing.T) {
			spec := test.spec(numberFor(test.name, test.spec))
			visible, ok := converts(t, down, test.name, []byte(gadgetHubHead+`,"spec":`+spec+`}`))
			if !ok {
				t.Log("the plan refuses it")
				return
			}
			if _, ok := converts(t, up, test.name, visible); ok {
				converted++
			}
		})
	}
	if converted < 5 {
		t.Errorf("plans convert only %d shapes and back", converted)
	}
}

// TestMemoryOfHiddenValues checks the memory that each step of a conversion by Go types allocates
// with hidden values, also after an edit, for each byte of what the step converts.
func TestMemoryOfHiddenValues(t *testing.T) {
	for _, test := range growingHidden {
		t.Run(test.name, func(t *testing.T) {
			data := []byte(`{` + storageHead + `,"spec":` + test.spec(numberFor(test.name, test.spec)) + `}`)
			stored, again := new(fixtures.StoredGadget), new(fixtures.StoredGadget)
			visible, g := new(fixtures.Gadget), new(fixtures.Gadget)
			var encoded []byte
			goruntime.GC()
			goruntime.GC() // the pools keep buffers for two collections
			for _, step := range []struct {
				name string
				of   *[]byte
				work func() error
			}{
				{"decode storage", &data, func() error { return Decode(data, stored) }},
				{"convert down", &data, func() error { visible = fixtures.APIOf(t, stored); return nil }},
				{"encode", &data, func() (err error) { encoded, err = Encode(visible); return err }},
				{"decode", &encoded, func() error { return Decode(encoded, g) }},
				{"convert up", &encoded, func() error { again = fixtures.StoredOf(t, g); return nil }},
				{"encode storage", &encoded, func() error { _, err := Encode(again); return err }},
				{"convert up after an edit", &encoded, func() error {
					if len(g.Spec.Parts) > 0 {
						g.Spec.Parts = g.Spec.Parts[1:]
					}
					g.Spec.Size = new("edited")
					fixtures.StoredOf(t, g)
					return nil
				}},
			} {
				var err error
				total := allocated(data, func() { err = step.work() }) * float64(len(data))
				all, limit := float64(len(*step.of)), goHidden(test.name)
				if step.name == "convert down" {
					all = float64(len(longest(test.name, data, []byte(*visible.StatusBag()))))
				}
				if err != nil || total > limit*all {
					t.Errorf("%s takes %.1f bytes for each of %.0f, at most %.0f wanted (%v)", step.name, total/all, all, limit, err)
				}
			}
		})
	}
}

// TestMemoryInUse checks the memory in use at the end of a conversion by Go types, when its
// source, its result and both texts still exist.
func TestMemoryInUse(t *testing.T) {
	inUse := func() float64 {
		goruntime.GC()
		goruntime.GC()
		return float64(heapInUse())
	}
	for _, test := range growing {
		t.Run(test.name, func(t *testing.T) {
			text := `{` + apiHead + `,"spec":` + test.spec(numberFor(test.name, test.spec)) + `}`
			before := inUse()
			data := []byte(text)
			var g fixtures.Gadget
			if err := Decode(data, &g); err != nil {
				t.Fatal(err)
			}
			stored := fixtures.StoredOf(t, &g)
			encoded, err := Encode(stored)
			if err != nil {
				t.Fatal(err)
			}
			got := (inUse() - before) / float64(len(data))
			goruntime.KeepAlive([]any{&text, &data, &g, &stored, &encoded})
			limit := float64(lean)
			if heavy[test.name] {
				limit = typed
			}
			if got > limit {
				t.Errorf("%.1f bytes are in use for each of %d, at most %.0f wanted", got, len(data), limit)
			}
		})
	}
}
