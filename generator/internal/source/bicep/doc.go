// Package bicep is the front-end for Bicep types: files types.json, each a list of types that refer
// to each other by index.
//
// It returns raw resources (see package model) with a spec of the writable properties, and a status
// of the readable ones. Read-only properties are in the status alone, and write-only ones in the
// spec alone. Secrets are in the spec alone, and marked there. An object that is the same in both
// is one definition.
//
// It omits the members id, name, type and apiVersion of a body, which every resource has, and
// functions of resources, which are actions without stored data. A secret that can only be read is
// omitted with a note.
//
// Bicep has one type for numbers, which it calls integer. It becomes a whole number here, even if
// the underlying API has fractions.
package bicep
