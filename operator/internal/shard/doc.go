// Package shard spreads the namespaces of an operator over its replicas. It owns which replica
// reconciles the objects of a namespace, and that no two of them do at the same time.
//
// A namespace belongs to one of a fixed number of slots, by a hash of its label strata.dev/shard,
// or of its name. Each replica announces itself with a Lease. From the Leases of all replicas,
// each replica calculates the same assignment of slots to replicas. A Lease for each slot
// guarantees that one replica at a time has it, also while two replicas see different members: the
// assignment only says who tries to get it.
//
// A replica that gives up a slot first starts no new pass, waits for the running ones, and then
// releases the Lease. A replica that cannot renew the Lease of a slot in time ends, as one does
// that loses the Lease of a leader.
package shard
