// Package model defines the data that sources produce, later stages read, and the ledger stores.
//
// It describes resources, their versions, their named definitions and a closed set of types. It
// does not depend on Go syntax, Kubernetes or any schema dialect. Every model has a text notation
// that [Print] writes and [Parse] reads. Each is the inverse of the other, apart from positions.
//
// Statements of a source that the model cannot express are stored as [Facts] of resources,
// versions and types. So a CRD that is generated from a CRD states what its source states, and
// the model stays small.
//
// Models have two forms. A *raw* model, as a source produces it, may contain [OneOf] and [AllOf],
// definitions of any type, and anonymous objects. A *refined* model contains neither. Every [Ref]
// refers to a definition of an [Object], every object has a name, and each resource version has
// exactly one spec.
package model
