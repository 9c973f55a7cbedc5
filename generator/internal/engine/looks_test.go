package engine_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/countdown"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/refine"
)

// models writes n resources of two versions each, whose specs have m members: texts, or objects of
// types of their own.
func models(n, m int, typed bool) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, "resource Microsoft.Shop/carts%d\n  kind Cart%d carts%d\n", k, k, k)
		for i := range 2 {
			fmt.Fprintf(&b, "  version 202%d-01-01\n    spec &CartSpec\n    def CartSpec object\n", i)
			for j := range m - i {
				if typed {
					fmt.Fprintf(&b, "      .p%d &T%d\n", j, j)
				} else {
					fmt.Fprintf(&b, "      .p%d string\n", j)
				}
			}
			for j := range m - i {
				if typed {
					fmt.Fprintf(&b, "    def T%d object\n      .own%d string\n", j, j)
				}
			}
		}
	}
	return b.String()
}

// spine has the inputs of the stages that work on models.
type spine struct {
	models []*model.Resource
	chain  *chain.Chain
	plan   *plan.Plan
}

// TestStagesLookAtTheirContext counts how often stages look whether their context has ended: at
// least once for each thing of which there may be many. Once it has ended, wherever that is, a
// stage looks at most once more for each thing that it is at.
func TestStagesLookAtTheirContext(t *testing.T) {
	for _, tt := range []struct {
		name, text                            string
		refines, links, plans, reports, after int64
	}{
		{"members", models(1, 6000, false), 12_000, 6000, 20, 1, 6100},
		{"types", models(1, 1000, true), 2000, 2000, 1000, 1, 1100},
		{"resources", models(500, 2, false), 1000, 1000, 1000, 500, 600},
	} {
		s := spineOf(t, tt.text)
		for _, stage := range []struct {
			name string
			want int64
			run  func(context.Context)
		}{
			{"refining", tt.refines, func(ctx context.Context) { refine.Refine(ctx, s.models, refine.Options{}) }},
			{"linking", tt.links, func(ctx context.Context) { chain.Link(ctx, s.models, chain.Options{}) }},
			{"planning", tt.plans, func(ctx context.Context) { plan.Decide(ctx, s.chain, plan.Options{}) }},
			{"reporting", tt.reports, func(ctx context.Context) {
				for _, g := range s.plan.Groups {
					report.Changes(ctx, g, nil)
				}
			}},
		} {
			t.Run(tt.name+"/"+stage.name, func(t *testing.T) {
				all := looksOf(t, math.MaxInt64, stage.run)
				if all < stage.want {
					t.Errorf("it looks %d times at its context, want %d", all, stage.want)
				}
				for most := int64(1); most < all; most *= 4 {
					if n := looksOf(t, most, stage.run); n > most+tt.after {
						t.Errorf("it looks %d times at a context that ends after %d looks", n, most)
					}
				}
			})
		}
	}
}

// looksOf returns how often work looks at a context that ends after some looks.
func looksOf(t *testing.T, most int64, work func(context.Context)) int64 {
	t.Helper()
	ctx := countdown.New(t.Context(), most)
	work(ctx)
	return ctx.Checks()
}

func spineOf(t *testing.T, text string) spine {
	t.Helper()
	resources, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	linked, problems := chain.Link(t.Context(), resources, chain.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return spine{resources, linked, plan.Decide(t.Context(), linked, plan.Options{})}
}
