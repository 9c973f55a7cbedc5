// Package refine refines one version of one resource at a time. It resolves references, merges
// unions into objects, and gives every object a name and every resource a kind. It converts raw
// models to refined ones (see package model), and uses no other version.
//
// Merging a union does not change the JSON of objects: the result is an object with the members
// of all branches, recursively. A type that cannot be merged becomes free JSON, and is reported
// as a [Conflict]. So does a type whose merging exceeds a budget, which depends on the size of
// the version's schema alone.
package refine
