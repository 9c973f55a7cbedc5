// Package ledger stores the decisions that must never change. For every resource it has the
// refined model of every version, its kind and plural, and the versions that have been its hub.
// It also has the versions that are served, and the key of every value that a bag may store. It
// is committed with the output and only grows. A run reads it first, merges the models of the
// sources into it, and writes it before all other files.
//
// A folder contains index.json, with the resources in the order in which they were added, and one
// text file for each resource. A file has a head of one line for each fact, and then the model in
// its text notation. A definition that equals one of an earlier version is written as a reference
// to it.
package ledger
