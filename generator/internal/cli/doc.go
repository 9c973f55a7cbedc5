// Package cli owns the command line of strata: commands, flags, exit codes, and
// what is printed where. It does none of the work: that is behind Engine, and
// cmd/strata joins the two.
package cli
