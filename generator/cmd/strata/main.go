// Command strata generates versioned Kubernetes APIs, and the conversions
// between their versions, from published schemas.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/strata"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills
	return cli.Run(ctx, os.Args[1:], cli.System(), strata.Engine{})
}
