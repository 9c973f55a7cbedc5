package verbs

import (
	"context"
	"os/exec"
	"slices"

	"github.com/stratakube/strata/tools/assets"
	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/step"
)

// Test proves everything that is proved without the corpus: vet, drift of the worked example, and
// all tests of all modules. Among those of tools are the proofs about the workspace itself: that
// each module builds alone, that an outside module does, and that imports keep to the layers.
//
// The programs of a cluster come before the tests that need them, which could not tell how long that takes.
//
// Results are never taken from the cache: the go command does not see that a test reads the files
// of another module, or schemas.
func Test(ctx context.Context) error {
	return do(ctx, vet, drift, one("cluster programs", programs), tests(afresh, "-timeout=60m"))
}

// TestQuick runs the short tests. Only those of the tools, which look at all modules, are never
// taken from the cache.
func TestQuick(ctx context.Context) error {
	return do(ctx, tests("-short"))
}

// afresh runs tests even where their last result is known.
const afresh = "-count=1"

var vet = overAll("vet", "vet")

// programs builds the programs of a cluster, unless that has been done.
func programs(ctx context.Context, _ *modules.Workspace) error {
	_, err := assets.Build(ctx, say, assets.Server...)
	return err
}

// tests is a step for each module, in the order of the workspace.
func tests(flags ...string) part {
	return func(w *modules.Workspace) []step.Step {
		var steps []step.Step
		for _, m := range w.Modules {
			steps = append(steps, step.Step{
				Name: "test " + m.Name,
				Do:   func(ctx context.Context) error { return atRoot(w).Go(ctx, testing(m, flags)...) },
			})
		}
		return steps
	}
}

func testing(m modules.Module, flags []string) []string {
	args := append([]string{"test"}, flags...)
	if slices.Contains(raced, m.Name) && slices.Contains(flags, afresh) && hasCompiler() {
		args = append(args, "-race")
	}
	if m.Name == "tools" && !slices.Contains(flags, afresh) {
		args = append(args, afresh)
	}
	return append(args, m.Pattern())
}

// raced are the modules whose tests have many processes and goroutines at once: they run under the race detector, which is
// linked by a C compiler.
var raced = []string{"operator", "operator/arm", "operator/plugin"}

func hasCompiler() bool {
	_, err := exec.LookPath("gcc")
	return err == nil
}

// Corpus runs the tests on the whole corpus of real schemas, which the others run on a part of.
func Corpus(ctx context.Context) error {
	return do(ctx, one("corpus", func(ctx context.Context, w *modules.Workspace) error {
		in := atRoot(w)
		in.Env = []string{"STRATA_CORPUS=1"}
		return in.Go(ctx, "test", "-v", afresh, "-timeout=0", "./tools/corpus/...")
	}))
}
