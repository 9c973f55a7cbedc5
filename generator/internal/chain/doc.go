// Package chain orders the versions of every resource, and chooses the hub. It links each version
// to its neighbour towards the hub, and follows every property through all versions.
//
// It makes every decision about history: which versions are neighbours ([Version.Next]), and
// which properties of several versions are one property ([Lineage]). It also decides under which
// key a bag stores a property that the version lacks ([Lineage.Key]). It obeys the decisions that
// the ledger records. Package plan decides how values are converted.
package chain
