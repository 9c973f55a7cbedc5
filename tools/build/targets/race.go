package targets

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// simulated are packages whose tests make one pass after the other over a cluster in memory. Of
// those tests only the ones that start goroutines run under the race detector, which takes five
// times their processor time; mage soak runs all of them under it. The others run without checks of
// pointers, too: those of package runtime make them.
var simulated = []string{"operator/reconciler"}

// raced reports whether the tests of a module run under the race detector. Where there is no C
// compiler they run without it, but with checks of pointers.
func raced(m modules.Module) bool { return concurrent(m) && hasCompiler() }

// concurrent reports whether a module has many processes and goroutines at once.
func concurrent(m modules.Module) bool {
	return slices.Contains([]string{"operator", "operator/arm", "operator/plugin"}, m.Name)
}

func hasCompiler() bool {
	_, err := exec.LookPath("gcc")
	return err == nil
}

// races are the tests of the raced modules: those of simulated packages that do not run under the
// race detector, then the others. Each test is in one of them.
type races struct {
	env, flags []string // of all tests

	without, some []batch  // of simulated packages
	whole         []string // packages, all of whose tests run under the race detector
}

// racing chooses the packages of each batch. The race detector takes a C compiler to link.
func racing(ctx context.Context, w *modules.Workspace, env, flags []string) ([]batch, error) {
	r := races{env: env, flags: flags}
	for _, m := range chosenOf(w, raced).Modules {
		if !slices.ContainsFunc(simulated, func(folder string) bool { return strings.HasPrefix(folder, m.Name+"/") }) {
			r.whole = append(r.whole, m.Pattern())
			continue
		}
		all, err := packages.List(ctx, &modules.Workspace{Root: w.Root, Modules: []modules.Module{m}})
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if err := r.add(w, p); err != nil {
				return nil, err
			}
		}
	}
	return slices.Concat(r.without, []batch{r.raced(r.whole)}, r.some), nil
}

// raced is a batch of packages under the race detector.
func (r *races) raced(patterns []string, flags ...string) batch {
	return batch{append(slices.Clone(r.env), "CGO_ENABLED=1"), slices.Concat(r.flags, []string{"-race"}, flags), patterns}
}

// add adds a package of a module that has simulated ones.
func (r *races) add(w *modules.Workspace, p packages.Package) error {
	folder, err := filepath.Rel(w.Root, p.Dir)
	if err != nil {
		return fmt.Errorf("choose tests for the race detector: %w", err)
	}
	pattern := "./" + filepath.ToSlash(folder)
	if !slices.Contains(simulated, filepath.ToSlash(folder)) {
		r.whole = append(r.whole, pattern)
		return nil
	}
	names, err := p.Concurrent()
	if err != nil {
		return err
	}
	these := "=^(" + strings.Join(names, "|") + ")$"
	r.without = append(r.without, batch{r.env, slices.Concat(r.flags, []string{"-skip" + these}), []string{pattern}})
	r.some = append(r.some, r.raced([]string{pattern}, "-run"+these))
	return nil
}
