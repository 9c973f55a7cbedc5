// Package consumer proves that a module of somebody else's, which requires nothing of ours but the
// runtime, builds and runs: with GOWORK=off, in a folder outside of the workspace, against the
// packed runtime. The module is testdata/module. The package holds only the test.
package consumer
