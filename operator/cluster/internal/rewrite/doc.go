// Package rewrite writes the stored objects of a kind once more, so that the API server stores them
// in the storage version. The same write translates the entries of metadata.managedFields that name
// versions which go. It reads metadata only, a page at a time, and it has no state: an object that
// needs no write gets none. The command `strata cluster migrate` calls it.
package rewrite
