package engine_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSeeds runs the examples of the documents that Strata began with, from the first command to
// the converted object. Each archive has schemas, hand-written steps and a program, in a module
// that requires what generated code does.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles much")
	}
	testscript.Run(t, modular(t, "testdata/seeds"))
}

// modular returns how the archives of a folder run, each as a module that requires what generated
// code does.
func modular(t *testing.T, dir string) testscript.Params {
	p := params(t, dir)
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("GOWORK", "off")
		env.Setenv("GOFLAGS", "-mod=mod -trimpath")
		module(t, env.WorkDir)
		return setup(env)
	}
	return p
}
