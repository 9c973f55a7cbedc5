// Command strata-cluster inspects the stored objects of clusters, and stores them in another
// version. The command strata runs it as `strata cluster`.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/stratakube/strata/operator/cluster/internal/cli"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills the process
	code := cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr, Screen: terminal.Of(os.Stdout)})
	switch cause := context.Cause(ctx); {
	case cause == nil || code != cli.Failed:
		return code
	case strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()):
		return 143
	}
	return 130 // an interrupt
}
