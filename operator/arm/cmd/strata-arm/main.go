// Command strata-arm is the ARM provider. If a host of plugins starts it, it serves. Users call
// it as `strata arm` to import existing resources.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/stratakube/strata/operator/arm"
	"github.com/stratakube/strata/operator/arm/internal/cli"
	"github.com/stratakube/strata/operator/plugin"
)

func main() {
	if len(os.Args) > 1 {
		os.Exit(run(os.Args[1:]))
	}
	plugin.Serve(arm.Register)
}

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills the process
	code := cli.Run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	switch cause := context.Cause(ctx); {
	case cause == nil || code != cli.Failed:
		return code
	case strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()):
		return 143
	}
	return 130 // an interrupt
}
