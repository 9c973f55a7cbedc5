// Package cli owns the command line of strata-plugin, which strata runs as `strata plugin`: its commands, flags, exit codes
// and what is printed where. The rules are those of strata: results go to stdout, all else to stderr; 0 done, 1 findings, 2
// wrong usage or input.
package cli
