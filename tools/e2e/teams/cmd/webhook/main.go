// Command webhook serves the conversions of the worked example, and of teams.
package main

import (
	example "github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/tools/e2e/teams/api"
	"github.com/stratakube/strata/webhook/server"
)

func main() { server.Main(example.AddToScheme, api.AddToScheme) }
