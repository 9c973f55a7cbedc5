// Package gosrc owns the front-end for Go packages: structs that people write,
// with markers that say what was otherwise in earlier versions.
//
// Its floors are: load (packages and their types, with the author's module), read
// (comments become markers, markers become declarations: versions, resources, and
// the [History] of every field and constant), check (all rules, all errors at once)
// and shape (a model of every version, and the renames between them).
//
// A package without markers of versions is one version itself, as in kubebuilder
// projects. Why this is so is told in docs/adr/0026-go-source.md; the markers are
// listed in docs/guide/reference/go-markers.md.
package gosrc
