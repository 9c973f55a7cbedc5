// Package cli is the command line of strata-arm, for users.
package cli
