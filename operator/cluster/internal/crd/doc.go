// Package crd finds kinds in a cluster that Strata has generated, and reads the versions of
// their CRDs. It needs no generated types. All commands of strata-cluster begin with it.
package crd
