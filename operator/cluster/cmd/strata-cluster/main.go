// Command strata-cluster inspects the stored objects of clusters. The command strata runs it as
// `strata cluster`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratakube/strata/operator/cluster/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills the process
	return cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr})
}
