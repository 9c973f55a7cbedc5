// Package crd finds kinds in a cluster, and reads the versions of their CRDs: of those that Strata
// has generated, and of others. It needs no generated types. All commands of strata-cluster begin
// with it.
package crd
