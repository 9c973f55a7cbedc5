// Package cli is the command line of strata-cluster: commands, flags, output and exit codes. The command calls it.
package cli
