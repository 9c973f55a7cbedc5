// Package doctor finds what is wrong with a project: with its modules, and with what its repository
// lacks. Package engine adds what a run of the generator finds, and strata-cluster what is wrong in
// a cluster. Package cli prints the findings.
package doctor
