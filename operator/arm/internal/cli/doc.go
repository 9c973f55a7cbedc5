// Package cli implements the command line of strata-arm.
package cli
