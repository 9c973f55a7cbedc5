// Command strata-plugin manages plugins of the operator: it creates new ones, lists those of a
// folder, and locks them. The command strata runs it as `strata plugin`.
package main

import (
	"os"

	"github.com/stratakube/strata/operator/plugin/internal/cli"
)

func main() { os.Exit(cli.Program.Main()) }
