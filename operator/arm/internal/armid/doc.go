// Package armid knows the identifiers of resources outside: what they are made of, and how one
// follows from a type, a parent and a name, for every scope. It calls nobody.
package armid
