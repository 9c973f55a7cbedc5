//go:build race

package chaos_test

import "github.com/stratakube/strata/tools/e2e/env"

// buildFlags are the flags with which the storm builds the operator and its plugins.
var buildFlags = []string{env.Race}
