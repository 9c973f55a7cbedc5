// Package kinds lists the kinds of plugins, for code that treats all alike. A new kind is a line
// here.
package kinds

import (
	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/credentials"
	"github.com/stratakube/strata/operator/plugin/provider"
)

// All are the newest versions of all kinds.
var All = []contract.Kind{credentials.Latest, provider.Latest}
