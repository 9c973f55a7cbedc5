package engine_test

import (
	"os"
	"testing"
)

// isLong reports whether `mage test:long` or `mage soak` runs the tests, which may take minutes.
func isLong() bool { return os.Getenv("STRATA_LONG") != "" || os.Getenv("STRATA_SOAK") != "" }

// long skips a test unless tests may take minutes.
func long(t *testing.T) {
	t.Helper()
	if !isLong() {
		t.Skip("needs STRATA_LONG=1: takes long")
	}
}
