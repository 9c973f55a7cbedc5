// Package cli is the command line of strata-image, which the command strata runs as `strata image`.
package cli
