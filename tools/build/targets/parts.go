package targets

import (
	"context"
	"os"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/steps"
)

// part makes the steps of a part of a verb.
type part func(w *modules.Workspace) []steps.Step

// do runs the steps of all parts and, where there are several, sums them up.
func do(ctx context.Context, parts ...part) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	var all []steps.Step
	for _, p := range parts {
		all = append(all, p(w)...)
	}
	return steps.Run(ctx, os.Stderr, all...)
}

// one is a part of one step.
func one(name string, act func(ctx context.Context, w *modules.Workspace) error) part {
	return func(w *modules.Workspace) []steps.Step {
		return []steps.Step{{Name: name, Do: func(ctx context.Context) error { return act(ctx, w) }}}
	}
}

// overAll is a part of one step: a go command over the packages of all modules, with additions to
// the environment.
func overAll(name string, env []string, args ...string) part {
	return one(name, func(ctx context.Context, w *modules.Workspace) error {
		return command.In{Dir: w.Root, Env: env}.Go(ctx, append(args, w.Patterns()...)...)
	})
}

func atRoot(w *modules.Workspace) command.In { return command.In{Dir: w.Root} }
