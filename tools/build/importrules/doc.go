// Package importrules states which package of the workspace may import which, with the reason for
// each ban. The table is in bans.go. The test of this package reads the imports by the go
// command, and prints every import that the table forbids.
//
// A path that starts with "~" is below github.com/stratakube/strata. "..." matches any text, and
// "/..." at the end also the folder itself, as for the go command. "std" matches the standard
// library.
package importrules
