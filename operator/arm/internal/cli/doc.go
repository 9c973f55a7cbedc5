// Package cli is the command line of strata-arm, for people.
package cli
