package change_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/change"
)

// TestMirrored: what one direction calls new the other calls removed, as often;
// and nothing has changed between a version and itself, or a tree and itself.
func TestMirrored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := chaintest.Resources(t, chaintest.Options{Names: chaintest.Plain, Resources: 2, Versions: 4})
		c, _ := chain.Link(context.Background(), all, chain.Options{})
		if same := change.Trees(context.Background(), all, all, c); len(same) > 0 {
			t.Fatalf("a tree differs from itself: %+v", same)
		}
		for _, g := range c.Groups {
			for _, r := range g.Resources {
				mirrored(t, r)
			}
		}
	})
}

var mirrors = map[change.Kind]change.Kind{
	change.Added: change.Removed, change.Renamed: change.Renamed, change.Retyped: change.Retyped,
	change.Required: change.Optional, change.ValuesAdded: change.ValuesRemoved,
}

func mirrored(t *rapid.T, r *chain.Resource) {
	for _, v := range r.Versions {
		for _, w := range r.Versions {
			there, back := kinds(change.Between(r, v, w)), kinds(change.Between(r, w, v))
			if v == w && len(there) > 0 {
				t.Fatalf("%s differs from itself: %v", v.Label, there)
			}
			for one, other := range mirrors {
				if there[one] != back[other] || there[other] != back[one] {
					t.Fatalf("%s to %s: %v there, %v back", v.Label, w.Label, there, back)
				}
			}
		}
	}
}

func kinds(c change.Comparison) map[change.Kind]int {
	out := map[change.Kind]int{}
	for _, one := range c.Changes {
		out[one.Kind]++
	}
	return out
}
