// Command strata-operator reconciles the resources of the worked example. An operator for other
// types differs only in the types that it registers.
package main

import (
	"github.com/stratakube/strata/operator"
	"github.com/stratakube/strata/operator/api"
)

func main() { operator.Main(api.AddToScheme) }
