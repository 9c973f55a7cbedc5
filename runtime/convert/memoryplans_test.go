package convert

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/linear"
)

// goHidden is the most that a step of Go types may allocate for each byte of an object that hides
// values: a bag with one entry, or a part in a map, takes more than all of its JSON.
const goHidden = 32

// nestedHidden is the most for lists within lists, whose bags are five times as long as they are.
const nestedHidden = 56

func isNested(name string) bool { return strings.HasPrefix(name, "hidden below lists in lists") }

// convertible are specs of gadgets that plans convert, whose length is in proportion to n.
var convertible = []struct {
	name string
	spec func(n int) string
}{
	{"a text", func(n int) string { return `{"size":"` + strings.Repeat("x", n) + `"}` }},
	{"a text of escapes", func(n int) string { return `{"size":"` + strings.Repeat(`\"`, n) + `"}` }},
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
// result. It first discards the buffers of earlier conversions.
func converts(t *testing.T, c *Converter, object []byte, limit float64) (out []byte, ok bool) {
	t.Helper()
	out = make([]byte, 0, 2*len(object))
	goruntime.GC()
	goruntime.GC() // the pools keep buffers for two collections
	got := allocated(object, func() { out, ok = tryAppend(c, out, object) })
	if got > limit {
		t.Errorf("the plan takes %.1f bytes for each of %d, at most %.0f wanted", got, len(object), limit)
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
			stored, ok := converts(t, up, []byte(gadgetHead+`,"spec":`+spec+`}`), lean)
			if !ok {
				t.Fatal("the plan refuses the object of the API")
			}
			if _, ok := converts(t, down, stored, lean); !ok {
				t.Error("the plan refuses the object of the hub")
			}
		})
	}
	for _, test := range growing { // most are refused, sooner or later
		t.Run(test.name, func(t *testing.T) {
			spec := test.spec(numberFor(test.name, test.spec))
			converts(t, up, []byte(gadgetHead+`,"spec":`+spec+`}`), lean)
			converts(t, down, []byte(gadgetHubHead+`,"spec":`+spec+`}`), lean)
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
			limit := float64(lean)
			if isNested(test.name) {
				limit = nestedHidden
			}
			shown, ok := converts(t, down, []byte(gadgetHubHead+`,"spec":`+spec+`}`), limit)
			if !ok {
				t.Log("the plan refuses it")
				return
			}
			if _, ok := converts(t, up, shown, lean); ok {
				converted++
			}
		})
	}
	if converted < 5 {
		t.Errorf("plans convert only %d shapes and back", converted)
	}
}

// TestMemoryOfWhatIsHidden checks the memory that each step of a conversion by Go types allocates
// with hidden values, also after an edit.
func TestMemoryOfWhatIsHidden(t *testing.T) {
	for _, test := range growingHidden {
		t.Run(test.name, func(t *testing.T) {
			data := []byte(`{` + storageHead + `,"spec":` + test.spec(numberFor(test.name, test.spec)) + `}`)
			stored, again := new(fixtures.StoredGadget), new(fixtures.StoredGadget)
			shown, g := new(fixtures.Gadget), new(fixtures.Gadget)
			var encoded []byte
			limit := float64(goHidden)
			if isNested(test.name) {
				limit = nestedHidden
			}
			for _, step := range []struct {
				name string
				work func() error
			}{
				{"decode storage", func() error { return Decode(data, stored) }},
				{"convert down", func() error { shown = fixtures.ShownOf(t, stored); return nil }},
				{"encode", func() (err error) { encoded, err = Encode(shown); return err }},
				{"decode", func() error { return Decode(encoded, g) }},
				{"convert up", func() error { again = fixtures.StoredOf(t, g); return nil }},
				{"encode storage", func() error { _, err := Encode(again); return err }},
				{"convert up after an edit", func() error {
					if len(g.Spec.Parts) > 0 {
						g.Spec.Parts = g.Spec.Parts[1:]
					}
					g.Spec.Size = new("edited")
					fixtures.StoredOf(t, g)
					return nil
				}},
			} {
				var err error
				if got := allocated(data, func() { err = step.work() }); err != nil || got > limit {
					t.Fatalf("%s takes %.1f bytes for each of %d, at most %.0f wanted (%v)", step.name, got, len(data), limit, err)
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
