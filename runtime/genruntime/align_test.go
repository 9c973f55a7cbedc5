package genruntime_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// edited is a list under an edit script. Owner is the index of the original element that an
// element is, or is a copy of; -1 for a new one.
type edited struct {
	parts   []fixtures.GadgetPart
	owner   []int
	touched []bool
	fresh   int64
}

func (e *edited) apply(t *rapid.T) {
	i := rapid.IntRange(0, max(0, len(e.parts)-1)).Draw(t, "at")
	switch script := rapid.SampledFrom([]string{"insert", "delete", "move", "edit", "copy"}).Draw(t, "script"); {
	case script == "insert" || len(e.parts) == 0:
		e.fresh++
		e.insert(min(i, len(e.parts)), fixtures.GadgetPart{Weight: new(e.fresh)}, -1, true)
	case script == "copy":
		e.insert(i, e.parts[i], e.owner[i], true)
	case script == "delete":
		e.remove(i)
	case script == "move":
		part, owner, touched := e.parts[i], e.owner[i], e.touched[i]
		e.remove(i)
		e.insert(rapid.IntRange(0, len(e.parts)).Draw(t, "to"), part, owner, touched)
	default:
		e.fresh++
		e.parts[i].Ratio = new(float64(e.fresh))
		e.touched[i] = true
	}
}

func (e *edited) insert(i int, part fixtures.GadgetPart, owner int, touched bool) {
	e.parts = slices.Insert(e.parts, i, part)
	e.owner = slices.Insert(e.owner, i, owner)
	e.touched = slices.Insert(e.touched, i, touched)
}

func (e *edited) remove(i int) {
	e.parts = slices.Delete(e.parts, i, i+1)
	e.owner = slices.Delete(e.owner, i, i+1)
	e.touched = slices.Delete(e.touched, i, i+1)
}

// TestHiddenValuesStayWithTheirOwners edits lists at random. A hidden value may move only to its
// owner, or to an element that looks like it. An untouched element must have its own hidden
// values, or those of its double.
func TestHiddenValuesStayWithTheirOwners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.GadgetVersion}}
		colors := rapid.SliceOfN(rapid.SampledFrom([]string{"red", "blue", "green"}), 1, 6).Draw(t, "colors")
		for i, color := range colors {
			stored.Spec.Parts = append(stored.Spec.Parts, fixtures.StoredPart{Color: new(color), PropertyBag: fixtures.BagOf("owner", fmt.Sprint(i))})
		}
		g := &fixtures.Gadget{}
		if err := g.ConvertFromStorage(stored); err != nil {
			t.Fatal(err)
		}
		e := &edited{parts: slices.Clone(g.Spec.Parts)}
		for i := range e.parts {
			e.owner, e.touched = append(e.owner, i), append(e.touched, false)
		}
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			e.apply(t)
		}
		g.Spec.Parts = e.parts
		got := &fixtures.StoredGadget{}
		if err := g.ConvertToStorage(got); err != nil {
			t.Fatal(err)
		}
		checkOwners(t, colors, e, got.Spec.Parts)
	})
}

func checkOwners(t *rapid.T, colors []string, e *edited, got []fixtures.StoredPart) {
	seen := map[string]bool{}
	for i, part := range got {
		hidden, found := part.PropertyBag["owner"]
		if !found {
			if e.owner[i] >= 0 && !e.touched[i] && !hasDouble(e, i) {
				t.Errorf("element %d was not touched, but lost what it hides: %v", i, e)
			}
			continue
		}
		if seen[string(hidden)] {
			t.Errorf("%s is at two elements", hidden)
		}
		seen[string(hidden)] = true
		var owner int
		if _, err := fmt.Sscan(string(hidden), &owner); err != nil {
			t.Fatal(err)
		}
		if e.owner[i] < 0 || colors[owner] != colors[e.owner[i]] {
			t.Errorf("element %d, which was %d, has what %d hid", i, e.owner[i], owner)
		}
	}
}

// hasDouble reports whether another element looks the same, so that it may have received this
// one's hidden values.
func hasDouble(e *edited, i int) bool {
	for j, part := range e.parts {
		if i != j && cmp.Equal(part, e.parts[i]) {
			return true
		}
	}
	return false
}
