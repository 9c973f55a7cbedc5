// Package crd prints the kinds of a plan as CustomResourceDefinitions.
//
// Every API version has a structural schema that declares each property of its types,
// recursively. A cluster refuses objects with members that a conversion returns and the schema
// lacks. The schema of a spec has the source's requirements: types, required members, enums,
// limits, and rules for the branches of unions. That of a status has none, and the hub's
// preserves all members.
//
// A requirement must not refuse a write that changes other members: an object that was written
// through one version may lack a member that another requires. The API server ratchets such
// requirements where it can compare old and new values. Where it cannot, the rules of this
// package do (see requirement.go).
package crd
