package verbs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"

	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/mutation"
	"github.com/stratakube/strata/tools/step"
)

// Mutate changes the packages whose folders the expression matches, one operator at a time, and fails if the tests of a
// package kill too few of these mutants. With write, the page of docs/reports is written.
func Mutate(ctx context.Context, only string, write bool) error {
	return do(ctx, mutants(only, write))
}

// mutants is a part of one step, which is left out where there are none of the packages.
func mutants(only string, write bool) part {
	steps := one("mutate", func(ctx context.Context, w *modules.Workspace) error {
		expression, err := regexp.Compile(only)
		if err != nil {
			return fmt.Errorf("-only: %w", err)
		}
		all, err := mutation.Measure(ctx, w, mutation.Targets, mutation.Options{Only: expression, Workers: runtime.NumCPU(), Report: say})
		page := mutation.Page(all)
		fmt.Print(page)
		if write {
			err = errors.Join(err, reports(w, map[string]string{"mutation.md": page}))
		}
		return errors.Join(err, mutation.Judge(all))
	})
	return func(w *modules.Workspace) []step.Step {
		if !mutation.HasTargets(w) {
			return nil
		}
		return steps(w)
	}
}
