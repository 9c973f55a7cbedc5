// Package programs builds the commands that tests, the demo and benchmarks start as processes.
//
// Linking a command takes seconds. `go run` stores linked programs in the build cache, and `go
// build` does not. Build therefore lets `go run` copy the program instead of starting it, so that
// each version of a command is linked once for all suites, worktrees and runs.
package programs
