// Package served decides which versions of a resource a run adds to those that clusters serve. The
// ledger lists the versions that have been served.
package served
