// Package bicep owns the front-end for Bicep types: files types.json, each a list
// of types that refer to each other by their index in it.
//
// It gives raw resources (see package model) with a spec, which has what one may
// write, and a status, which has what one can read: read-only properties are in
// the status alone, write-only ones in the spec alone. Secrets are in the spec
// alone, and marked there. What an object says in both is one definition.
//
// Left out are the members id, name, type and apiVersion of a body, which are of
// every resource, and functions of resources, which are actions and nothing that
// is kept. What is secret and can only be read is left out with a note.
//
// Bicep has one type for numbers. It is a whole number here, as it is called
// there, also where the API that it is made from has fractions.
package bicep
