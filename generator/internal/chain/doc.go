// Package chain orders the versions of every resource, picks the hub, links
// each version to its neighbour towards the hub, and follows every property
// through all versions.
//
// It is where history is decided: which versions are neighbours ([Version.Next]),
// which properties are one and the same ([Lineage]), and under which key a
// property lies in a bag while it is away ([Place.Keys]). What the ledger
// remembers is obeyed. Package plan decides how values are moved.
package chain
