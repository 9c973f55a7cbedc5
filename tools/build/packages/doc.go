// Package packages lists the packages of the workspace with their imports. It finds the
// benchmarks, fuzz tests and tests with goroutines among their tests. The go command decides
// which files count.
package packages
