package crd_test

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestRandomPlans checks that an API server accepts the CRDs of any plan, and that printing is
// deterministic.
func TestRandomPlans(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		resources := chaintest.Resources(r, chaintest.Options{
			Names: append(chaintest.Plain, chaintest.Odd...), Nested: chaintest.OddNested, Resources: 2, Versions: 3, Statuses: true,
		})
		c, problems := chain.Link(context.Background(), resources, chain.Options{Suffix: "example.com"})
		if len(problems) > 0 {
			r.Skip("no chain")
		}
		p := plan.Decide(context.Background(), c, plan.Options{})
		least(r, p)
		files, err := crd.Files(context.Background(), p, options())
		if err != nil {
			r.Fatal(err)
		}
		again, err := crd.Files(context.Background(), p, options())
		if err != nil {
			r.Fatal(err)
		}
		for i, f := range files {
			accepted(t, f.Body)
			if t.Failed() {
				r.Fatalf("%s", f.Body)
			}
			if !bytes.Equal(f.Body, again[i].Body) {
				r.Fatalf("%s differs when it is printed again", f.Name)
			}
		}
	})
}
