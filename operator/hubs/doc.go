// Package hubs observes in which version the cluster stores the objects of each kind. The operator
// reads and writes hubs of its own release only: it waits while a kind is stored in an earlier hub,
// and stops while it is stored in one that it does not know.
package hubs
