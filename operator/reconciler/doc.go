// Package reconciler brings the external resources of objects of any generated kind in sync with
// the objects. It reads hubs from a cache of the version that the cluster stores, so that the
// webhook converts nothing for it. It converts the spec to the version that the user wrote, for
// the provider. It converts the status back through the same version.
//
// A pass over an object is a table of phases, one for each action. A phase continues or halts
// with a reason, which becomes the conditions. State that must survive a crash is written before
// the call that it describes, see package annotation.
//
// What is stored is the state of a claim. ADR 0070 lists the states, whose a resource is in each of
// them, and all changes of a state. The tests of this package compare each write with that list.
package reconciler
