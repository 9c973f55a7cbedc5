// Package progress tells, while the generator works, how far it is: a bar on a
// terminal, else plain lines, few enough for a log. The command line makes one
// and hands it down; the package that does the work counts. A nil *Progress is silent.
package progress
