package targets

import (
	"context"
	"os"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// ArgsVariable names the environment variable that holds further flags for the generator, separated
// by spaces.
const ArgsVariable = "STRATA_ARGS"

const (
	strata  = "./generator/cmd/strata"
	example = "schemas/crm/strata.yaml"
)

// commands are what people run.
var commands = []string{
	strata, "./operator/arm/cmd/strata-arm", "./operator/cluster/cmd/strata-cluster", "./operator/cmd/strata-operator",
	"./operator/plugin/cmd/strata-plugin", "./tools/armsim/cmd/strata-armsim", "./operator/cmd/strata-webhook",
}

// Generate runs the generator on the worked example.
func Generate(ctx context.Context) error {
	return do(ctx, generator("generate", nil, strings.Fields(os.Getenv(ArgsVariable))...))
}

// drift fails when the committed output of the worked example is not what its schemas give.
func drift(env []string) part { return generator("drift", env, "--check") }

func generator(name string, env []string, flags ...string) part {
	return one(name, func(ctx context.Context, w *modules.Workspace) error {
		args := []string{"run", strata, "generate", "--config", example}
		return command.In{Dir: w.Root, Env: env}.Go(ctx, append(args, flags...)...)
	})
}

// Build compiles all packages, and puts the commands into bin.
func Build(ctx context.Context) error {
	return do(ctx, overAll("build", nil, "build"), one("bin", func(ctx context.Context, w *modules.Workspace) error {
		return atRoot(w).Go(ctx, append([]string{"build", "-o", "bin/"}, commands...)...)
	}))
}
