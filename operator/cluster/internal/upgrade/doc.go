// Package upgrade plans the upgrade of a cluster to a package: which CRDs change, and whether every
// stored object survives. It only reads. A [Plan] is plain data with a digest, which later commands
// compare with the cluster. Package cli calls it.
package upgrade
