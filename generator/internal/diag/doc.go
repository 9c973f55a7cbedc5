// Package diag defines Strata's messages, with a severity, a hint and a position in a file. It
// collects them from any number of goroutines, and prints them in an order that does not depend on
// these.
//
// Front-ends, the config decoder and every stage of the generator report through it. They identify
// a position by file, byte offset and path. Line, column and excerpt are computed only for messages
// that are printed.
package diag
