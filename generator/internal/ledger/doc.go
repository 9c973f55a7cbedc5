// Package ledger keeps what must never change again: for every resource the
// refined model of every version, its kind and plural, the versions that have
// been its hub, the versions that are served, and the key of every value that
// may lie in a bag. It is committed with the output and only grows. A run reads
// it first, merges what the sources say into it, and writes it before all else.
//
// A folder holds index.json, with the resources in order of arrival, and one
// text file for each resource: a head of one line for each fact, then the model
// in its text notation, where a definition that equals one of an earlier version
// is written as a reference to it.
package ledger
