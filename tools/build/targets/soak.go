package targets

import (
	"context"
	"strconv"
	"time"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// soakCases is how many objects a generated test draws of each version while soaking.
const soakCases = 500

// Soak looks for what rare input breaks: the tests of all modules under the race detector, with
// many more objects for each generated test, then every fuzz test for a while, the check of the
// plugins' contracts, and whether tests notice changed operators.
func Soak(ctx context.Context, fuzzing time.Duration) error {
	return do(ctx, one("race", race), one("fuzz", func(ctx context.Context, w *modules.Workspace) error {
		return fuzz(ctx, w, fuzzing)
	}), protoCheck, mutants(".", false))
}

func race(ctx context.Context, w *modules.Workspace) error {
	in := atRoot(w)
	in.Env = []string{"CGO_ENABLED=1", tier.SoakVariable + "=1", "STRATA_CASES=" + strconv.Itoa(soakCases)}
	return in.Go(ctx, append([]string{"test", "-race", afresh, "-timeout=0"}, w.Patterns()...)...)
}

// leastMinimized bounds how often the fuzzer tries to shorten an input. By default it takes a
// minute for each input that reaches new code, in which it tries no other input.
const leastMinimized = "-fuzzminimizetime=10x"

// fuzz runs the fuzz tests one by one, as the go command requires.
func fuzz(ctx context.Context, w *modules.Workspace, fuzzing time.Duration) error {
	all, err := packages.List(ctx, w)
	if err != nil {
		return err
	}
	for _, p := range all {
		names, err := p.Functions("Fuzz")
		if err != nil {
			return err
		}
		for _, name := range names {
			args := []string{"test", "-run=^$", "-fuzz=^" + name + "$", "-fuzztime=" + fuzzing.String(), leastMinimized, p.ImportPath}
			if err := atRoot(w).Go(ctx, args...); err != nil {
				return err
			}
		}
	}
	return nil
}
