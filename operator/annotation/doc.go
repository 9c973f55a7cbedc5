// Package annotation reads and writes what the metadata of an object says about its external
// resource: the annotations by which users control the operator, and those in which the operator
// stores what it has begun, so that it survives crashes and changes of the leader.
//
// Stored state counts only on the object that it was written to. A claim names the UID of that
// object, and state that was copied with a manifest to another object is ignored.
package annotation
