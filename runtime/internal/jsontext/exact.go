package jsontext

import (
	"github.com/stratakube/strata/runtime"
)

// HasLongNumber reports whether data has more digits in a row than every float64 can hold.
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

// IsExact reports whether a float64 says what the literal says that it was read from.
func IsExact(f float64, literal string) bool {
	if !HasLongNumber(runtime.JSON(literal)) {
		return true
	}
	text, err := Marshal(f)
	return err == nil && IsSameNumber(string(text), literal)
}
