// Package importrules holds which package of the workspace may import which, with the reason for
// each ban. The table is in bans.go; the test of this package asks the go command for what is
// imported and shows every arrow that the table forbids.
//
// A path that starts with "~" stands below github.com/stratakube/strata. "..." matches any text,
// and "/..." at the end the folder itself, too, as for the go command. "std" matches the standard
// library.
package importrules
