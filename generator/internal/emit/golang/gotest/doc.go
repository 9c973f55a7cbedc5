// Package gotest writes the generated proofs of a plan: one test package for
// each group, which needs only the runtime's conformance package beside the
// types under test.
package gotest
