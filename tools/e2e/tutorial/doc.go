// Package tutorial reads a page of the guide as its reader does: [Read] finds the commands,
// the files to save and the output to expect, and [Page.Script] makes a shell script of
// them, which its test runs.
package tutorial
