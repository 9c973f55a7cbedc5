// Package cli defines the command line of strata: commands, flags, exit codes, and the printed
// results. Engine does the work, and cmd/strata joins the two.
package cli
