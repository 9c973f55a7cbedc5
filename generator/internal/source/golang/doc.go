// Package golang is the front-end for Go packages: structs of the author, with markers that
// describe how earlier versions differ.
//
// It works in four steps: load (packages and their types, in the author's module), read (comments
// to markers, and markers to declarations: versions, resources, and the history of every field and
// constant), check (all rules, with all errors at once) and shape (a model of every version, and
// the renames between them).
//
// A package without version markers is one version itself, as in kubebuilder projects.
// docs/adr/0026-go-source.md explains the design; docs/guide/reference/go-markers.md lists the
// markers.
package golang
