// Package commandline runs programs with commands: flags, exit codes and output. It follows the
// rules of strata. Results go to stdout, and everything else to stderr. The exit code is 0 for
// success, 1 for findings, 2 for wrong usage or input, 130 after an interrupt, and 143 after
// SIGTERM.
package commandline
