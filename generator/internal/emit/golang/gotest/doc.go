// Package gotest writes the generated tests of a plan: one test package for each group, which needs
// only the conformance package of the runtime beside the types under test.
package gotest
