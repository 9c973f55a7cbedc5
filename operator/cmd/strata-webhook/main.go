// Command strata-webhook serves the conversions of the worked example. A webhook for other types
// looks like it.
package main

import (
	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/webhook/server"
)

func main() { server.Main(api.AddToScheme) }
