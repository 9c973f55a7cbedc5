// Package gocrds prints the Go package that contains the CRDs: it embeds their files, and its
// functions decode them and choose the stored version.
//
// It is the only generated package that imports apiextensions-apiserver. The engine calls it if
// output.crdPackage is true. docs/adr states why it is a separate package.
package gocrds
