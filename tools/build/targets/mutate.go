package targets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/mutation"
	"github.com/stratakube/strata/tools/build/steps"
)

// Mutate changes the packages whose folders the expression matches, one operator at a time, and
// fails if the tests of a package kill too few of these mutants. It prints the results, also those
// of a run that is interrupted. With write, they replace those of the same packages in the page of
// docs/reports.
func Mutate(ctx context.Context, only string, write bool) error {
	return do(ctx, mutants(only, write))
}

// mutants is a part of one step, which is left out where there are none of the packages.
func mutants(only string, write bool) part {
	measure := one("mutate", func(ctx context.Context, w *modules.Workspace) error {
		expression, err := regexp.Compile(only)
		if err != nil {
			return fmt.Errorf("-only: %w", err)
		}
		ctx, giveBack := command.Catch(ctx)
		defer giveBack()
		all, err := mutation.Measure(ctx, w, mutation.Targets, mutation.Options{Only: expression, Workers: runtime.NumCPU(), Report: printLine})
		fmt.Print(mutation.Page(all))
		if write {
			err = errors.Join(err, updateMutants(w, all))
		}
		return errors.Join(err, mutation.Judge(all))
	})
	return func(w *modules.Workspace) []steps.Step {
		if !mutation.HasTargets(w) {
			return nil
		}
		return measure(w)
	}
}

// updateMutants writes the results of the packages that were measured into the page, and leaves
// those of others.
func updateMutants(w *modules.Workspace, all []mutation.Measured) error {
	const file = "mutation.md"
	page, err := os.ReadFile(filepath.Join(w.Root, "docs", "reports", file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read report: %w", err)
	}
	return reports(w, map[string]string{file: mutation.Update(string(page), all, mutation.Targets)})
}
