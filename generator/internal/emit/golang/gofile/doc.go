// Package gofile writes Go source files. It tracks imports, knows the import paths of generated
// packages, and writes code in gofmt's form.
package gofile
