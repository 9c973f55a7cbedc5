// Package source defines what every front-end returns: raw resources, versions that could not be
// understood, notes, and the files that were read.
//
// The front-ends are packages below it. They do not know each other; a table in the engine lists
// them.
package source
