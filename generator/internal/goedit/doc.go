// Package goedit changes Go files that users wrote, and preserves the rest of their text: [Embed]
// adds a field to structs, [Remove] removes functions and what only they need, and [Register] adds
// a package to a scheme where kubebuilder's markers say so, or where its versions are added.
//
// It takes text and returns text. It knows syntax only, and neither types nor files.
package goedit
