// Command strata-load measures the operator's costs for several numbers of resources.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/bench/operator"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/e2e/env"
)

func main() {
	resources := flag.Int("resources", 5000, "how many resources there are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	page, err := measure(ctx, *resources)
	if err != nil {
		fmt.Fprintln(os.Stderr, "strata-load: error:", err)
		os.Exit(1)
	}
	fmt.Print(page)
}

func measure(ctx context.Context, resources int) (_ string, err error) {
	dir, err := os.MkdirTemp("", "strata-load-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	w, err := modules.Find(".")
	if err != nil {
		return "", err
	}
	programs, err := env.Build(ctx, dir)
	if err != nil {
		return "", err
	}
	r, err := env.Open(ctx, env.Options{
		Programs: programs, Definitions: filepath.Join(w.Root, "operator", "api", "crds"), Report: report,
		Simulator: armsim.Options{Schemas: []string{filepath.Join(w.Root, "schemas", "crm")}},
	})
	if err != nil {
		return "", err
	}
	defer func() {
		if closing := r.Close(); err == nil {
			err = closing
		}
	}()
	if err := r.Define(ctx); err != nil {
		return "", err
	}
	f, err := operator.Run(ctx, r, resources, report)
	return operator.Page(f), err
}

func report(line string) { fmt.Fprintln(os.Stderr, line) }
