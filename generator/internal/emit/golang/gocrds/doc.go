// Package gocrds prints the Go package that has CRDs as values: the files of CRDs are embedded in
// it, and its functions decode them and choose the stored version.
//
// It is the only generated package that imports apiextensions-apiserver. The engine asks for it
// where output.crdPackage is true. docs/adr says why it is a package of its own.
package gocrds
