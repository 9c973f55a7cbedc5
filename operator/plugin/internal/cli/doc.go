// Package cli implements the command line of strata-plugin, which strata runs as `strata plugin`.
package cli
