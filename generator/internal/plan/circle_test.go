package plan_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestHubsOfOneGroup draws kinds of one group with a chosen hub each. Unless the chain reports a
// circle, the storage packages of the plan must import each other in none. If it reports
// one, the hubs that it proposes must avoid it.
func TestHubsOfOneGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resources := chaintest.Resources(t, chaintest.Options{Names: chaintest.Plain, Resources: 3, Versions: 5, Statuses: true})
		chosen := map[string]string{}
		for _, r := range resources {
			if names := slices.Collect(maps.Keys(versionsOf(r))); rapid.Bool().Draw(t, "chosen") {
				slices.Sort(names)
				chosen[r.Type] = rapid.SampledFrom(names).Draw(t, "hub")
			}
		}
		hubs := func(r *model.Resource) string { return chosen[r.Type] }
		c := link(t, chain.Options{Hub: hubs}, resources...)
		g := c.Groups[0]
		circle := g.Circle()
		for i, lead := range circle {
			if next := circle[(i+1)%len(circle)]; lead.To.Label != next.From.Label || lead.From.Next != lead.To {
				t.Fatalf("%s to %s is no step, or does not lead to %s", lead.From.Label, lead.To.Label, next.From.Label)
			}
		}
		if i := slices.IndexFunc(circle, func(l chain.Lead) bool { return l.Resource.IsChosen() }); i >= 0 {
			for i, hub := range g.HubsBeside(circle[i].Resource.Hub) {
				chosen[g.Resources[i].Model.Type] = hub.Model.Name
			}
			c = link(t, chain.Options{Hub: hubs}, resources...)
			circle = c.Groups[0].Circle()
		}
		if circle != nil {
			t.Fatalf("a circle although hubs are the latest or proposed ones: %v", circle)
		}
		if label := importsItself(plan.Decide(context.Background(), c, plan.Options{}).Groups[0]); label != "" {
			t.Fatalf("the storage package of %s imports itself", label)
		}
	})
}

func versionsOf(r *model.Resource) map[string]bool {
	out := map[string]bool{}
	for _, v := range r.Versions {
		out[v.Name] = true
	}
	return out
}

// importsItself returns the label of a package whose storage package imports itself, directly or
// through others; empty if there is none.
func importsItself(g *plan.Group) string {
	imports := map[string]map[string]bool{}
	for _, p := range g.Packages {
		imports[p.Label] = map[string]bool{}
	}
	for _, p := range g.Packages {
		for _, s := range p.Structs {
			imports[p.Label][s.Host.Package.Label] = true
		}
		for _, t := range p.Steps {
			for _, s := range []*plan.Struct{t.Far, t.Near} {
				if !s.Compat {
					imports[p.Label][s.Package.Label], imports[p.Label][s.Host.Package.Label] = true, true
				}
			}
		}
		delete(imports[p.Label], p.Label)
	}
	for len(imports) > 0 {
		before := len(imports)
		for label, of := range imports {
			for to := range of {
				if imports[to] == nil {
					delete(of, to)
				}
			}
			if len(of) == 0 {
				delete(imports, label)
			}
		}
		if before == len(imports) {
			return slices.Min(slices.Collect(maps.Keys(imports)))
		}
	}
	return ""
}
