// Package reconciler acts on objects of any generated kind until their external resources are as
// the objects say. It reads hubs from a cache of the version that the cluster stores, so that the
// webhook need not convert for it. It converts locally what it passes to the provider: the spec
// alone, in the version that the user wrote; and back the status alone, through the same version.
//
// A pass over an object is a table of phases, one for each policy. A phase either goes on or halts,
// and says why: that becomes the conditions. What must survive a crash is written before the call
// that it is about, see package mark.
package reconciler
