// Package strata is a run of the generator: it reads the configuration, hands
// the sources from floor to floor, and writes what came out. It decides nothing
// that a floor decides.
package engine
