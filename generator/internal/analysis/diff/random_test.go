package diff_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
)

// TestMirrored checks that a property that is new in one direction is removed in the other, and
// that a version or a tree has no changes compared with itself.
func TestMirrored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := chaintest.Resources(t, chaintest.Options{Names: chaintest.Plain, Resources: 2, Versions: 4})
		c, _ := chain.Link(context.Background(), all, chain.Options{})
		if same := diff.Trees(context.Background(), all, all, c); len(same) > 0 {
			t.Fatalf("a tree differs from itself: %+v", same)
		}
		for _, g := range c.Groups {
			for _, r := range g.Resources {
				mirrored(t, r)
			}
		}
	})
}

var mirrors = map[diff.Kind]diff.Kind{
	diff.Added: diff.Removed, diff.Renamed: diff.Renamed, diff.Retyped: diff.Retyped,
	diff.Required: diff.Optional, diff.ValuesAdded: diff.ValuesRemoved, diff.Opened: diff.Closed, diff.ReadOnly: diff.Writable,
	diff.Secret: diff.NotSecret, diff.DefaultAdded: diff.DefaultRemoved, diff.DefaultChanged: diff.DefaultChanged, diff.RuleAdded: diff.RuleRemoved,
	diff.Nullable: diff.NotNullable, diff.ListType: diff.ListType, diff.ListKeys: diff.ListKeys, diff.Described: diff.Described,
	diff.UnionChanged: diff.UnionWider,
}

func mirrored(t *rapid.T, r *chain.Resource) {
	for _, v := range r.Versions {
		for _, w := range r.Versions {
			there, back := kinds(diff.Between(context.Background(), r, v, w)), kinds(diff.Between(context.Background(), r, w, v))
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

func kinds(c diff.Comparison) map[diff.Kind]int {
	out := map[diff.Kind]int{}
	for _, one := range c.Changes {
		kind := one.Kind
		if kind == diff.AddedRequired {
			kind = diff.Added
		}
		out[kind]++
	}
	return out
}
