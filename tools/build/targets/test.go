package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/steps"
	"github.com/stratakube/strata/tools/build/testrun"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// Test checks everything that needs no corpus: vet, lint, drift of the committed examples, and all
// tests of all modules. Among those of tools are tests of the workspace itself: that each module
// builds alone, that an outside module does, and that imports keep to the layers.
//
// All modules are downloaded first. Later steps may not download any, so that a test that would do
// so unnoticed fails. The programs of a cluster come before the tests that need them, which could
// not tell how long that takes.
//
// Results are never taken from the cache: the go command does not see that a test reads the files
// of another module, or schemas.
func Test(ctx context.Context) error {
	env, err := shared(ctx)
	if err != nil {
		return err
	}
	return tested(ctx, false, func(r *testrun.Run) []part {
		return []part{
			download(func(b box) bool { return b.tested }),
			overAll("vet", env, "vet"),
			golangci(env),
			drift(env),
			one("cluster programs", clusterPrograms),
			testing(r, "tests", func(w *modules.Workspace) [][]batch { return complete(w, env) }),
		}
	})
}

// complete are all tests. Those that are compiled in another way than the programs, which repeat
// what they import for it, run beside the others.
func complete(w *modules.Workspace, env []string) [][]batch {
	flags := func(more ...string) []string { return append([]string{afresh, "-timeout=60m", unvetted}, more...) }
	processors := runtime.GOMAXPROCS(0)
	most, few := fmt.Sprintf("-p=%d", max(3, processors)), fmt.Sprintf("-p=%d", max(1, processors/2))
	return [][]batch{
		{{env, flags(most), rest, early(w)}},
		{{env, flags(few, checkptr), checked, nil}, {withRaces(env), flags(few, "-race"), raced, nil}},
	}
}

// TestQuick runs the short tests. Only those of the tools, which look at all modules, are never
// taken from the cache.
func TestQuick(ctx context.Context) error {
	isTools := func(m modules.Module) bool { return m.Name == "tools" }
	return tested(ctx, true, func(r *testrun.Run) []part {
		return []part{
			testing(r, "tests", func(*modules.Workspace) [][]batch {
				return [][]batch{{{nil, []string{"-short"}, without(isTools), nil}, {nil, []string{"-short", afresh}, isTools, nil}}}
			}),
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

	// checkptr makes the packages of runtime panic where they compute a pointer that points outside
	// of its value. The race detector implies it. What imports one of them is compiled once more
	// with it.
	checkptr = "-gcflags=github.com/stratakube/strata/runtime/...=-d=checkptr"
)

// shared is an environment in which every package is compiled once: without the names of folders
// and without C, as the programs of a cluster are and what tests generate. The go command downloads
// nothing in it. Compilers, linkers and tests collect garbage less often than Go does by default,
// which takes a quarter of their processor time, until they hold 2 GiB.
func shared(ctx context.Context) ([]string, error) {
	flags, err := command.In{}.Output(ctx, "go", "env", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(flags), "-trimpath")
	return []string{"GOFLAGS=" + strings.Join(words, " "), "CGO_ENABLED=0", "GOPROXY=off", "GOGC=400", "GOMEMLIMIT=2GiB"}, nil
}

// withRaces is an environment in which the race detector can be linked, which takes a C compiler.
func withRaces(env []string) []string { return append(slices.Clone(env), "CGO_ENABLED=1") }

// clusterPrograms builds the programs of a cluster, unless that has been done.
func clusterPrograms(ctx context.Context, _ *modules.Workspace) error {
	_, err := binaries.Build(ctx, say, binaries.Server...)
	return err
}

// batch is a go test command on some modules.
type batch struct {
	env, flags []string
	chosen     func(modules.Module) bool
	first      []string // packages of the chosen modules that begin before the others
}

// lane is the command of the batch, or empty where no module is chosen.
func (b batch) lane(w *modules.Workspace) testrun.Lane {
	patterns := slices.Clone(b.first)
	for _, m := range w.Modules {
		if b.chosen(m) {
			patterns = append(patterns, m.Pattern())
		}
	}
	if len(patterns) == len(b.first) {
		return nil
	}
	return testrun.Lane{{In: command.In{Dir: w.Root, Env: b.env}, Args: slices.Concat(b.flags, patterns)}}
}

// testing is a step that runs lists of batches at the same time, and the batches of a list one
// after the other.
func testing(r *testrun.Run, name string, lists func(*modules.Workspace) [][]batch) part {
	return func(w *modules.Workspace) []steps.Step {
		var lanes []testrun.Lane
		for _, list := range lists(w) {
			var lane testrun.Lane
			for _, b := range list {
				lane = append(lane, b.lane(w)...)
			}
			lanes = append(lanes, lane)
		}
		return []steps.Step{{Name: name, Do: func(ctx context.Context) error { return r.Test(ctx, lanes...) }}}
	}
}

// early are packages whose tests take longest and wait for processes of theirs. They begin first,
// so that others use the processors meanwhile and no processor is idle in the end.
func early(w *modules.Workspace) []string {
	var there []string
	for _, folder := range []string{"tools/e2e/chaos", "generator/internal/engine", "tools/e2e", "tools/bench", "tools/demo", "tools/corpus"} {
		if _, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(folder))); err == nil {
			there = append(there, "./"+folder+"/...")
		}
	}
	return there
}

// checked reports whether the tests of a module are those of package runtime, or run most of its
// code, and those of operators if they do not run under the race detector.
func checked(m modules.Module) bool {
	return slices.Contains([]string{"runtime", "operator/api", "webhook"}, m.Name) || concurrent(m) && !raced(m)
}

// rest reports whether a module is tested without any check that costs time.
func rest(m modules.Module) bool { return !checked(m) && !raced(m) }

// raced reports whether the tests of a module run under the race detector. Where there is no C
// compiler they run without it, but with checks of pointers.
func raced(m modules.Module) bool { return concurrent(m) && hasCompiler() }

// concurrent reports whether a module has many processes and goroutines at once.
func concurrent(m modules.Module) bool {
	return slices.Contains([]string{"operator", "operator/arm", "operator/plugin"}, m.Name)
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
