package refine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

func text() model.Type { return &model.Scalar{Kind: model.String} }

func objectOf(properties ...*model.Property) *model.Object {
	return &model.Object{Properties: properties}
}

func member(name string, t model.Type) *model.Property {
	return &model.Property{Name: name, Type: t, Required: true}
}

// wideUnions are unions by the number of their branches, to which the schema's size is
// proportional.
var wideUnions = map[string]func(n int) model.Type{
	"members of their own, told apart by a kind": func(n int) model.Type {
		return branches(n, func(i int) model.Type {
			o := objectOf(member("kind", &model.Enum{Values: []string{fmt.Sprintf("%q", fmt.Sprint(i))}}))
			for j := range 10 {
				o.Properties = append(o.Properties, member(fmt.Sprintf("p%d_%d", i, j), text()))
			}
			return o
		})
	},
	"members of their own, not told apart": func(n int) model.Type {
		return branches(n, func(i int) model.Type {
			return objectOf(member(fmt.Sprintf("p%d", i), text()), member("common", text()))
		})
	},
	"one member of as many types": func(n int) model.Type {
		return branches(n, func(i int) model.Type { return objectOf(member("x", objectOf(member(fmt.Sprintf("y%d", i), text())))) })
	},
	"lists of one member of as many types": func(n int) model.Type {
		return branches(n, func(i int) model.Type {
			return &model.List{Elem: objectOf(member("x", &model.List{Elem: objectOf(member(fmt.Sprintf("y%d", i), text()))}))}
		})
	},
	"enums of one value": func(n int) model.Type {
		return branches(n, func(i int) model.Type { return &model.Enum{Values: []string{fmt.Sprintf("%q", fmt.Sprint(i))}} })
	},
	"parts of a conjunction": func(n int) model.Type {
		all := &model.AllOf{}
		for i := range n {
			all.Parts = append(all.Parts, objectOf(member(fmt.Sprintf("p%d", i), text()), member("common", text())))
		}
		return all
	},
	"two branches, wide ones": func(n int) model.Type {
		wide := objectOf()
		for i := range n {
			wide.Properties = append(wide.Properties, member(fmt.Sprintf("p%d", i), text()))
		}
		return &model.OneOf{Branches: []model.Type{wide, objectOf(wide.Properties...), objectOf(member("z", text()))}}
	},
}

func branches(n int, branch func(i int) model.Type) model.Type {
	one := &model.OneOf{}
	for i := range n {
		one.Branches = append(one.Branches, branch(i))
	}
	return one
}

// TestWideUnionsAreLinear refines unions, and unions that are four times as wide, which must take
// about four times the memory.
func TestWideUnionsAreLinear(t *testing.T) {
	for name, union := range wideUnions {
		t.Run(name, func(t *testing.T) {
			few, many := refining(t, union(500)), refining(t, union(2000))
			if ratio := float64(many) / float64(few); ratio > 6 {
				t.Errorf("500 branches take %d bytes, 2000 take %d: %.1f times as many", few, many, ratio)
			}
		})
	}
}

// refining returns the number of bytes that are allocated to refine a version whose body has a
// property of the given type.
func refining(t *testing.T, union model.Type) uint64 {
	t.Helper()
	raw := []*model.Resource{{Type: "Contoso.Shop/orders", Versions: []*model.Version{{Name: "2020-01-01", Spec: objectOf(member("union", union))}}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result := refine.Refine(context.Background(), raw, refine.Options{})
	runtime.ReadMemStats(&after)
	if len(result.Problems) > 0 || len(result.Resources) != 1 {
		t.Fatal(result.Problems)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// pairs returns the first of n types, each with n members that are unions of two of the types. So
// merging reaches many subsets of them, of which the budget pays for some.
func pairs(n int) model.Type {
	refs := make([]model.Type, n)
	for i := range refs {
		refs[i] = &model.Ref{Def: &model.Def{Name: fmt.Sprintf("T%d", i)}}
	}
	for i, ref := range refs {
		o := objectOf()
		for j := range n {
			o.Properties = append(o.Properties, member(fmt.Sprintf("p%d", j), &model.OneOf{Branches: []model.Type{refs[j], refs[(i+j)%n]}}))
		}
		ref.(*model.Ref).Def.Type = o
	}
	return refs[0]
}

// TestPairsAreQuick refines unions of pairs of types, and four times as many. What is beyond the
// budget must not be merged: that takes 14 times as many bytes, and 3.2 GB.
func TestPairsAreQuick(t *testing.T) {
	few, many := refining(t, pairs(14)), refining(t, pairs(28))
	t.Logf("196 pairs take %d bytes, 784 take %d", few, many)
	if ratio := float64(many) / float64(few); ratio > 10 || many > 500<<20 {
		t.Errorf("four times as many pairs take %.1f times as many bytes", ratio)
	}
}
