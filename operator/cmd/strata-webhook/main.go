// Command strata-webhook serves the conversions of the worked example. A webhook for other types
// differs only in the types that it registers.
package main

import (
	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/webhook/server"
)

func main() { server.Main(api.AddToScheme) }
