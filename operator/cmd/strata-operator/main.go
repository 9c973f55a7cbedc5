// Command strata-operator reconciles the resources of the worked example. An operator for other
// types looks like it.
package main

import (
	"github.com/stratakube/strata/operator"
	"github.com/stratakube/strata/operator/api"
)

func main() { operator.Main(api.AddToScheme) }
