// Package parallel runs many independent pieces of work at once. Each has its own place for its
// result, so that the number of workers does not affect the result.
package parallel
