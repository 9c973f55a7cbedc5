// Package consumer tests that a module outside of the workspace, which requires only the packed
// runtime, builds and runs with GOWORK=off. The module is testdata/module. The package holds only
// the test.
package consumer
