// Package definition finds kinds that Strata has generated in a cluster, and knows what their definitions say of versions.
// It needs no generated types. All commands of strata-cluster begin with it.
package definition
