// Package output writes generated files to disk, and stores the state of previous runs there.
//
// A Comparison compares the files of a run, as they are printed, with the output folder and the
// manifest of the previous run. It determines which files to create, update and remove, and refuses
// to touch hand-written files. Those that differ wait in a hidden folder, the stage, so that a run
// of any size has few files in memory. Changes.Apply then moves them to their places. Drift returns
// the same result as findings, for --check.
//
// Manifest lists everything that was generated, and is committed with it. Stamp is a record in the
// user's cache folder. With it, a run with unchanged inputs and outputs ends after hashing both.
package output
