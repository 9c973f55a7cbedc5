// Package annotation reads and writes the annotations of an object that concern its external
// resource. Users control the operator by some of them. In the others the operator stores what it
// has begun, so that it survives crashes and changes of the leader.
//
// The operator uses stored state only on the object that it was written to. A claim names the UID
// of that object. State that was copied to another object with a manifest is ignored.
package annotation
