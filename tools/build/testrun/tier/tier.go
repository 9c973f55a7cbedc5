package tier

import (
	"os"
	"testing"
)

// The environment variables that `mage test:long` and `mage soak` set to 1.
const (
	LongVariable = "STRATA_LONG"
	SoakVariable = "STRATA_SOAK"
)

// The kinds of reasons for which [Long] and [Soak] skip a test.
const (
	LongReason = "needs " + LongVariable + "=1"
	SoakReason = "needs " + SoakVariable + "=1"
)

// IsLong reports whether tests may take minutes, which they may while soaking, too.
func IsLong() bool { return os.Getenv(LongVariable) != "" || IsSoak() }

// IsSoak reports whether tests may take hours.
func IsSoak() bool { return os.Getenv(SoakVariable) != "" }

// IfLong returns the first value, or the second one where tests may take minutes.
func IfLong[T any](usual, long T) T {
	if IsLong() {
		return long
	}
	return usual
}

// IfSoak returns the first value, or the second one where tests may take hours.
func IfSoak[T any](usual, soaking T) T {
	if IsSoak() {
		return soaking
	}
	return usual
}

// Long skips a test unless tests may take minutes. does says what takes them, as in "upgrades
// through five releases".
func Long(t testing.TB, does string) {
	t.Helper()
	if !IsLong() {
		t.Skip(LongReason + ": " + does)
	}
}

// Soak skips a test unless tests may take hours. does says what takes them.
func Soak(t testing.TB, does string) {
	t.Helper()
	if !IsSoak() {
		t.Skip(SoakReason + ": " + does)
	}
}
