package crd_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/countdown"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/plan"
)

// wide returns a plan of a kind with many members of some types, with descriptions.
func wide(t testing.TB, members int, types ...string) *plan.Plan {
	var b strings.Builder
	b.WriteString("resource Contoso.Shop/orders\n  kind Order orders\n  version 2020-01-01\n    spec &OrderSpec\n    def OrderSpec object\n")
	for i := range members {
		fmt.Fprintf(&b, "      .member%06d %s\n        \"The member. It has a number.\"\n", i, types[i%len(types)])
	}
	b.WriteString("    def Size object\n      .number int\n      .list list &Size\n")
	return sample(t, golden.Files{"model": b.String()})
}

// least checks that the lower bound of every attempt is at most its size.
func least(t interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}, p *plan.Plan) []crd.Attempt {
	t.Helper()
	var all []crd.Attempt
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			attempts, err := crd.Attempts(context.Background(), k, options())
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range attempts {
				if a.Least > a.Bytes {
					t.Errorf("%s: %s: %d bytes, which are at least %d", k.Name, a.What, a.Bytes, a.Least)
				}
			}
			all = append(all, attempts...)
		}
	}
	return all
}

// TestLeast checks that lower bounds are near enough to the sizes to exclude CRDs that are much
// too large.
func TestLeast(t *testing.T) {
	for _, a := range least(t, wide(t, 500, "string", "list int", "map bool", "&Size", "any")) {
		if a.Least < a.Bytes*3/4 {
			t.Errorf("%s: %d bytes, which are at least %d", a.What, a.Bytes, a.Least)
		}
	}
}

// TestPrintingIsInterrupted prints a CRD larger than any server accepts with a context that ends
// at any of the checks.
func TestPrintingIsInterrupted(t *testing.T) {
	p := wide(t, 20_000, "string")
	for n := int64(0); ; n = 1 + n*3/2 {
		_, err := crd.Files(countdown.New(t.Context(), n), p, options())
		if err == nil {
			if want := int64(40); n < want {
				t.Errorf("printing looks at most %d times at its context, want %d", n, want)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
