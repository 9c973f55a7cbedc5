// Command strata generates versioned Kubernetes APIs, and the conversions
// between their versions, from published schemas.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
)

func main() { os.Exit(run()) }

// A run lives for seconds and keeps nearly all that it makes: it collects garbage
// seldom, as long as memory allows.
const (
	garbagePercent = 1000
	softMemory     = 700 << 20
)

func run() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
		debug.SetMemoryLimit(softMemory)
	}
	ctx, stop := cli.Signals(context.Background())
	defer stop()
	return cli.Run(ctx, os.Args[1:], cli.System(), engine.Engine{})
}
