// Package diag owns what Strata says to people: messages with a severity, a
// hint and a position in a file, gathered from any number of goroutines and
// printed in an order that does not depend on them.
//
// Front-ends, the config decoder and every floor of the generator report
// through it. They name a place by file, byte offset and path; line, column and
// excerpt are worked out only for messages that are printed.
package diag
