// Package gomodule finds the Go module of a folder. The configuration, the stages that run the go
// command, and strata init use it.
package gomodule
