// Command program serves the conversions of all that is generated here.
package main

import (
	"corpus.strata.test/api"
	"github.com/stratakube/strata/webhook/server"
)

func main() { server.Main(api.AddToScheme) }
