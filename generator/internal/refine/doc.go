// Package refine works within one version of one resource: it resolves
// references, merges unions into objects, and gives every object a name and
// every resource a kind. It turns raw models into refined ones (see package
// model) and knows nothing of other versions.
//
// Unions are merged without changing what travels on the wire: an object with
// the members of all branches, recursively. What cannot be merged becomes free
// JSON, and is reported as a [Conflict]. So is what merging would make beyond a
// budget, which depends on the size of the version's schema alone.
package refine
