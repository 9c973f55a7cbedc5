// Package crd reads definitions of custom resources (apiextensions.k8s.io/v1), as
// YAML or JSON, with any number of documents in a file.
//
// It understands structural schemas, as API servers require them. What the model has
// words for becomes types and limits; every other keyword that an API server knows
// travels as a fact of its type, so that the definition that is generated says it
// again. What is neither is an error with its place, and nothing is dropped in
// silence. Objects that are no definitions are noted.
//
// The group, kind and versions are those of the definition, and so is which versions
// are served. What it says of storage and conversion does not count: that is what
// Strata is for.
package crd
