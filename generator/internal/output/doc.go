// Package output owns the way of generated files to the disk, and what Strata
// remembers of them there.
//
// A run makes all its files in memory. Compare holds them against the output
// folder and the manifest of the run before, and decides, without writing, what
// is to be created, updated and removed; it refuses to touch what people wrote.
// Changes.Apply then writes what differs and nothing else. Drift tells the same
// decision as findings, for --check.
//
// Manifest is the list of all that was generated, committed with it. Stamp is a
// record in the user's cache folder that lets a run with unchanged inputs and
// outputs stop after hashing both.
package output
