// Package gomodule finds the Go module and the workspace of a folder. The configuration, the
// front-end for Go packages, the stages that run the go command, and strata init use it.
package gomodule
