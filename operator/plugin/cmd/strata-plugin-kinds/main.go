// Command strata-plugin-kinds generates, checks and records the kinds of plugins that a project
// defines. Any Go module can use it: go get -tool
// github.com/stratakube/strata/operator/plugin/cmd/strata-plugin-kinds.
package main

import (
	"os"

	"github.com/stratakube/strata/operator/plugin/internal/kindcli"
)

func main() { os.Exit(kindcli.Program.Main()) }
