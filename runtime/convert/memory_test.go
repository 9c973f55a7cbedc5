package convert

import (
	goruntime "runtime"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// The memory per byte of an object. It counts all allocations, which is more than the memory in
// use at any time.
const (
	// lean is the bound for a step in which Go values do not represent most of the object.
	lean = 16
	// typed is the most where Go values do: an empty object of two bytes and a comma takes as much
	// as its struct.
	typed = 48
)

// heavy are the specs most of whose bytes become Go values: structs of 72 and 80 bytes, and entries
// of maps.
var heavy = map[string]bool{
	"nested objects": true, "additional members beside a null": true, "every other element is wrong": true, "wrong elements below a long key": true, "lists of lists": true,
}

// allocated is how many bytes work allocates for each byte of an object.
func allocated(object []byte, work func()) float64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	work()
	goruntime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(len(object))
}

func TestMemoryIsBounded(t *testing.T) {
	for _, test := range growing {
		t.Run(test.name, func(t *testing.T) {
			const size = 1 << 18
			n := 1000 * size / len(test.spec(1000))
			if test.name == "nested objects" {
				n = 30000 // JSON is nested no deeper than 10000
			}
			data := []byte(`{` + apiHead + `,"spec":` + test.spec(n) + `}`)
			limit := float64(lean)
			if heavy[test.name] {
				limit = typed
			}
			var g, visible *fixtures.Gadget = new(fixtures.Gadget), nil
			var stored *fixtures.StoredGadget
			var encoded []byte
			for _, step := range []struct {
				name string
				work func() error
			}{
				{"decode", func() error { return Decode(data, g) }},
				{"convert up", func() error { stored = fixtures.StoredOf(t, g); return nil }},
				{"encode storage", func() (err error) { encoded, err = Encode(stored); return err }},
				{"decode storage", func() error { return Decode(encoded, new(fixtures.StoredGadget)) }},
				{"convert down", func() error { visible = fixtures.APIOf(t, stored); return nil }},
				{"encode", func() error { _, err := Encode(visible); return err }},
			} {
				var err error
				if got := allocated(data, func() { err = step.work() }); err != nil || got > limit {
					t.Errorf("%s takes %.1f bytes for each of %d, at most %.0f wanted (%v)", step.name, got, len(data), limit, err)
				}
			}
		})
	}
}
