// Command strata-image builds container images of the webhook and the operator of a generated API,
// without a container engine and without a registry. The command strata runs it as `strata image`.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/stratakube/strata/operator/image/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal kills the process
	log.SetOutput(io.Discard)    // ko logs each step
	code := work(ctx)
	switch cause := context.Cause(ctx); {
	case cause == nil || code != cli.Failed:
		return code
	case strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()):
		return 143
	}
	return 130 // an interrupt
}

// grace is how long the work may take to end after a signal. ko looks for commands with the go
// command, which may wait for a network and does not get the signal.
const grace = 800 * time.Millisecond

// work runs the command line, and returns its exit code. After a signal it returns soon.
func work(ctx context.Context) int {
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr}) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		return code
	case <-time.After(grace):
		return cli.Failed
	}
}
