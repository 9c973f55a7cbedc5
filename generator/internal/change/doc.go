// Package change says what became of a resource between two versions, or of one
// version between two schema trees: which properties are new, gone, renamed, of
// another type, required or optional, and which values enums have gained or lost.
// It says of every change whom it breaks.
//
// It compares refined models. Documentation and limits of values do not count.
// What is printed of it, and by which command, is the affair of emit/report and
// cli.
package change
