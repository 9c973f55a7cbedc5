// Package emit turns a plan into files. All files of a run are made in memory;
// package output writes them. The back-ends do not know
// each other: each is a package and one line in the table of [Files].
package emit
