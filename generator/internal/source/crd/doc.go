// Package crd reads CRDs (apiextensions.k8s.io/v1), as YAML or JSON, with any number of documents
// in a file.
//
// It understands structural schemas, as API servers require them. What the model can represent
// becomes types and limits. Every other keyword that an API server knows becomes a fact of its
// type, so that the generated CRD contains it again. Anything else is an error with its position,
// and nothing is dropped silently. Objects that are not CRDs get a note.
//
// The group, the kind, the versions and their served flags are those of the CRD. Its storage
// version and conversion are ignored, since Strata generates these.
package crd
