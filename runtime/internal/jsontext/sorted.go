package jsontext

import "github.com/stratakube/strata/runtime"

// Sorted returns JSON with sorted members, and other text as it is.
func Sorted(text runtime.JSON) runtime.JSON {
	if parsed, err := Parse(text); err == nil {
		return Encode(parsed)
	}
	return text
}
