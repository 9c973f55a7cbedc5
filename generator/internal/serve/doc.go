// Package serve decides which API versions a run adds to those that clusters
// serve. That nothing leaves again is the ledger's affair.
package serve
