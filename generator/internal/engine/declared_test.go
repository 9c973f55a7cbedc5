package engine_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDeclared runs the changes that users declare beyond names, from strata.yaml to the converted
// object. Each archive has schemas and a program, in a module that requires what generated code
// does.
func TestDeclared(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	testscript.Run(t, modular(t, "testdata/declared"))
}
