// Package gofile writes Go source files: it tracks imports, knows where the
// packages of the output lie, and writes text that is in gofmt's form already.
package gofile
