// Package journal owns a file to which records are appended, and from which they are read when it is
// opened again. The simulator keeps its state in one.
//
// A record that Append has taken survives the end of the process at any instruction after it, SIGKILL
// among them: it was handed to the kernel by one write. It may not survive the end of the machine, as
// nothing waits for the disk.
package journal
