// Command strata-demo runs the story of package demo. `mage demo` builds it, and runs it in the
// workspace.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/stratakube/strata/tools/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	isTerminal := term.IsTerminal(int(os.Stdout.Fd()))
	err := demo.Run(ctx, demo.Options{
		Out: os.Stdout, Coloured: isTerminal && os.Getenv("NO_COLOR") == "", Stay: isTerminal,
		Report: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
