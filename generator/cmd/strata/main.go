// Command strata generates versioned Kubernetes APIs, and the conversions
// between their versions, from published schemas.
package main

import (
	"context"
	"os"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/collector"
	"github.com/stratakube/strata/generator/internal/engine"
)

func main() { os.Exit(run()) }

func run() int {
	if os.Getenv("GOGC") == "" {
		collector.Tune()
	}
	ctx, stop := cli.Signals(context.Background())
	defer stop()
	return cli.Run(ctx, os.Args[1:], cli.System(), engine.Engine{})
}
