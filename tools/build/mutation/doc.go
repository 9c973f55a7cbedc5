// Package mutation measures whether tests notice faults: it changes one operator of a package at a
// time, a mutant, and runs the package's tests. A mutant is killed if they fail. The target `mage
// mutate` calls it.
//
// Gremlins, a tool of the module tools/build/mutation/gremlins, finds what can be changed. All
// mutants of a package are then compiled into one program of its tests, each behind a switch that
// an environment variable sets: see switches.go.txt. What cannot be switched, as in a constant, is
// built alone. Both are overlays of the go command, and nothing is copied. A mutant is judged by
// the tests that reach it, the cheap ones first. Each result is stored under a hash of all that the
// tests are built of.
package mutation
