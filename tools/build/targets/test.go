package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/testrun"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// Test checks everything that needs no corpus: vet, lint, drift of the committed examples, and the
// tests of all modules that show that each mechanism works. The tests of tools include those of the
// workspace itself: an outside module builds with it, and imports keep to the layers. It leaves the
// packages in lengthy to TestLong, and runs those in watched under the race detector.
//
// It downloads what these tests build first. Later steps may not download anything, so that a test
// with a hidden download fails. It builds the programs of a cluster before the tests that need
// them, because these tests could not report how long that takes.
//
// It never takes results from the cache: the go command does not see that a test reads the files
// of another module, or schemas. It links no program of tests without C that an earlier run has
// linked of the same code.
func Test(ctx context.Context) error {
	env, err := shared(ctx)
	if err != nil {
		return err
	}
	return tested(ctx, testrun.Machine{Environment: os.Getenv, Left: lengthy}, func(r *testrun.Run) []part {
		return []part{
			download(usualTests),
			overAll("vet", env, "vet"),
			golangci(env),
			drift(env),
			one("cluster programs", clusterPrograms),
			goTest(r, "tests", func(ctx context.Context, w *modules.Workspace) ([][]batch, error) {
				return complete(ctx, w, env, "-timeout=60m", lengthy, watched)
			}),
		}
	})
}

// TestLong runs all tests as Test does, and also those that take the processors minutes.
func TestLong(ctx context.Context) error {
	env, err := shared(ctx)
	if err != nil {
		return err
	}
	return tested(ctx, testrun.Machine{Environment: long}, func(r *testrun.Run) []part {
		return []part{
			download(longTests),
			one("cluster programs", clusterPrograms),
			goTest(r, "tests", func(ctx context.Context, w *modules.Workspace) ([][]batch, error) {
				return complete(ctx, w, append(env, tier.LongVariable+"=1"), "-timeout=0", nil, nil)
			}),
		}
	})
}

// long is the environment of TestLong.
func long(name string) string {
	if name == tier.LongVariable {
		return "1"
	}
	return os.Getenv(name)
}

// complete returns all tests but those below the folders in left. Tests whose flags differ from
// those of the programs compile their imports again, and run beside the others. watched is for
// racing. Programs of tests without C are linked once for all runs.
func complete(ctx context.Context, w *modules.Workspace, env []string, timeout string, left, watched []string) ([][]batch, error) {
	stored := storing(ctx, w, env)
	flags := func(more ...string) []string {
		return slices.Concat([]string{afresh, timeout, unvetted}, stored, more)
	}
	processors := runtime.GOMAXPROCS(0)
	most, few := fmt.Sprintf("-p=%d", max(3, processors)), fmt.Sprintf("-p=%d", max(2, processors/2))
	races, err := racing(ctx, w, env, flags(few), watched)
	if err != nil {
		return nil, err
	}
	ordered, err := inOrder(ctx, w, left)
	if err != nil {
		return nil, err
	}
	return [][]batch{
		{{env, flags(most), slices.Concat(ordered, races.rest)}},
		append([]batch{{env, flags(few, checkptr), patterns(w, checked)}}, races.batches()...),
	}, nil
}

// TestQuick runs the short tests, compiled as Test compiles them. Only those of the tools, which
// look at all modules, are never taken from the cache.
func TestQuick(ctx context.Context) error {
	env, err := compiledOnce(ctx)
	if err != nil {
		return err
	}
	return tested(ctx, testrun.Machine{Short: true, Environment: os.Getenv}, func(r *testrun.Run) []part {
		return []part{
			goTest(r, "tests", func(_ context.Context, w *modules.Workspace) ([][]batch, error) {
				return [][]batch{{
					{env, []string{"-short"}, patterns(w, without(isTools))},
					{env, []string{"-short", afresh}, patterns(w, isTools)},
				}}, nil
			}),
		}
	})
}

// tested does the parts, whose tests r runs, and reports on them. It sets the root of m.
func tested(ctx context.Context, m testrun.Machine, parts func(r *testrun.Run) []part) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	r := testrun.New(os.Stdout)
	err = do(ctx, parts(r)...)
	if ctx.Err() != nil {
		return err
	}
	m.Root = w.Root
	return errors.Join(err, r.Report(m))
}

const (
	afresh   = "-count=1" // runs tests even where their last result is known
	unvetted = "-vet=off" // leaves to the step before the tests what go vet finds

	// checkptr makes the packages of runtime panic where they compute a pointer that points outside
	// of its value. The race detector implies it. What imports one of them is compiled once more
	// with it.
	checkptr = "-gcflags=github.com/stratakube/strata/runtime/...=-d=checkptr"
)

// shared is the environment of compiledOnce, in which the go command downloads nothing.
func shared(ctx context.Context) ([]string, error) {
	env, err := compiledOnce(ctx)
	return append(env, "GOPROXY=off"), err
}

// compiledOnce returns an environment in which every package is compiled once for all folders of
// a clone: without names of folders and without C, as for the programs of a cluster and for
// generated code. Compilers, linkers and tests collect garbage less often than Go does by
// default, which takes a quarter of their processor time, until they use 2 GiB.
func compiledOnce(ctx context.Context) ([]string, error) {
	flags, err := command.In{}.Output(ctx, "go", "env", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(flags), "-trimpath")
	return []string{"GOFLAGS=" + strings.Join(words, " "), "CGO_ENABLED=0", "GOGC=400", "GOMEMLIMIT=2GiB"}, nil
}

// clusterPrograms builds the programs of a cluster, unless that has been done.
func clusterPrograms(ctx context.Context, _ *modules.Workspace) error {
	_, err := binaries.Build(ctx, printLine, binaries.Server...)
	return err
}

// batch is a go test command on some packages.
type batch struct {
	env, flags []string
	patterns   []string
}

// lane is the command of the batch, or empty where there are no packages.
func (b batch) lane(w *modules.Workspace) testrun.Lane {
	if len(b.patterns) == 0 {
		return nil
	}
	return testrun.Lane{{In: command.In{Dir: w.Root, Env: b.env}, Args: slices.Concat(b.flags, b.patterns)}}
}

// goTest is a step that runs lists of batches at the same time, and the batches of a list one
// after the other.
func goTest(r *testrun.Run, name string, lists func(context.Context, *modules.Workspace) ([][]batch, error)) part {
	return one(name, func(ctx context.Context, w *modules.Workspace) error {
		all, err := lists(ctx, w)
		if err != nil {
			return err
		}
		var lanes []testrun.Lane
		for _, list := range all {
			var lane testrun.Lane
			for _, b := range list {
				lane = append(lane, b.lane(w)...)
			}
			lanes = append(lanes, lane)
		}
		return r.Test(ctx, lanes...)
	})
}

// patterns match the packages of the chosen modules.
func patterns(w *modules.Workspace, chosen func(modules.Module) bool) []string {
	return chosenOf(w, chosen).Patterns()
}

// chosenOf is the workspace with the chosen modules alone.
func chosenOf(w *modules.Workspace, chosen func(modules.Module) bool) *modules.Workspace {
	return &modules.Workspace{Root: w.Root, Modules: slices.DeleteFunc(slices.Clone(w.Modules), without(chosen))}
}

// checked reports whether the tests of a module are those of package runtime, or run most of its
// code. Those of operators are, too, where there is no race detector.
func checked(m modules.Module) bool {
	return slices.Contains([]string{"runtime", "operator/api", "webhook"}, m.Name) || concurrent(m) && !raced(m)
}

// rest reports whether a module is tested without any check that costs time.
func rest(m modules.Module) bool { return !checked(m) && !raced(m) }

func without(chosen func(modules.Module) bool) func(modules.Module) bool {
	return func(m modules.Module) bool { return !chosen(m) }
}

// Corpus runs the tests on the whole corpus of real schemas, which the others run on a part of.
func Corpus(ctx context.Context) error {
	return do(ctx, one("corpus", func(ctx context.Context, w *modules.Workspace) error {
		in := atRoot(w)
		in.Env = []string{"STRATA_CORPUS=1", tier.LongVariable + "=1"}
		return in.Go(ctx, "test", "-v", afresh, "-timeout=0", "./tools/corpus/...", "./tools/e2e/olderobjects", "./tools/bench/generator", "./tools/bench/webhook")
	}))
}

// isTools reports whether m is the module of Strata's own tests and build, which no user imports.
func isTools(m modules.Module) bool { return m.Name == "tools" }
