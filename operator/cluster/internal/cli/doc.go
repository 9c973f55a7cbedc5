// Package cli implements the command line of strata-cluster: commands, flags, output and exit
// codes.
package cli
