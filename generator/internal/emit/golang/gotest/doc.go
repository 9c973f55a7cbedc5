// Package gotest writes the generated tests of a plan: one test package for each group. Besides
// the types under test, it imports only the runtime and its packages.
package gotest
