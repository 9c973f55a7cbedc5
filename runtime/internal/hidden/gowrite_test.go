package hidden

import (
	"testing"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// TestLongBuffersAreNotKept checks that a writer returns to the pool without data of the object,
// unless one of its buffers is long.
func TestLongBuffersAreNotKept(t *testing.T) {
	for _, test := range []struct {
		reason string
		change func(w *GoWriter)
		kept   bool
	}{
		{"short buffers", func(*GoWriter) {}, true},
		{"as long as allowed", func(w *GoWriter) {
			w.out, w.numbers = make([]byte, maxKept), make([]uint64, maxKept)
			w.printer.elements, w.printer.leaves = make([]elementPrint, maxKept), make([]uint32, maxKept)
		}, true},
		{"long text", func(w *GoWriter) { w.out = make([]byte, maxKept+1) }, false},
		{"many numbers", func(w *GoWriter) { w.numbers = make([]uint64, maxKept+1) }, false},
		{"many elements", func(w *GoWriter) { w.writer.elements = make([]goNode, maxKept+1) }, false},
		{"many fingerprints", func(w *GoWriter) { w.printer.elements = make([]elementPrint, maxKept+1) }, false},
		{"many leaves", func(w *GoWriter) { w.printer.leaves = make([]uint32, maxKept+1) }, false},
	} {
		w := new(GoWriter)
		w.from = &w.goValues
		test.change(w)
		entries := []jsontext.Member{{Name: "of an object"}}
		w.parts.entries = entries
		if w.Done(); (entries[0].Name == "") != test.kept {
			t.Errorf("%s: the writer is kept: %t", test.reason, !test.kept)
		}
	}
}
