package hidden_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// TestManyLists hides something in each element of many lists, changes their order, and wants each
// to get its own back.
func TestManyLists(t *testing.T) {
	const many = 48
	var rows [][]fixtures.StoredPart
	for i := range many {
		var row []fixtures.StoredPart
		for j := range 3 {
			row = append(row, fixtures.StoredPart{Color: new(fmt.Sprintf("c%d-%d", i, j)), PropertyBag: fixtures.BagOf("k", fmt.Sprint(10*i+j))})
		}
		rows = append(rows, row)
	}
	g := fixtures.APIOf(t, &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{Rows: rows, OriginalVersion: fixtures.GadgetVersion}})
	for i := range rows {
		slices.Reverse(rows[i])
		slices.Reverse(g.Spec.Rows[i])
	}
	if diff := cmp.Diff(rows, fixtures.StoredOf(t, g).Spec.Rows); diff != "" {
		t.Error(diff)
	}
	slices.Reverse(rows)
	slices.Reverse(g.Spec.Rows)
	if diff := cmp.Diff(rows, fixtures.StoredOf(t, g).Spec.Rows); diff != "" {
		t.Error(diff)
	}
}
