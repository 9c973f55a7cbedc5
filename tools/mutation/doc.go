// Package mutation measures whether tests notice faults: it changes one operator of a package at a time, a mutant, and runs
// the package's tests. A mutant is killed if they fail. The target `mage mutate` calls it.
//
// Gremlins, a tool of the module tools/mutate, finds what can be changed and what tests reach. The mutants run here, since
// gremlins runs them in copies of a module's folder, which are outside of go.work, counts what does not compile as killed,
// and forgets the results of a run that was stopped. Here a mutant is an overlay of the go command, nothing is copied, and
// each result is stored under a hash of all that the tests are built of.
package mutation
