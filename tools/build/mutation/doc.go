// Package mutation measures whether tests notice faults. It changes one operator of a package at
// a time, which is a mutant, and runs the package's tests. A mutant is killed if they fail. The
// target `mage mutate` calls it.
//
// Gremlins, a tool of the module tools/build/mutation/gremlins, finds the operators. Package
// mutation then compiles all mutants of a package into one test program, each behind a switch
// that an environment variable sets: see switches.go.txt. A mutant that cannot have a switch, as
// in a constant, has a program of its own. Both are overlays of the go command, without copies.
// The tests that reach a mutant judge it, the cheap ones first. Each result is stored under a
// hash of all inputs of the tests.
package mutation
