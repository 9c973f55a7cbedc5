// Package source owns what every front-end hands to the floors above it: raw
// resources, what could not be understood, notes, and the files that were read.
//
// The front-ends are packages below it. They do not know each other; a table of
// the pipeline lists them.
package source
