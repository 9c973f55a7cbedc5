// Package progress shows how far the generator is: a bar on a terminal, or a few plain lines in a
// log. The command line creates a Progress and passes it down. The packages that do the work count.
// A nil *Progress prints nothing.
package progress
