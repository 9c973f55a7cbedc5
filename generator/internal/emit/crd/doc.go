// Package crd prints the kinds of a plan as CustomResourceDefinitions.
//
// Every API version has a structural schema that declares each property of its
// types, recursively, since a cluster refuses to apply what a conversion emits
// and the schema lacks. The schema of a spec demands what the source does: types,
// required members, enums, limits, and rules for the branches of unions. That of
// a status demands nothing, and the hub's preserves whatever it is given.
//
// A demand must not stand in the way of a write that does not touch what it is
// about: an object written through one version can lack what another demands. The
// API server ratchets such demands where it can compare old and new values; where
// it cannot, the rules made here do (see demand.go).
package crd
