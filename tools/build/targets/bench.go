package targets

import (
	"context"
	"errors"
	"strconv"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// Bench runs the benchmarks that the expression matches, count times each, and prints what
// benchstat reads.
func Bench(ctx context.Context, only string, count int) error {
	return do(ctx, one("bench", func(ctx context.Context, w *modules.Workspace) error {
		all, err := packages.List(ctx, w)
		if err != nil {
			return err
		}
		args := []string{"test", "-run=^$", "-bench=" + only, "-benchmem", "-count=" + strconv.Itoa(count), "-timeout=0"}
		paths, err := having("Benchmark", all)
		if err != nil {
			return err
		}
		if len(paths) == 0 {
			return errors.New("no package has a benchmark")
		}
		return atRoot(w).Go(ctx, append(args, paths...)...)
	}))
}

// having lists the packages with test functions of a kind.
func having(kind string, all []packages.Package) ([]string, error) {
	var paths []string
	for _, p := range all {
		names, err := p.Functions(kind)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths, nil
}
