package verbs

import (
	"context"
	"os"

	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/run"
	"github.com/stratakube/strata/tools/step"
)

// part makes the steps of a part of a verb.
type part func(w *modules.Workspace) []step.Step

// do runs the steps of all parts and, where there are several, sums them up.
func do(ctx context.Context, parts ...part) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	var steps []step.Step
	for _, p := range parts {
		steps = append(steps, p(w)...)
	}
	return step.Run(ctx, os.Stderr, steps...)
}

// one is a part of one step.
func one(name string, act func(ctx context.Context, w *modules.Workspace) error) part {
	return func(w *modules.Workspace) []step.Step {
		return []step.Step{{Name: name, Do: func(ctx context.Context) error { return act(ctx, w) }}}
	}
}

// overAll is a part of one step: a go command over the packages of all modules, with additions to the environment.
func overAll(name string, env []string, args ...string) part {
	return one(name, func(ctx context.Context, w *modules.Workspace) error {
		return run.In{Dir: w.Root, Env: env}.Go(ctx, append(args, w.Patterns()...)...)
	})
}

func atRoot(w *modules.Workspace) run.In { return run.In{Dir: w.Root} }
