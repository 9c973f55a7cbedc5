package refine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/model"
)

func TestRandomModels(t *testing.T) {
	byType := func(r *model.Resource) string { return strings.ToLower(r.Type) }
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfNDistinct(rapid.Custom(drawResource), 1, 4, byType).Draw(t, "resources")
		before := string(model.Print(raw...))
		got := Refine(context.Background(), raw, Options{})
		if after := string(model.Print(raw...)); after != before {
			t.Errorf("the raw model was changed (-before +after):\n%s", cmp.Diff(before, after))
		}
		checkAccounts(t, raw, got)
		checkRefined(t, got)
		shuffled := Refine(context.Background(), rapid.Permutation(raw).Draw(t, "order"), Options{})
		if diff := cmp.Diff(text(got), text(shuffled)); diff != "" {
			t.Errorf("another order of resources gives other models (-first +shuffled):\n%s", diff)
		}
		known := Refine(context.Background(), raw, Options{Known: got.Resources})
		if diff := cmp.Diff(text(got), text(known)); diff != "" {
			t.Errorf("the ledger's names change the models (-without +with):\n%s", diff)
		}
	})
}

// text prints a result's models in order of their types.
func text(r *Result) string {
	all := slices.SortedFunc(slices.Values(r.Resources), func(a, b *model.Resource) int { return strings.Compare(a.Type, b.Type) })
	return string(model.Print(all...))
}

// checkAccounts fails unless every version is refined, or has a problem.
func checkAccounts(t *rapid.T, raw []*model.Resource, got *Result) {
	for _, r := range raw {
		for _, v := range r.Versions {
			refined := slices.ContainsFunc(got.Resources, func(q *model.Resource) bool { return q.Type == r.Type && q.Version(v.Name) != nil })
			problem := slices.ContainsFunc(got.Problems, func(p Problem) bool { return p.Type == r.Type && p.Version == v.Name })
			if refined == problem {
				t.Errorf("%s %s: refined is %v, has a problem is %v", r.Type, v.Name, refined, problem)
			}
		}
	}
}

// checkRefined fails unless the models have the properties that package model requires of refined
// ones.
func checkRefined(t *rapid.T, got *Result) {
	kinds := map[string]bool{}
	for _, r := range got.Resources {
		if kind := provider(r.Type) + "/" + r.Kind; r.Kind == "" || r.Plural == "" || kinds[kind] {
			t.Errorf("%s has the kind %q and the plural %q", r.Type, r.Kind, r.Plural)
		} else {
			kinds[kind] = true
		}
		for _, v := range r.Versions {
			checkVersion(t, r, v)
		}
	}
}

func checkVersion(t *rapid.T, r *model.Resource, v *model.Version) {
	if spec, ok := v.Spec.(*model.Ref); !ok || spec.Def.Name != r.Kind+"Spec" {
		t.Errorf("%s %s: the spec is no reference to %sSpec", r.Type, v.Name, r.Kind)
	}
	if !slices.Equal(v.Defs, model.Closure(v.Spec)) {
		t.Errorf("%s %s: the definitions are not the closure of the spec", r.Type, v.Name)
	}
	names := map[string]bool{r.Kind: true, r.Kind + "List": true, r.Kind + "Status": true}
	for _, d := range v.Defs {
		if names[d.Name] || Identifier(d.Name) != d.Name {
			t.Errorf("%s %s: %q is the name of a definition", r.Type, v.Name, d.Name)
		}
		names[d.Name] = true
		checkObject(t, d)
	}
}

func checkObject(t *rapid.T, d *model.Def) {
	o := d.Object()
	if o == nil {
		t.Errorf("definition %q is no object", d.Name)
		return
	}
	for _, p := range o.Properties {
		if !fitsTag(p.Name) {
			t.Errorf("%s has a property %q", d.Name, p.Name)
		}
		checkType(t, p.Type)
	}
	checkType(t, o.Additional)
}

func checkType(t *rapid.T, typ model.Type) {
	switch u := typ.(type) {
	case *model.List:
		checkType(t, u.Elem)
	case *model.Map:
		checkType(t, u.Elem)
	case *model.OneOf, *model.AllOf, *model.Object:
		t.Errorf("a %T is left", u)
	}
}

// drawResource generates a raw resource with parts that are likely to clash.
func drawResource(t *rapid.T) *model.Resource {
	r := &model.Resource{Type: "A/" + rapid.SampledFrom([]string{"pools", "poolLists", "pool", "b/cs", "BCs", "poolSpecs"}).Draw(t, "type")}
	for range rapid.IntRange(1, 3).Draw(t, "versions") {
		a := &author{T: t}
		for range rapid.IntRange(1, 4).Draw(t, "defs") {
			a.defs = append(a.defs, &model.Def{Name: a.name()})
		}
		for _, d := range a.defs {
			d.Type = a.typ()
		}
		v := &model.Version{Name: rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "version"), Spec: a.object(), Defs: a.defs}
		r.Versions = append(r.Versions, v)
	}
	return r
}

// An author generates the types of one version.
type author struct {
	*rapid.T
	defs  []*model.Def
	depth int
}

func (a *author) name() string {
	return rapid.SampledFrom([]string{"a", "b", "A", "c", "Pool", "PoolSpec", "x-y", "xY", "owner", "5"}).Draw(a.T, "name")
}

func (a *author) flag() bool { return rapid.Bool().Draw(a.T, "flag") }

func (a *author) kind() model.Kind {
	return rapid.SampledFrom([]model.Kind{model.String, model.Int, model.Number, model.Bool}).Draw(a.T, "kind")
}

func (a *author) typ() model.Type {
	a.depth++
	defer func() { a.depth-- }()
	leaves := []func() model.Type{
		func() model.Type { return &model.Scalar{Kind: a.kind()} },
		func() model.Type { return &model.Enum{Values: []string{`"` + a.name() + `"`}} },
		func() model.Type { return &model.Any{} },
		func() model.Type { return &model.Ref{Def: rapid.SampledFrom(a.defs).Draw(a.T, "ref")} },
	}
	nodes := []func() model.Type{
		a.object,
		func() model.Type { return &model.List{Elem: a.typ()} },
		func() model.Type { return &model.Map{Elem: a.typ()} },
		func() model.Type { return &model.OneOf{Branches: a.types()} },
		func() model.Type { return &model.AllOf{Parts: a.types()} },
	}
	if a.depth < 4 {
		leaves = append(leaves, nodes...)
	}
	return rapid.SampledFrom(leaves).Draw(a.T, "type")()
}

func (a *author) types() []model.Type {
	var all []model.Type
	for range rapid.IntRange(0, 3).Draw(a.T, "types") {
		all = append(all, a.typ())
	}
	return all
}

func (a *author) object() model.Type {
	o := &model.Object{}
	for range rapid.IntRange(0, 3).Draw(a.T, "properties") {
		if name := a.name(); o.Property(name) == nil {
			o.Properties = append(o.Properties, &model.Property{Name: name, Type: a.typ(), Required: a.flag()})
		}
	}
	if a.flag() {
		o.Additional = a.typ()
	}
	return o
}
