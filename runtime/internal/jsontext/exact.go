package jsontext

import (
	"github.com/stratakube/strata/runtime"
)

// HasLongNumber reports whether data has more consecutive digits than a float64 can always
// represent.
func HasLongNumber(data runtime.JSON) bool {
	const safe = 15
	run := 0
	for _, c := range data {
		if c < '0' || c > '9' {
			run = 0
			continue
		}
		if run++; run > safe {
			return true
		}
	}
	return false
}

// IsExact reports whether a float64 has the value of the literal from which it was read.
func IsExact(f float64, literal string) bool {
	if !HasLongNumber(runtime.JSON(literal)) {
		return true
	}
	text, err := Marshal(f)
	return err == nil && IsSameNumber(string(text), literal)
}
