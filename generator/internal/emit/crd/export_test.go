package crd

import (
	"context"
	"slices"

	"github.com/stratakube/strata/generator/internal/plan"
)

// An Attempt is the size of a CRD with a cut and a trim, and its lower bound.
type Attempt struct {
	What         string
	Least, Bytes int
}

// Attempts prints a CRD with every cut, and one with every trim.
func Attempts(ctx context.Context, k *plan.Kind, o Options) ([]Attempt, error) {
	var out []Attempt
	try := func(c cut, t trim) error {
		f, err := printed(ctx, k, c, t, o)
		out = append(out, Attempt{c.reason(c.depth < everywhere) + " " + t.name, least(k, c, t, 1<<40), len(f.Body)})
		return err
	}
	for _, c := range slices.Concat(aways, rules, widths, depths) {
		if err := try(c, plainest); err != nil {
			return nil, err
		}
	}
	for _, t := range trims {
		if err := try(aways[0], t); err != nil {
			return nil, err
		}
	}
	return out, nil
}
