// Command strata-load measures the operator's costs for several numbers of resources.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/bench/operator"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/e2e/env"
)

func main() {
	resources := flag.Int("resources", 5000, "how many resources there are")
	reports := flag.String("reports", "", "a folder that operator.md and ratios.json are written to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := measure(ctx, *resources)
	if err == nil && *reports != "" {
		err = errors.Join(
			os.WriteFile(filepath.Join(*reports, "operator.md"), []byte(p.Page()), 0o644),
			p.Ratios().Write(filepath.Join(*reports, ratios.File)),
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "strata-load: error:", err)
		os.Exit(1)
	}
	fmt.Print(p.Page())
}

// measure measures the operator, and a bare controller on another cluster.
func measure(ctx context.Context, resources int) (p operator.Pair, err error) {
	dir, err := os.MkdirTemp("", "strata-load-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	w, err := modules.Find(".")
	if err != nil {
		return p, err
	}
	built, err := env.Build(ctx, dir)
	if err != nil {
		return p, err
	}
	bare := built
	bare.Operator = filepath.Join(dir, "strata-bare")
	if err := programs.Build(ctx, command.In{Dir: w.Root}, bare.Operator, "./operator/internal/bare"); err != nil {
		return p, err
	}
	report("the operator")
	if p.Operator, err = run(ctx, w, built, resources); err != nil {
		return p, fmt.Errorf("the operator: %w", err)
	}
	report("a bare controller")
	if p.Bare, err = run(ctx, w, bare, resources); err != nil {
		return p, fmt.Errorf("a bare controller: %w", err)
	}
	return p, nil
}

// serverMemory is enough for the caches of an API server with thousands of resources. With the
// memory of other tests it collects garbage most of the time, which slows every writer down.
const serverMemory = "4GiB"

// run measures an operator on a new cluster.
func run(ctx context.Context, w *modules.Workspace, of env.Programs, resources int) (f operator.Figures, err error) {
	r, err := env.Open(ctx, env.Options{
		Programs: of, Definitions: filepath.Join(w.Root, "operator", "api", "crds"), Report: report, Memory: serverMemory,
		Simulator: armsim.Options{Schemas: []string{filepath.Join(w.Root, "schemas", "crm")}},
	})
	if err != nil {
		return f, err
	}
	defer func() {
		if closing := r.Close(); err == nil {
			err = closing
		}
	}()
	if err := r.Define(ctx); err != nil {
		return f, err
	}
	return operator.Run(ctx, r, resources, report)
}

func report(line string) { fmt.Fprintln(os.Stderr, line) }
