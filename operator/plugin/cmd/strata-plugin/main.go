// Command strata-plugin manages plugins of the operator: it creates new ones, lists those of a
// folder, and locks them. The command strata runs it as `strata plugin`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratakube/strata/operator/plugin/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills the process
	return cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr})
}
