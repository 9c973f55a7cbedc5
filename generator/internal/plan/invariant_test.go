package plan_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

var versionNames = []string{"2019-01-01-preview", "2019-06-01-preview", "2020-01-01", "2020-06-01-preview", "2021-01-01", "2022-01-01", "2022-06-01-preview", "2023-01-01"}

// author generates resources whose properties are added, removed and change their type.
type author struct {
	*rapid.T
	defs []*model.Def
}

func (a *author) flag(label string) bool { return rapid.Bool().Draw(a.T, label) }

func (a *author) typ(depth int) model.Type {
	switch n := rapid.IntRange(0, 7).Draw(a.T, "type"); {
	case n < 4:
		return &model.Scalar{Kind: model.Kind(n)}
	case n == 4:
		return &model.Enum{Values: []string{`"a"`, `"b"`}}
	case n == 5:
		return &model.List{Elem: a.typ(depth + 1)}
	case n == 6:
		return &model.Any{}
	case depth > 2:
		return &model.Map{Elem: &model.Scalar{}}
	}
	if len(a.defs) > 0 && a.flag("again") {
		return &model.Ref{Def: rapid.SampledFrom(a.defs).Draw(a.T, "def")} // maybe recursive
	}
	return &model.Ref{Def: a.object(rapid.SampledFrom([]string{"Box", "Lid", "Shelf"}).Draw(a.T, "name"), depth+1)}
}

func (a *author) object(name string, depth int) *model.Def {
	for slices.ContainsFunc(a.defs, func(d *model.Def) bool { return d.Name == name }) {
		name += "X"
	}
	d := &model.Def{Name: name}
	a.defs = append(a.defs, d)
	o := &model.Object{}
	for _, member := range []string{"a", "b", "d", "c"} {
		if a.flag(member) {
			o.Properties = append(o.Properties, &model.Property{Name: member, Type: a.typ(depth)})
		}
	}
	d.Type = o
	return d
}

func (a *author) version(kind, name string) *model.Version {
	a.defs = nil
	spec := a.object(kind+"Spec", 0)
	v := &model.Version{Name: name, Spec: &model.Ref{Def: spec}}
	if a.flag("status") {
		v.Status = &model.Ref{Def: a.object(kind+"Status", 0)}
	}
	v.Defs = model.Closure(v.Spec, v.Status)
	return v
}

// resource generates a resource; its versions are in random order.
func resource(t *rapid.T, resourceType, kind string) *model.Resource {
	a := &author{T: t}
	r := &model.Resource{Type: resourceType, Kind: kind, Plural: kind}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(versionNames), 1, 6, rapid.ID[string]).Draw(t, "versions")
	for _, name := range names {
		r.Versions = append(r.Versions, a.version(kind, name))
	}
	return r
}

func link(t *rapid.T, opts chain.Options, resources ...*model.Resource) *chain.Chain {
	c, problems := chain.Link(context.Background(), resources, opts)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

// TestEveryPropertyHasOneMove checks that a step and a fused conversion lose nothing and do nothing
// twice, and that keys in one object differ.
func TestEveryPropertyHasOneMove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := link(t, chain.Options{}, resource(t, "Microsoft.Shop/carts", "Cart"), resource(t, "Microsoft.Shop/shelves", "Shelf"))
		for _, pkg := range plan.Decide(context.Background(), c, plan.Options{}).Groups[0].Packages {
			for _, step := range pkg.Steps {
				if step.Parts == nil {
					count(t, step)
				}
			}
		}
	})
}

func count(t *rapid.T, step *plan.Step) {
	far, near, keys := map[*plan.Field]int{}, map[*plan.Field]int{}, map[string]int{}
	for _, m := range step.Moves {
		far[m.Far]++
		near[m.Near]++
		for _, k := range m.Keys() {
			keys[k]++
		}
	}
	for _, f := range step.Far.Fields {
		if far[f] != 1 {
			t.Fatalf("%s to %s: %s has %d moves", step.Far.Name, step.Near.Package.Label, f.Name, far[f])
		}
	}
	for _, f := range step.Near.Fields {
		if near[f] != 1 {
			t.Fatalf("%s from %s: %s has %d moves", step.Far.Name, step.Near.Package.Label, f.Name, near[f])
		}
	}
	for k, n := range keys {
		if n > 1 {
			t.Fatalf("%s to %s: key %s is used %d times", step.Far.Name, step.Near.Package.Label, k, n)
		}
	}
}

// TestPlansNameOneTypeForEachStep checks that a plan for JSON names one type for each step: it is
// a map in Go.
func TestPlansNameOneTypeForEachStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decided := plan.Decide(context.Background(), link(t, chain.Options{}, resource(t, "Contoso.Shop/boxes", "Box")), plan.Options{})
		for _, kv := range decided.Groups[0].Kinds[0].Versions {
			if kv.JSONPlan == nil {
				continue
			}
			seen := map[int]bool{}
			for _, h := range kv.JSONPlan.StoredTypes {
				if seen[h.Step] {
					t.Errorf("%s: step %d has two types that bags hold", kv.Version.Label, h.Step)
				}
				seen[h.Step] = true
			}
		}
	})
}

// TestOrderOfResources checks that the plan does not depend on the order in which resources and
// versions are given.
func TestOrderOfResources(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		carts, shelves := resource(t, "Microsoft.Shop/carts", "Cart"), resource(t, "Microsoft.Shop/shelves", "Shelf")
		first := text(link(t, chain.Options{}, carts, shelves))
		slices.Reverse(carts.Versions)
		if second := text(link(t, chain.Options{}, shelves, carts)); !bytes.Equal(first, second) {
			t.Fatalf("two plans:\n%s\nand\n%s", first, second)
		}
	})
}

func text(c *chain.Chain) []byte {
	var out []byte
	for _, g := range plan.Decide(context.Background(), c, plan.Options{}).Groups {
		out = append(out, plan.Print(g)...)
	}
	return out
}
