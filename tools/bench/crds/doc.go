// Package crds measures what CRDs cost an API server: memory and processor time for each, the time
// until all schemas are published, and how long kubectl takes to explain a kind and to apply a CRD.
// It also measures the memory of an object by the number of served versions.
//
// It compares CRDs that Strata generates from ARM schemas with CRDs of vendors. The command
// strata-crds, which is `mage bench:crds`, prints the figures.
package crds
