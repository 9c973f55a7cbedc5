// Package output writes generated files to disk, and stores the state of previous runs there.
//
// A run makes all its files in memory. Compare compares them with the output folder and the
// manifest of the previous run. It determines, without writing, which files to create, update and
// remove, and refuses to touch hand-written files. Changes.Apply then writes only what differs.
// Drift returns the same result as findings, for --check.
//
// Manifest lists everything that was generated, and is committed with it. Stamp is a record in the
// user's cache folder. With it, a run with unchanged inputs and outputs ends after hashing both.
package output
