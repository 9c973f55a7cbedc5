// Package crd prints the kinds of a plan as CustomResourceDefinitions.
//
// Every API version has a structural schema that declares each property of its
// types, recursively, since a cluster refuses to apply what a conversion emits
// and the schema lacks. The schema of a spec requires what the source does: types,
// required members, enums, limits, and rules for the branches of unions. That of
// a status requires nothing, and the hub's preserves all members.
//
// A requirement must not refuse a write that changes other members: an object that was written
// through one version can lack what another requires. The API server ratchets such requirements
// where it can compare old and new values. Where it cannot, the rules made here do (see
// requirement.go).
package crd
