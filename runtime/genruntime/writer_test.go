package genruntime

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLongBuffersAreNotKept wants a writer to be given back, which clears its names, unless one of its buffers is long.
func TestLongBuffersAreNotKept(t *testing.T) {
	for _, test := range []struct {
		reason string
		w      writer
		kept   bool
	}{
		{"short buffers", writer{}, true},
		{"as long as allowed", writer{
			out: make([]byte, maxKept), numbers: make([]uint64, maxKept),
			printer: printer{elements: make([]elementNote, maxKept), leaves: make([]uint32, maxKept)},
		}, true},
		{"long text", writer{out: make([]byte, maxKept+1)}, false},
		{"many numbers", writer{numbers: make([]uint64, maxKept+1)}, false},
		{"many elements", writer{printer: printer{elements: make([]elementNote, maxKept+1)}}, false},
		{"many leaves", writer{printer: printer{leaves: make([]uint32, maxKept+1)}}, false},
	} {
		test.w.names = []string{"of an object"}
		if test.w.done(); (test.w.names[0] == "") != test.kept {
			t.Errorf("%s: the writer is kept: %t", test.reason, !test.kept)
		}
	}
}

// TestManyLists hides something in each element of many lists, changes their order, and wants each to get its own back.
func TestManyLists(t *testing.T) {
	const many = 48
	var rows [][]storedPart
	for i := range many {
		var row []storedPart
		for j := range 3 {
			row = append(row, storedPart{Color: new(fmt.Sprintf("c%d-%d", i, j)), PropertyBag: bagOf("k", fmt.Sprint(10*i+j))})
		}
		rows = append(rows, row)
	}
	g := shownOf(t, &storedGadget{Spec: &storedSpec{Rows: rows, OriginalVersion: gadgetVersion}})
	for i := range rows {
		slices.Reverse(rows[i])
		slices.Reverse(g.Spec.Rows[i])
	}
	if diff := cmp.Diff(rows, storedOf(t, g).Spec.Rows); diff != "" {
		t.Error(diff)
	}
	slices.Reverse(rows)
	slices.Reverse(g.Spec.Rows)
	if diff := cmp.Diff(rows, storedOf(t, g).Spec.Rows); diff != "" {
		t.Error(diff)
	}
}
