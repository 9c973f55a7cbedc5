// Package removals compares the metadata of a configuration with a chain. [Find] lists the
// properties that end without an entry, with their likely names in the next version, and those that
// change in a way that an entry can declare. [Faults] reports entries that match nothing, or that
// are no longer needed.
//
// It only proposes: the chain decides which properties are the same, and the user writes the
// configuration.
package removals
