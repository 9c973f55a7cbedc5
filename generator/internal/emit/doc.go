// Package emit converts a plan to files. It prints each of them in memory; package output writes
// them. Back ends do not import each other: each is a package and one line in the tables of
// files.go.
package emit
