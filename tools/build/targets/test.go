package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/steps"
	"github.com/stratakube/strata/tools/build/testrun"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// Test proves everything that is proved without the corpus: vet, drift of the worked example, and all tests of all modules.
// Among those of tools are the proofs about the workspace itself: that each module builds alone, that an outside module
// does, and that imports keep to the layers.
//
// All modules are downloaded first. Later steps may not download any, so that a test that would do so unnoticed fails. The
// programs of a cluster come before the tests that need them, which could not tell how long that takes.
//
// Results are never taken from the cache: the go command does not see that a test reads the files of another module, or
// schemas.
func Test(ctx context.Context) error {
	env, err := shared(ctx)
	if err != nil {
		return err
	}
	return tested(ctx, false, func(r *testrun.Run) []part {
		flags := []string{afresh, "-timeout=60m", unvetted, abreast()}
		return []part{
			download(func(b box) bool { return b.tested }),
			overAll("vet", env, "vet"),
			drift(env),
			one("cluster programs", clusterPrograms),
			testing(r, "tests", env, slices.Concat(flags, []string{checked}), without(raced)),
			testing(r, "tests with race detector", withRaces(env), slices.Concat(flags, []string{"-race"}), raced),
		}
	})
}

// TestQuick runs the short tests. Only those of the tools, which look at all modules, are never taken from the cache.
func TestQuick(ctx context.Context) error {
	isTools := func(m modules.Module) bool { return m.Name == "tools" }
	return tested(ctx, true, func(r *testrun.Run) []part {
		return []part{
			testing(r, "tests", nil, []string{"-short"}, without(isTools)),
			testing(r, "tests of tools", nil, []string{"-short", afresh}, isTools),
		}
	})
}

// tested does the parts, whose tests r runs, and reports on them.
func tested(ctx context.Context, short bool, parts func(r *testrun.Run) []part) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	r := testrun.New(os.Stdout)
	err = do(ctx, parts(r)...)
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, r.Report(testrun.Machine{Root: w.Root, Short: short, Environment: os.Getenv}))
}

const (
	afresh   = "-count=1" // runs tests even where their last result is known
	unvetted = "-vet=off" // leaves to the step before the tests what go vet finds

	// checked makes package runtime panic where it computes a pointer that points outside of its value. The race detector
	// implies it.
	checked = "-gcflags=github.com/stratakube/strata/runtime=-d=checkptr"
)

// abreast has the tests of three packages at least run at once, since those that wait for processes of theirs leave a
// processor of two idle.
func abreast() string { return fmt.Sprintf("-p=%d", max(3, runtime.GOMAXPROCS(0))) }

// shared is an environment in which every package is compiled once: without the names of folders and without C, as the
// programs of a cluster are and what tests generate. The go command downloads nothing in it.
func shared(ctx context.Context) ([]string, error) {
	flags, err := command.In{}.Output(ctx, "go", "env", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(flags), "-trimpath")
	return []string{"GOFLAGS=" + strings.Join(words, " "), "CGO_ENABLED=0", "GOPROXY=off"}, nil
}

// withRaces is an environment in which the race detector can be linked, which takes a C compiler.
func withRaces(env []string) []string { return append(slices.Clone(env), "CGO_ENABLED=1") }

// clusterPrograms builds the programs of a cluster, unless that has been done.
func clusterPrograms(ctx context.Context, _ *modules.Workspace) error {
	_, err := binaries.Build(ctx, say, binaries.Server...)
	return err
}

// testing is a step that tests the chosen modules, whose packages run side by side. It is left out where none is chosen.
func testing(r *testrun.Run, name string, env, flags []string, chosen func(modules.Module) bool) part {
	return func(w *modules.Workspace) []steps.Step {
		var patterns []string
		for _, m := range w.Modules {
			if chosen(m) {
				patterns = append(patterns, m.Pattern())
			}
		}
		if len(patterns) == 0 {
			return nil
		}
		in := command.In{Dir: w.Root, Env: env}
		return []steps.Step{{Name: name, Do: func(ctx context.Context) error { return r.Test(ctx, in, slices.Concat(flags, patterns)...) }}}
	}
}

// raced reports whether the tests of a module run under the race detector: they have many processes and goroutines at once.
// Where there is no C compiler they run without it.
func raced(m modules.Module) bool {
	return slices.Contains([]string{"operator", "operator/arm", "operator/plugin"}, m.Name) && hasCompiler()
}

func without(chosen func(modules.Module) bool) func(modules.Module) bool {
	return func(m modules.Module) bool { return !chosen(m) }
}

func hasCompiler() bool {
	_, err := exec.LookPath("gcc")
	return err == nil
}

// Corpus runs the tests on the whole corpus of real schemas, which the others run on a part of.
func Corpus(ctx context.Context) error {
	return do(ctx, one("corpus", func(ctx context.Context, w *modules.Workspace) error {
		in := atRoot(w)
		in.Env = []string{"STRATA_CORPUS=1"}
		return in.Go(ctx, "test", "-v", afresh, "-timeout=0", "./tools/corpus/...", "./tools/bench/generator", "./tools/bench/webhook")
	}))
}
