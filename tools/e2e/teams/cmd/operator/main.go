// Command operator reconciles the resources of the worked example, and teams.
package main

import (
	"github.com/stratakube/strata/operator"
	example "github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/tools/e2e/teams/api"
)

func main() { operator.Main(example.AddToScheme, api.AddToScheme) }
