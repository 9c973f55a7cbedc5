// Package armid knows the identifiers of resources in Azure: what they are made of, and how one
// follows from a type, a parent and a name, for every scope. It makes no calls.
package armid
