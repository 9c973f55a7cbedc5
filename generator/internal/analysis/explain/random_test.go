package explain_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestEveryPropertyIsExplained checks that every property of every version has an explanation in
// which it is live there, under its path. If a property is in a bag, there is a key for it, or for
// the value that it is a part of. Every step has an action.
func TestEveryPropertyIsExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := chaintest.Resources(t, chaintest.Options{Names: append(chaintest.Plain, chaintest.Odd...), Resources: 1, Versions: 4, Statuses: true})
		c, problems := chain.Link(context.Background(), all, chain.Options{})
		if len(problems) > 0 {
			t.Skip("not this case: cannot be linked")
		}
		for _, g := range plan.Decide(context.Background(), c, plan.Options{}).Groups {
			for _, k := range g.Kinds {
				for _, v := range k.Resource.Versions {
					for _, path := range paths(v.Model.Spec.(*model.Ref).Def, "", nil) {
						explained(t, k, v, path)
					}
				}
			}
		}
	})
}

func explained(t *rapid.T, k *plan.Kind, v *chain.Version, path string) {
	found, err := explain.Explain(k, path)
	if err != nil {
		t.Fatalf("%s of %s: %v", path, v.Label, err)
	}
	live := false
	for _, p := range found {
		row := p.Rows[v.Index]
		live = live || row.State == explain.Live && row.Path == path
		for _, row := range p.Rows {
			if row.State != explain.Live && row.State != explain.Nowhere && len(row.Bag) == 0 {
				t.Fatalf("%s is in no bag of %s", path, row.Label)
			}
			if row.State == explain.Live && !row.Hub && row.Step == "" {
				t.Fatalf("%s of %s goes nowhere from %s", path, v.Label, row.Label)
			}
		}
	}
	if !live {
		t.Fatalf("%s is live in %s, and is explained otherwise: %+v", path, v.Label, found)
	}
}

// paths returns the properties below a definition, without visiting a definition again below
// itself.
func paths(d *model.Def, at string, open []*model.Def) []string {
	if slices.Contains(open, d) {
		return nil
	}
	open = append(slices.Clip(open), d)
	var out []string
	below := func(name string, t model.Type) {
		path := strings.TrimPrefix(at+"."+name, ".")
		out = append(out, path)
		wrap, inner := chain.Unwrap(t)
		if ref, ok := inner.(*model.Ref); ok {
			out = append(out, paths(ref.Def, path+strings.NewReplacer("l", "[]", "m", ".*").Replace(wrap), open)...)
		}
	}
	for _, p := range d.Object().Properties {
		below(p.Name, p.Type)
	}
	if more := d.Object().Additional; more != nil {
		below("*", more)
	}
	return out
}
