package genruntime_test

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// shelf is a resource in two versions that have the same properties. A step shows the label of the
// newer one in capitals, and another may write labels from the older one in small letters.
type shelf struct{ Spec *shelfSpec }

type shelfSpec struct {
	Label       *string             `json:"label,omitzero"`
	Pages       *int64              `json:"pages,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func copyShelf(src, dst *shelfSpec) error {
	*dst = shelfSpec{src.Label, src.Pages, src.PropertyBag.Clone()}
	return nil
}

func (src *shelf) AssignToShelf(dst *shelf) error {
	dst.Spec.Label = text(strings.ToLower(*src.Spec.Label))
	return nil
}

func (dst *shelf) AssignFromShelf(src *shelf) error {
	dst.Spec.Label = text(strings.ToUpper(*src.Spec.Label))
	return nil
}

// TestWholeStepsThatChangeSharedProperties checks that an edit of one property leaves another as it
// was, although a step shows that in another form.
func TestWholeStepsThatChangeSharedProperties(t *testing.T) {
	type step = func(*shelfSpec, *shelfSpec) error
	var both, none step = genruntime.AssignSpecTo[shelfSpec, shelfSpec]((*shelf).AssignToShelf), nil
	from := genruntime.AssignSpecFrom[shelfSpec, shelfSpec]((*shelf).AssignFromShelf)
	for name, tc := range map[string]struct {
		to    step
		edit  func(*shelfSpec)
		label string
		pages int64
	}{
		"unchanged":                       {both, func(*shelfSpec) {}, "aBc", 1},
		"another property":                {both, func(s *shelfSpec) { s.Pages = count(2) }, "aBc", 2},
		"the property":                    {both, func(s *shelfSpec) { s.Label = text("XYZ") }, "xyz", 1},
		"another property, one direction": {none, func(s *shelfSpec) { s.Pages = count(2) }, "aBc", 2},
		"the property, one direction":     {none, func(s *shelfSpec) { s.Label = text("XYZ") }, "XYZ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			visible, stored := new(shelfSpec), new(shelfSpec)
			if err := genruntime.CompleteFrom("v1.Shelf", visible, &shelfSpec{Label: text("aBc"), Pages: count(1)}, copyShelf, copyShelf, from, tc.to); err != nil {
				t.Fatal(err)
			}
			if *visible.Label != "ABC" {
				t.Fatalf("the step shows %q", *visible.Label)
			}
			tc.edit(visible)
			if err := genruntime.CompleteTo("v1.Shelf", visible, stored, copyShelf, tc.to, from); err != nil {
				t.Fatal(err)
			}
			if *stored.Label != tc.label || *stored.Pages != tc.pages {
				t.Errorf("got %q and %d, want %q and %d", *stored.Label, *stored.Pages, tc.label, tc.pages)
			}
			if len(stored.PropertyBag) > 0 {
				t.Errorf("the bag has %v", stored.PropertyBag)
			}
		})
	}
}
