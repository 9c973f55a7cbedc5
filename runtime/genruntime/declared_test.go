package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// grown is of a version in which a name is a list.
type grown struct {
	Names       []string            `json:"names,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func namesOf(far *named, near *grown) error {
	return genruntime.Declare(far.First, &near.Names, genruntime.Plural())
}

func nameOf(far *named, near *grown) error {
	return genruntime.Declare(near.Names, &far.First, genruntime.Singular())
}

func grow(far *named) *grown {
	near := &grown{PropertyBag: far.PropertyBag.Clone()}
	genruntime.Recall(&near.PropertyBag, "names", &near.Names)
	genruntime.Stash(&near.PropertyBag, "first", far.First)
	if err := genruntime.DeriveTo("v2.grown.Names", far, near, near.Names != nil, namesOf, nameOf, "first", "first"); err != nil {
		panic(err)
	}
	return near
}

func shrink(near *grown) *named {
	far := &named{PropertyBag: near.PropertyBag.Clone()}
	genruntime.Recall(&far.PropertyBag, "first", &far.First)
	genruntime.Stash(&far.PropertyBag, "names", near.Names)
	if err := genruntime.DeriveFrom("v2.grown.Names", far, near, far.First != nil, nameOf, namesOf, "first", "first"); err != nil {
		panic(err)
	}
	return far
}

// TestDeclare edits a name that is a list in the hub.
func TestDeclare(t *testing.T) {
	for _, test := range []struct {
		reason string
		hub    []string
		shows  *string
		edit   func(*named)
		want   []string
	}{
		{"nobody edits it", []string{"Ada", "Eve"}, text("Ada"), nil, []string{"Ada", "Eve"}},
		{"an old client edits the first", []string{"Ada", "Eve"}, text("Ada"), func(n *named) { n.First = text("Bob") }, []string{"Bob", "Eve"}},
		{"an old client removes it", []string{"Ada", "Eve"}, text("Ada"), func(n *named) { n.First = nil }, nil},
		{"an empty list stays", []string{}, nil, nil, []string{}},
		{"an old client sets it in an empty list", []string{}, nil, func(n *named) { n.First = text("Bob") }, []string{"Bob"}},
		{"nothing stays nothing", nil, nil, nil, nil},
		{"an old client sets it", nil, nil, func(n *named) { n.First = text("Bob") }, []string{"Bob"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			far := shrink(&grown{Names: test.hub})
			checkText(t, "it shows", far.First, test.shows)
			if test.edit != nil {
				test.edit(far)
			}
			hub := grow(far)
			if diff := cmp.Diff(test.want, hub.Names); diff != "" {
				t.Error("the hub", diff)
			}
			if diff := cmp.Diff(far.First, shrink(hub).First); diff != "" {
				t.Error("it reads otherwise", diff)
			}
		})
	}
}

func TestDeclareRefuses(t *testing.T) {
	dst := new(int64(7))
	if err := genruntime.Declare([]string{"seven"}, &dst, genruntime.Singular()); err == nil || dst != nil {
		t.Errorf("a text became %v, %v", dst, err)
	}
	dst = new(int64(7))
	if err := genruntime.Declare(new(int64(1)<<62), &dst, genruntime.ScaleWhole(1000, 1)); err != nil || dst != nil {
		t.Errorf("a number that is too large became %v, %v", dst, err)
	}
}
