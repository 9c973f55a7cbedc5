package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/output"
)

// watch is the command that generates and checks again after each change.
func (a *app) watch() *cobra.Command {
	var flags flags
	var interval time.Duration
	c := &cobra.Command{
		Use:   "watch",
		Short: "generate and check each time that a file changes",
		Long: "watch does what generate and check do, and repeats it each time that the configuration, a schema, a Go\n" +
			"package of the sources or a hand-written file changes. It ends with an interrupt.",
		Example: "  strata watch\n  strata watch --interval 5s",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if interval < leastInterval {
				return wrongUsage(c, fmt.Errorf("--interval is at least %s, not %s", leastInterval, interval))
			}
			return a.runWatch(c.Context(), &flags, interval)
		},
	}
	flags.add(a, c)
	c.Flags().DurationVar(&interval, "interval", time.Second, "how often to look at the files")
	return c
}

// leastInterval keeps a watch of many files from using a whole processor.
const leastInterval = 100 * time.Millisecond

// runWatch generates and checks until the context ends. It looks at the files before each run, so
// that it sees what changes meanwhile. While files change, it waits.
func (a *app) runWatch(ctx context.Context, flags *flags, interval time.Duration) error {
	var done, seen output.Digest
	for first := true; ; first = false {
		request, err := flags.request(a)
		if err != nil {
			return err
		}
		now, err := within(ctx, func() (output.Digest, error) { return a.engine.Inputs(ctx, request) })
		if err != nil {
			return interrupted(err)
		}
		if first || now == seen && now != done {
			if err := a.generateAndCheck(ctx, flags); err != nil || ctx.Err() != nil {
				return err
			}
			done = now
			if _, err := fmt.Fprintln(a.streams.Err, "strata: waiting for changes"); err != nil {
				return err
			}
		}
		seen = now
		select {
		case <-ctx.Done():
			return interrupted(ctx.Err())
		case <-time.After(interval):
		}
	}
}

// generateAndCheck runs both commands, and prints their results. Errors of schemas do not end the
// watch. A check needs a configuration that generate accepts.
func (a *app) generateAndCheck(ctx context.Context, flags *flags) error {
	request, err := flags.request(a)
	if err != nil {
		return err
	}
	a.code = Done
	if err := a.runGenerate(ctx, engine.GenerateRequest{Request: request}, newFormat(table)); err != nil || a.code != Done {
		return err
	}
	if request, err = flags.request(a); err != nil {
		return err
	}
	result, err := within(ctx, func() (engine.CheckResult, error) { return a.engine.Check(ctx, engine.CheckRequest{Request: request}) })
	return a.give(request, err, newFormat(table), checkAnswer{result}.answer(request))
}
