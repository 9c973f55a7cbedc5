package hidden

import "testing"

// TestLongBuffersAreNotKept wants a writer to be given back, which clears its names, unless one of
// its buffers is long.
func TestLongBuffersAreNotKept(t *testing.T) {
	for _, test := range []struct {
		reason string
		w      Writer
		kept   bool
	}{
		{"short buffers", Writer{}, true},
		{"as long as allowed", Writer{
			Out: make([]byte, maxKept), numbers: make([]uint64, maxKept),
			Printer: Printer{elements: make([]elementNote, maxKept), leaves: make([]uint32, maxKept)},
		}, true},
		{"long text", Writer{Out: make([]byte, maxKept+1)}, false},
		{"many numbers", Writer{numbers: make([]uint64, maxKept+1)}, false},
		{"many elements", Writer{Printer: Printer{elements: make([]elementNote, maxKept+1)}}, false},
		{"many leaves", Writer{Printer: Printer{leaves: make([]uint32, maxKept+1)}}, false},
	} {
		test.w.names = []string{"of an object"}
		if test.w.Done(); (test.w.names[0] == "") != test.kept {
			t.Errorf("%s: the writer is kept: %t", test.reason, !test.kept)
		}
	}
}
