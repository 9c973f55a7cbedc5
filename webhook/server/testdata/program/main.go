// Command program serves the conversions of the types of tests.
package main

import (
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/server"
)

func main() { server.Main(example.AddToScheme) }
