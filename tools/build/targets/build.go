package targets

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// ArgsVariable names the environment variable that holds further flags for the generator, separated
// by spaces.
const ArgsVariable = "STRATA_ARGS"

const strata = "./generator/cmd/strata"

// workedExample is the configuration of the worked example.
const workedExample = "schemas/crm/strata.yaml"

// examples are the configurations whose output is committed: the worked example, the types of the
// webhook's tests, and the cluster-scoped kind of the suites that run operators.
var examples = []string{workedExample, "webhook/internal/example/strata.yaml", "tools/e2e/teams/strata.yaml"}

// commands are the commands that users run.
var commands = []string{
	strata, "./operator/arm/cmd/strata-arm", "./operator/cluster/cmd/strata-cluster", "./operator/cmd/strata-operator",
	"./operator/plugin/cmd/strata-plugin", "./tools/armsim/cmd/strata-armsim", "./operator/cmd/strata-webhook",
}

// Generate runs the generator on all examples. With flags of the user it runs on the worked example
// alone: flags name files and resources of one configuration.
func Generate(ctx context.Context) error {
	flags := strings.Fields(os.Getenv(ArgsVariable))
	if len(flags) > 0 {
		return do(ctx, generator("generate", nil, []string{workedExample}, flags...))
	}
	return do(ctx, generator("generate", nil, examples))
}

// drift fails when committed output is not what its schemas give.
func drift(env []string) part { return generator("drift", env, examples, "--check") }

func generator(name string, env, examples []string, flags ...string) part {
	return one(name, func(ctx context.Context, w *modules.Workspace) error {
		var errs []error
		for _, example := range examples {
			args := []string{"run", strata, "generate", "--config", example}
			errs = append(errs, command.In{Dir: w.Root, Env: env}.Go(ctx, append(args, flags...)...))
		}
		return errors.Join(errs...)
	})
}

// Build compiles all packages, and puts the commands into bin.
func Build(ctx context.Context) error {
	return do(ctx, overAll("build", nil, "build"), one("bin", func(ctx context.Context, w *modules.Workspace) error {
		return atRoot(w).Go(ctx, append([]string{"build", "-o", "bin/"}, commands...)...)
	}))
}
