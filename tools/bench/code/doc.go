// Package code measures what generated code costs its users: the processor time to compile it, the
// size of a program that registers it, and the processor time and heap until it is registered. It
// compares code that Strata generates with Azure Service Operator, for the same resources in the
// same API versions. It also measures a process that registers the types of all ARM schemas.
//
// The command strata-code, which is `mage bench:code`, prints the figures.
package code
