// Package packages lists the packages of the workspace with what they import, and finds the
// benchmarks, fuzz tests and tests with goroutines among their tests. It asks the go command which
// files count.
package packages
