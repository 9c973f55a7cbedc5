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

// simulated are packages most of whose tests start no goroutines, as those that make one pass after
// the other over a cluster in memory. The race detector takes five times their processor time. So
// Test runs none of them under it, TestLong those that start goroutines, and mage soak all. The
// others run without checks of pointers, too: those of package runtime make them.
var simulated = []string{"operator/reconciler", "operator/internal/packed"}

// watched are the packages that share most values between goroutines. Test runs them under the race
// detector, and TestLong all packages of the modules that concurrent reports. A program of tests
// takes twice the time to link for it.
var watched = []string{"operator", "operator/plugin/host", "operator/internal/shard"}

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

// races are the tests of the raced modules. Each test is in one of the lists.
type races struct {
	env, flags []string // of all tests

	without, some []batch  // of simulated packages: tests that do not run under the race detector, and those that do
	whole         []string // packages, all of whose tests run under the race detector
	rest          []string // packages, none of whose tests do
}

// racing chooses how the packages of the raced modules are tested. only has the folders of those
// that run under the race detector; nil means all. The race detector takes a C compiler to link.
func racing(ctx context.Context, w *modules.Workspace, env, flags, only []string) (races, error) {
	r := races{env: env, flags: flags}
	for _, m := range chosenOf(w, raced).Modules {
		all, err := packages.List(ctx, &modules.Workspace{Root: w.Root, Modules: []modules.Module{m}})
		if err != nil {
			return r, err
		}
		for _, p := range all {
			folder, err := folderOf(w, p)
			if err != nil {
				return r, err
			}
			switch {
			case only != nil && !slices.Contains(only, folder):
				r.rest = append(r.rest, pattern(folder))
			case slices.Contains(simulated, folder):
				if err := r.divide(p, folder); err != nil {
					return r, err
				}
			default:
				r.whole = append(r.whole, pattern(folder))
			}
		}
	}
	return r, nil
}

// batches returns the tests that run under the race detector, and those beside them in the same
// packages.
func (r *races) batches() []batch { return slices.Concat(r.without, []batch{r.raced(r.whole)}, r.some) }

// raced is a batch of packages under the race detector.
func (r *races) raced(patterns []string, flags ...string) batch {
	return batch{append(slices.Clone(r.env), "CGO_ENABLED=1"), slices.Concat(r.flags, []string{"-race"}, flags), patterns}
}

// divide adds the tests of a simulated package.
func (r *races) divide(p packages.Package, folder string) error {
	names, err := p.Concurrent()
	if err != nil {
		return err
	}
	these := "=^(" + strings.Join(names, "|") + ")$"
	r.without = append(r.without, batch{r.env, slices.Concat(r.flags, []string{"-skip" + these}), []string{pattern(folder)}})
	r.some = append(r.some, r.raced([]string{pattern(folder)}, "-run"+these))
	return nil
}

// folderOf returns the folder of a package below the root.
func folderOf(w *modules.Workspace, p packages.Package) (string, error) {
	folder, err := filepath.Rel(w.Root, p.Dir)
	if err != nil {
		return "", fmt.Errorf("choose packages to test: %w", err)
	}
	return filepath.ToSlash(folder), nil
}
