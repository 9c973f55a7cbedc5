package planned

import "github.com/stratakube/strata/runtime/convert"

// Knows reports whether the table names an engine for a reason.
func Knows(why convert.Refusal) bool {
	_, ok := successors[why]
	return ok
}
