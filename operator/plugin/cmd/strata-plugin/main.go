// Command strata-plugin looks after plugins of the operator: it writes new ones, lists those of a folder, and locks them.
// The command strata finds it as `strata plugin`.
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
	context.AfterFunc(ctx, stop) // so that a second signal kills
	return cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr})
}
