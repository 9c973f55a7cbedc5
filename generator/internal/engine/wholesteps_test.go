package engine_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestWholeSteps runs generated code with hand-written steps of whole resources.
func TestWholeSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	testscript.Run(t, modular(t, "testdata/wholesteps"))
}
